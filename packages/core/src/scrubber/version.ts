/**
 * Stored with every trace, so that a trace which an older scrubber read can be told apart. A date and a number of that
 * day: raise it whenever a rule, a detector or the decoding changes what comes out. `version.test.ts` fails when the
 * output of the labelled cases changes and this does not.
 */
export const VERSION = '2026-11-22.7'
