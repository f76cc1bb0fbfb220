/**
 * Named in every stored trace. Raise it whenever a rule, a finder or a placeholder changes, so that what was scrubbed with
 * an older table can be told apart.
 */
export const VERSION = '2026-11-21.1'
