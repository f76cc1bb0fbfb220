import { sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import { jsonArgument } from './database.ts'

/** Returns a word in the usual cases, with ASCII letters in lower case. SQLite changes the case of only these. */
function listCases(word: string): string[] {
  const [lower, upper] = [word.toLowerCase(), word.toUpperCase()]
  const capitalized = lower.replace(/^./u, (first) => first.toUpperCase())
  const cases = [lower, word, upper, capitalized].map((text) =>
    text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()),
  )
  return [...new Set(cases)]
}

/** Returns the argument of `hasWords` for a list of words. */
export const wordsArgument = (words: readonly string[] = []): string => jsonArgument(words.map(listCases))

/** Returns whether a text contains all words of an argument, regardless of their case. */
export const hasWords = (text: SQLWrapper, words: SQLWrapper): SQL =>
  sql`not exists (select 1 from json_each(${words}) word where not exists (
    select 1 from json_each(word.value) spelling where instr(lower(${text}), spelling.value) > 0))`
