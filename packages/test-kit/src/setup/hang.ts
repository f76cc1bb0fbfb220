const kind = process.env['TRIBUTARY_TESTS']

/**
 * Milliseconds after which a test, a hook or a wait counts as hanging. It does not limit the speed, which depends on
 * other work of the machine, so tests have no other limits.
 */
export const hangMs = kind === 'short' || kind === 'full' ? 1_200_000 : 300_000
