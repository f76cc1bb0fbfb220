import { inOneShape, type CompiledRule, type Finding } from './rule.ts'

/** The place up to which one finder or rule has read in a scan. */
interface Reach {
  end: number
  count: number
  /** The end of the last match of a pattern. */
  past: number
}

/** The most failures of a pattern that reads far, inside one unbroken word, and the most characters of that word. */
const MANY = 64
const FAR = 4096
/** The stretch of text, in characters, in which a finder tries at most `MOST_IN_CLUSTER` places. */
const CLUSTER = 256
const MOST_IN_CLUSTER = 16

/**
 * The findings of one scan, and how far its finders have read, so that a text which repeats a keyword ten thousand
 * times is read once.
 */
export class Findings {
  readonly list: Finding[] = []
  /** The places of the words that the scanner was asked to record, nearly in order. */
  readonly marks: number[] = []
  private readonly reaches = new Map<string, Reach>()

  push(finding: Finding): void {
    this.list.push(inOneShape(finding))
  }

  /** Adds a finding of a value that the text contains unchanged. */
  add(value: string, start: number, rule: Finding['rule']): void {
    this.push({ start, end: start + value.length, rule, value })
  }

  /** Returns the record of how far a finder has read. The caller may change it. */
  reachOf(finder: string): Reach {
    let reach = this.reaches.get(finder)
    if (!reach) this.reaches.set(finder, (reach = { end: -1, count: 0, past: -1 }))
    return reach
  }

  /**
   * Returns whether a value begins inside a value that was read before, after `most` others did so. In `key=key=key=`
   * only a few names are tried, because each try reads the rest of the run.
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
   * Returns whether a pattern that reads far failed too often inside one unbroken word. With a repeated keyword
   * (`eyJ-eyJ-eyJ-`) it would read the same word once for each keyword.
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

  /**
   * Records that a pattern matched. This resets the count of failures, unless the match begins inside an earlier one.
   */
  succeed(start: number, end: number, rule: string): void {
    const reach = this.reachOf(rule)
    if (start >= reach.past) reach.count = 0
    if (end > reach.past) reach.past = end
  }

  /**
   * Returns whether a finder was tried so often in the last characters that no person wrote its keywords. It is for
   * finders that read a hundred characters after every keyword and find nothing in `pwd pwd pwd pwd`.
   */
  isCrowded(start: number, finder: string): boolean {
    const reach = this.reachOf(finder)
    if (start < reach.end) return ++reach.count > MOST_IN_CLUSTER
    reach.end = start + CLUSTER
    reach.count = 1
    return false
  }
}

/** A keyword of a rule in a text, and the list for the findings there. */
export interface Hit {
  readonly text: string
  /** The places where the keyword begins and ends. */
  readonly start: number
  readonly end: number
  readonly rule: CompiledRule
  readonly found: Findings
}

/** Tries the pattern of a rule at a keyword. */
export function matchRule({
  text,
  start,
  rule: { pattern },
}: Pick<Hit, 'text' | 'start' | 'rule'>): RegExpExecArray | null {
  if (!pattern) return null
  pattern.lastIndex = start
  return pattern.exec(text)
}

/** Called at each keyword of its rule. Reads a bounded part of the text around the keyword and adds its findings. */
export type Finder = (hit: Hit) => void

/** Returns whether a character may be in a token, or may join the parts of a token. */
const isWord = (code: number): boolean =>
  code > 32 && code !== 34 && code !== 39 && code !== 96 && code !== 44 && code !== 59
