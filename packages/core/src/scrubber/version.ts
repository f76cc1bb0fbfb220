/**
 * Named in every stored trace, so that what was scrubbed with an older table can be told apart. The part behind `+` is a
 * digest of the scrubber's sources: a test fails when they change and this does not (`UPDATE=1` writes the new one).
 */
export const VERSION = '2026-11-22+f10b174c'
