/** `@tributary/core/scrub` of a bundle for browsers: without the lexicon of names, which `scrub-names` has. */
export { scrubJson, type JsonResult } from './engine/scrub-json.ts'
export { DetectorError } from './engine/async-detectors.ts'
export type { AsyncDetector, DetectedSpan, Detector, NameFinder, Rule } from './engine/rule.ts'
export type {
  Clean,
  KnownIdentity,
  PlaceholderUse,
  ScrubContext,
  Scrubber,
  ScrubOptions,
  ScrubResult,
  SteppedScrubber,
} from './engine/scrubber-types.ts'
export { previewScrub, type Replacement, type ScrubPreview } from './preview.ts'
export { warmUpScrubber } from './warm-up.ts'
export { createScrubber } from './scrubber.ts'
