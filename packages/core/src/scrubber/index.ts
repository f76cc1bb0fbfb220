/** Removes secrets and personal data from text: every free text passes it before it is written. Runs anywhere. */
export * from './shared-exports.ts'
export { createScrubber } from './with-names.ts'
