/** Removes secrets and personal data from text: every free text passes it before it is written. Runs anywhere. */
import { allPacks } from './packs/all.ts'
import { scrubberFactory } from './scrubber.ts'
import { warmUpFactory } from './warm-up.ts'

export * from './shared-exports.ts'

/**
 * Creates a scrubber. A server has all rule packs; in a browser they are loaded by `load` or the first `scrubAsync`.
 * @throws {Error} where a rule or a detector of the options cannot be used: its id is taken, a rule has neither a
 * sticky pattern nor a finder, an asynchronous detector has a limit out of range.
 */
export const createScrubber = scrubberFactory(allPacks)

/**
 * Scrubs a fixed text a few times, so that a process or thread which has just started compiles what its first real text
 * needs: without, the first megabytes are read at a fraction of the later speed. The same work on any machine, in steps
 * of a few milliseconds.
 * @param pause lets other work go on between the steps, as that of `scrubAsync`. When it rejects, this ends and rejects
 * with the same.
 * @example await warmUpScrubber(() => new Promise((next) => setImmediate(next)))
 */
export const warmUpScrubber = warmUpFactory(allPacks)
