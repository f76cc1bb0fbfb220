import { byteOf } from './bytes.ts'

/** The bits of a column. Both cases of a letter share one column, all digits share one, and each mark has its own. */
export const WIDTH = 6
/** The number of possible blocks of three columns. */
export const BLOCKS = 1 << (3 * WIDTH)
/** The column of each byte. All other characters have column 0. */
export const COLUMNS = new Uint8Array(256)
const SIGNS = ' \n\t!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'
for (let code = 97; code <= 122; code++) COLUMNS[code] = COLUMNS[code - 32] = code - 96
/** The column of all digits. */
export const DIGITS = 27
for (let code = 48; code <= 57; code++) COLUMNS[code] = DIGITS
for (const [i, sign] of [...SIGNS].entries()) COLUMNS[sign.charCodeAt(0)] = (28 + i) & 63

/** Returns the number of a block of three columns. */
export const blockOf = (first: number, second: number, third: number): number =>
  (((first << WIDTH) | second) << WIDTH) | third

/** Returns the column of a character of a text. */
export const columnAt = (text: string, at: number): number => COLUMNS[byteOf(text.charCodeAt(at))]!

/** Returns the number of the block that begins at a place of a text. */
export const blockAt = (text: string, at: number): number =>
  blockOf(columnAt(text, at), columnAt(text, at + 1), columnAt(text, at + 2))

/** One character of each column. */
export const EVERY_COLUMN: readonly string[] = ['\x80', ...'abcdefghijklmnopqrstuvwxyz0', ...SIGNS]
