/**
 * Milliseconds after which a test, a hook or a wait counts as hanging. It does not limit the speed, which depends on
 * other work of the machine, so tests have no other limits.
 */
export const hangMs = process.env['TRIBUTARY_TESTS'] === undefined ? 300_000 : 1_200_000
