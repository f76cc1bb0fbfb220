/** Secrets and personal data out of text: the one door that every text passes before it is written. Runs anywhere. */
export { scrubJson, type JsonResult } from './json.ts'
export type { Detector, Rule } from './rule.ts'
export {
  createScrubber,
  type Clean,
  type Scrubber,
  type ScrubOptions,
  type ScrubResult,
  type SteppedScrubber,
} from './scrubber.ts'
