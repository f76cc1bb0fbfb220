import { COLUMN_BEGINNINGS, COLUMN_ENDS, COLUMNS_OF_PEOPLE } from '../../rules/tables.ts'

const BEFORE = [',', '\t', ';', '|', ',"', ';"', ', ']
const BEFORE_PEOPLE = [',', '\t', ';']
const AFTER = [',', '\t', ';', '|', '",', '";']

/** The keywords of delimited tables: the names of columns, each with a delimiter before or after the name. */
export const delimitedKeywords: readonly string[] = [
  ...COLUMN_BEGINNINGS.split(',').flatMap((word) => BEFORE.map((delimiter) => `${delimiter}${word}`)),
  ...COLUMNS_OF_PEOPLE.split(',').flatMap((word) => BEFORE_PEOPLE.map((delimiter) => `${delimiter}${word}`)),
  ...COLUMN_ENDS.split(',').flatMap((word) => AFTER.map((delimiter) => `${word}${delimiter}`)),
]
