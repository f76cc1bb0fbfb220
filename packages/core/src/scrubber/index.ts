/**
 * Removes secrets and personal data from text. Every free text is scrubbed before it is stored. Runs on every platform.
 */
import { allPacks } from './packs/all.ts'
import { scrubberFactory } from './scrubber.ts'
import { warmUpFactory } from './warm-up.ts'

export * from './shared-exports.ts'

/**
 * Creates a scrubber. On a server it has all rule packs; in a browser `load` or the first `scrubAsync` loads them.
 * @throws {Error} if a rule or a detector of the options cannot be used: its id is taken, a rule has neither a sticky
 * pattern nor a finder, or an asynchronous detector has a limit out of range.
 */
export const createScrubber = scrubberFactory(allPacks)

/**
 * Scrubs a fixed text a few times, so that V8 compiles the code before the first real text of a process or thread.
 * Otherwise the first megabytes are read at a fraction of the later speed. The work is the same on every machine, in
 * steps of a few milliseconds. @param pause lets other work run between the steps, as in `scrubAsync`. If it rejects,
 * this function rejects with the same error. @example await warmUpScrubber(() => new Promise((next) =>
 * setImmediate(next)))
 */
export const warmUpScrubber = warmUpFactory(allPacks)
