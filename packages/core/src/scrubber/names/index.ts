/** Finds full names of people in prose, by a lexicon of names. A bundle for browsers leaves its 290 KB out, see `browser.ts`. */
export { findNames as personNames } from './find-names.ts'
