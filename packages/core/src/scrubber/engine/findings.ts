import type { Finding, Rule } from './rule.ts'

/** How far one finder or rule has read in a scan. */
interface Reach {
  end: number
  count: number
  /** The end of the last match of a pattern. */
  past: number
}

/** Failures of a pattern that reads far, inside one unbroken word, and the characters in which that word ends. */
const MANY = 64
const FAR = 4096
/** The stretch of text, in characters, in which a finder tries at most `MOST_IN_CLUSTER` places. */
const CLUSTER = 256
const MOST_IN_CLUSTER = 16

/** The findings of one scan, and how far its finders have read: what is repeated ten thousand times is read once. */
export class Findings {
  readonly list: Finding[] = []
  private readonly reaches = new Map<string, Reach>()

  push(finding: Finding): void {
    this.list.push(finding)
  }

  /** Adds a finding of a value as it is in the text. */
  add(value: string, start: number, rule: Finding['rule']): void {
    this.list.push({ start, end: start + value.length, rule, value })
  }

  /** Returns how far a finder has read, for it to change. */
  reachOf(finder: string): Reach {
    let reach = this.reaches.get(finder)
    if (!reach) this.reaches.set(finder, (reach = { end: -1, count: 0, past: -1 }))
    return reach
  }

  /**
   * Returns whether a value begins inside of one that was read, and so did `most` others: `key=key=key=` is one run, of
   * which a few names are tried, not each against all that follows.
   */
  isReadAlready(
    { start, end }: { readonly start: number; readonly end: number },
    finder: string,
    most: number,
  ): boolean {
    const reach = this.reachOf(finder)
    if (start < reach.end) return ++reach.count > most
    reach.end = end
    reach.count = 0
    return false
  }

  /**
   * Returns whether a pattern that reads far failed too often inside one unbroken word. Its keyword over and over
   * (`eyJ-eyJ-eyJ-`) would make it read the same word once for each.
   */
  isSpent(text: string, start: number, rule: string): boolean {
    const reach = this.reachOf(rule)
    if (start < reach.end) return ++reach.count > MANY
    let end = start
    const limit = Math.min(text.length, start + FAR)
    while (end < limit && isWord(text.charCodeAt(end))) end++
    reach.end = end
    reach.count = 0
    return false
  }

  /** Records that a pattern matched. Only a match inside another one counts as a failure. */
  succeed(start: number, end: number, rule: string): void {
    const reach = this.reachOf(rule)
    if (start >= reach.past) reach.count = 0
    if (end > reach.past) reach.past = end
  }

  /**
   * Returns whether a finder was tried so often in the last characters that no person wrote its keyword there: for
   * finders that read a hundred characters after every keyword, and find nothing in `pwd pwd pwd pwd`.
   */
  isCrowded(start: number, finder: string): boolean {
    const reach = this.reachOf(finder)
    if (start < reach.end) return ++reach.count > MOST_IN_CLUSTER
    reach.end = start + CLUSTER
    reach.count = 1
    return false
  }
}

/** A keyword of a rule in a text, and where to add what is found there. */
export interface Hit {
  readonly text: string
  /** Where the keyword begins and ends. */
  readonly start: number
  readonly end: number
  readonly rule: Rule
  readonly found: Findings
}

/** Called where a keyword of its rule is; reads a bounded part of the text around it and adds what it finds. */
export type Finder = (hit: Hit) => void

/** Returns whether a character is one that tokens are written with, or that joins their parts. */
const isWord = (code: number): boolean =>
  code > 32 && code !== 34 && code !== 39 && code !== 96 && code !== 44 && code !== 59
