import { eastAsianWidth } from 'get-east-asian-width'
import { hidden } from '../http/text.ts'

// Matches the escape sequences of ECMA-48 in their 7-bit and 8-bit forms: control sequences, control strings with their
// content (also when they are not terminated), and other escapes. The classes of each alternative are disjoint, so no
// text makes the matching slow.
// oxlint-disable-next-line no-control-regex -- the expression matches control characters
const sequences =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x9c|\x1b\\|$)?|\x1b[ -/]*[0-~]?/g
const spaces = /[\p{White_Space}\u2800]+/gu
// Unassigned, private, surrogate and control characters. Terminals differ in how they display these characters.
const undrawn = /\p{C}/gu
/** The number of marks on one character: Thai, Vietnamese and Arabic need two. */
const marksKept = 2

/** The maximum number of UTF-16 code units of a sponsor's text. */
export const longestText = 200

/**
 * Returns text that cannot harm a terminal: without C0, C1, DEL, escape sequences (removed with their parameters and
 * strings), bidirectional or zero-width characters and line breaks; with at most two combining marks on a character,
 * composed (NFC), with single spaces, and with at most `max` UTF-16 code units, never cut inside a character. Vectors
 * for other languages: `terminalVectors`. Idempotent.
 *
 * ```ts
 * terminalSafe('\u001b[31mDeploys\u001b[0m in\na minute') // 'Deploys in a minute'
 * ```
 */
export function terminalSafe(text: string, max = longestText): string {
  // A real line is always shorter. The bound also limits the cost of normalizing.
  const bounded = text.slice(0, 8 * 1024).toWellFormed()
  const bare = bounded
    .replace(sequences, '')
    .replace(spaces, ' ')
    .replace(undrawn, '')
    .replace(hidden, '')
    .normalize('NFC')
  let safe = ''
  let marks = marksKept // a mark may not come first or follow a space
  for (const character of bare) {
    const mark = /\p{M}/u.test(character)
    if (mark && marks >= marksKept) continue
    marks = mark ? marks + 1 : character === ' ' ? marksKept : 0
    if (safe.endsWith(' ') && character === ' ') continue
    if (safe.length + character.length > max) break
    safe += character
  }
  return safe.trim()
}

/**
 * Returns the number of terminal columns that safe text needs: two for wide East Asian characters and emoji, none for
 * combining marks.
 */
export function cells(text: string): number {
  let width = 0
  for (const character of text)
    if (!/\p{Mn}|\p{Me}/u.test(character)) width += eastAsianWidth(character.codePointAt(0) ?? 0)
  return width
}

/** Cuts text to a number of terminal columns. A text that was cut ends with an ellipsis. */
function fitColumns(text: string, columns: number): string {
  if (cells(text) <= columns) return text
  let cut = ''
  for (const character of text) {
    if (cells(`${cut}${character}…`) > columns) break
    cut += character
  }
  return `${cut.trimEnd()}…`
}

/** Returns the line that a client shows for an ad in a terminal of this width: `Sponsor · Brand: text`. */
export function sponsorLine(
  { isPaid, brandName, text }: { readonly isPaid: boolean; readonly brandName: string; readonly text: string },
  columns: number,
): string {
  const brand = terminalSafe(brandName, 64)
  return fitColumns(
    `${isPaid ? 'Sponsor' : 'Program'} · ${brand === '' ? '' : `${brand}: `}${terminalSafe(text)}`,
    columns,
  )
}
