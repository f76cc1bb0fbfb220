import { inOneShape, type CompiledRule, type Finding } from './rule.ts'

/** The position up to which one finder or rule has read in a scan. */
interface Reach {
  end: number
  count: number
  /** The end of the last match of a pattern. */
  past: number
}

/**
 * The limits for a pattern that may read far: the number of failures inside one unbroken word, and the number of
 * characters that count as one word.
 */
const MANY = 64
const FAR = 4096
/** The stretch of text, in characters, in which a finder tries at most `MOST_IN_CLUSTER` positions. */
const CLUSTER = 256
const MOST_IN_CLUSTER = 16

/**
 * The findings of one scan. Also records how far each finder has read, so that a text which repeats a keyword ten
 * thousand times is read only once.
 */
export class Findings {
  readonly list: Finding[] = []
  /** The positions of the words that the scanner records (`marks` of `compileRules`), nearly in ascending order. */
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
   * Returns whether a value begins inside an already read value in which `most` other values began before. In
   * `key=key=key=` only a few names are tried, because each try reads the rest of the run.
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
   * Returns whether a finder was tried so often in the last characters that a person cannot have written its keywords.
   * This is for finders that read a hundred characters after every keyword and find nothing in text such as `pwd pwd
   * pwd pwd`.
   */
  isCrowded(start: number, finder: string): boolean {
    const reach = this.reachOf(finder)
    if (start < reach.end) return ++reach.count > MOST_IN_CLUSTER
    reach.end = start + CLUSTER
    reach.count = 1
    return false
  }
}

/** An occurrence of a rule's keyword in a text, and the list to which its findings are added. */
export interface Hit {
  readonly text: string
  /** The indexes at which the keyword begins and ends. */
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
