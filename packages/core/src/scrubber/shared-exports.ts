/**
 * The exports of `@tributary/core/scrub` on every platform. `index.ts` and `browser.ts` add the exports that need rule
 * packs.
 */
export { scrubJson, type JsonResult } from './engine/json.ts'
export { DetectorError } from './engine/rule.ts'
export type { AsyncDetector, DetectedSpan, Detector, EvidenceKind, Rule } from './engine/rule.ts'
export type {
  KnownIdentity,
  PackId,
  PlaceholderUse,
  ScrubContext,
  Scrubber,
  ScrubOptions,
  ScrubResult,
  SteppedScrubber,
} from './engine/scrubber-types.ts'
export { previewScrub, type Replacement, type ScrubPreview } from './preview.ts'
