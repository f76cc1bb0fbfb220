/** `@tributary/core/scrub` of a bundle for browsers: without the lexicon of names, which `scrub-names` has. */
export * from './shared-exports.ts'
export { createScrubber } from './scrubber.ts'
