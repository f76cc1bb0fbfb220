import { COLUMN_BEGINNINGS, COLUMN_ENDS, COLUMNS_OF_PEOPLE } from '../../rules/tables.ts'

const BEFORE = [',', '\t', ';', '|', ',"', ';"', ', ']
const BEFORE_PEOPLE = [',', '\t', ';']
const AFTER = [',', '\t', ';', '|', '",', '";']

/** The keywords of delimited tables: names of columns with a delimiter before or after them. */
export const delimitedKeywords: readonly string[] = [
  ...COLUMN_BEGINNINGS.split(',').flatMap((word) => BEFORE.map((delimiter) => `${delimiter}${word}`)),
  ...COLUMNS_OF_PEOPLE.split(',').flatMap((word) => BEFORE_PEOPLE.map((delimiter) => `${delimiter}${word}`)),
  ...COLUMN_ENDS.split(',').flatMap((word) => AFTER.map((delimiter) => `${word}${delimiter}`)),
]
