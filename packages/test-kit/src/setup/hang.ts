const kind = process.env['TRIBUTARY_TESTS']

/**
 * Milliseconds after which a test, a hook or a wait counts as hanging. It says nothing about speed: how long they take
 * depends on what else the machine does, so tests name no limits of their own.
 */
export const hangMs = kind === 'short' || kind === 'full' ? 1_200_000 : 300_000
