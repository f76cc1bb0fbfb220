/** Removes secrets and personal data from texts, on every platform. Every free text is scrubbed before it is stored. */
import { allPacks } from './packs/all.ts'
import { scrubberFactory, warmUpFactory } from './scrubber.ts'

export * from './shared-exports.ts'

/**
 * Creates a scrubber. On a server, all rule packs are loaded. In a browser, `load` or the first `scrubAsync` loads
 * them.
 * @throws {Error} if a rule or a detector cannot be used: its id is taken, a rule has neither a sticky pattern nor a
 * finder, or a limit of an asynchronous detector is out of range.
 */
export const createScrubber = scrubberFactory(allPacks)

/**
 * Scrubs a fixed text a few times, so that V8 compiles the code before a process or thread scrubs the first real text.
 * Otherwise, the first megabytes would be much slower than later texts. The work is the same on every machine, in steps
 * of a few milliseconds.
 * @param pause lets other work run between the steps, as in `scrubAsync`. If it rejects, this function rejects with the
 * same error.
 * @example await warmUpScrubber(() => new Promise((next) => setImmediate(next)))
 */
export const warmUpScrubber = warmUpFactory(allPacks)
