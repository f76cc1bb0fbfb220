import type { ScrubOptions, SteppedScrubber } from './engine/scrubber-types.ts'
import { personNames } from './names/index.ts'
import { createScrubber as createWithout } from './scrubber.ts'

/**
 * Creates a scrubber that finds names of people in prose too, unless its options say otherwise.
 * @throws {Error} where a rule or a detector of the options cannot be used: its id is taken, a rule has neither a
 * sticky pattern nor a finder, an asynchronous detector has a limit out of range.
 */
export const createScrubber = (options: ScrubOptions = {}): SteppedScrubber =>
  createWithout({ names: personNames, ...options })
