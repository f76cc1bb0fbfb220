import type { Finding } from './rule.ts'

interface Reach {
  end: number
  count: number
  /** The end of the last match of a pattern. */
  past: number
}

/** On the list of findings of one scan: how far each finder has read. A `WeakMap` takes ten times as long. */
const REACHES = Symbol('reaches')

/**
 * Returns how far a finder has read in this scan, so that a keyword that is ten thousand times in one long run does
 * not make it be read ten thousand times. One scan has one list of findings, which carries it.
 */
export function reachOf(found: readonly Finding[] & { [REACHES]?: Map<string, Reach> }, finder: string): Reach {
  const reaches = (found[REACHES] ??= new Map())
  let reach = reaches.get(finder)
  if (!reach) reaches.set(finder, (reach = { end: -1, count: 0, past: -1 }))
  return reach
}

/**
 * Returns whether a value begins inside of one that was read, and so did `most` others: `key=key=key=` is one run, of
 * which a few names are tried, not each against all that follows.
 * @param end where the value ends, as far as it is known.
 */
export function isReadAlready(
  start: number,
  end: number,
  finder: string,
  found: readonly Finding[],
  most: number,
): boolean {
  const reach = reachOf(found, finder)
  if (start < reach.end) return ++reach.count > most
  reach.end = end
  reach.count = 0
  return false
}

const MANY = 64
const FAR = 4096

/**
 * Has a pattern that reads far failed too often inside one unbroken word? Its keyword over and over (`eyJ-eyJ-eyJ-`)
 * would make it read the same word once for each. So many tries see whatever a person may have put there.
 */
export function isSpent(text: string, start: number, rule: string, found: readonly Finding[]): boolean {
  const reach = reachOf(found, rule)
  if (start < reach.end) return ++reach.count > MANY
  let end = start
  const limit = Math.min(text.length, start + FAR)
  while (end < limit && isWord(text.charCodeAt(end))) end++
  reach.end = end
  reach.count = 0
  return false
}

/** Records that a pattern matched. Only a match inside another one counts as a failure. */
export function succeed(start: number, end: number, rule: string, found: readonly Finding[]): void {
  const reach = reachOf(found, rule)
  if (start >= reach.past) reach.count = 0
  if (end > reach.past) reach.past = end
}

/** Returns whether a character is one that tokens are written with, or that joins their parts. */
const isWord = (code: number): boolean =>
  code > 32 && code !== 34 && code !== 39 && code !== 96 && code !== 44 && code !== 59

/** Characters in which only so many places of one rule are tried that read far. */
const CLUSTER = 256
const MOST_IN_CLUSTER = 16

/**
 * Returns whether a rule was tried so often in the last characters that no person wrote its keyword there: for finders
 * that read a hundred characters after every keyword, and find nothing in `pwd pwd pwd pwd`.
 */
export function isCrowded(start: number, finder: string, found: readonly Finding[]): boolean {
  const reach = reachOf(found, finder)
  if (start < reach.end) return ++reach.count > MOST_IN_CLUSTER
  reach.end = start + CLUSTER
  reach.count = 1
  return false
}
