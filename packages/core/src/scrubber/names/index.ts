/** Finds full names of people in prose, by a lexicon of names: the pack `names` by itself. */
export { findNames as personNames } from './find-names.ts'
