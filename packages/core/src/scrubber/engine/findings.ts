import { inOneShape, type CompiledRule, type Finding } from './rule.ts'

/** The progress of one finder or rule in a scan, which has read the text up to `end`. */
interface Reach {
  end: number
  count: number
  /** The end of the last match of a pattern. */
  past: number
}

/**
 * The limits for a pattern that may read far: the maximum number of failures inside one word, and the maximum length of
 * a word in characters.
 */
const MANY = 64
const FAR = 4096
/** The number of characters in which a finder tries at most `MOST_IN_CLUSTER` positions. */
const CLUSTER = 256
const MOST_IN_CLUSTER = 16

/**
 * The findings of one scan. Also records how far each finder has read, so that a text with ten thousand equal keywords
 * is read only once.
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

  /** Returns the progress of a finder. The caller may change this object. */
  reachOf(finder: string): Reach {
    let reach = this.reaches.get(finder)
    if (!reach) this.reaches.set(finder, (reach = { end: -1, count: 0, past: -1 }))
    return reach
  }

  /**
   * Counts the values that begin inside a value that was already read, and returns whether there are more than `most`.
   * In `key=key=key=` only a few names are tried, because each try reads the rest of the text.
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
   * Returns whether a pattern that reads far failed too often inside one word. In a repeated keyword (`eyJ-eyJ-eyJ-`),
   * the pattern would read the same word once for each keyword.
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

  /** Records a match of a pattern. Resets the count of failures, unless the match begins inside an earlier match. */
  succeed(start: number, end: number, rule: string): void {
    const reach = this.reachOf(rule)
    if (start >= reach.past) reach.count = 0
    if (end > reach.past) reach.past = end
  }

  /**
   * Returns whether a finder was tried too often within `CLUSTER` characters, as in `pwd pwd pwd pwd`. People do not
   * write such texts, and the finder would read a hundred characters after every keyword.
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

/** Returns the match of a rule's pattern at a keyword, or null. */
export function matchRule({
  text,
  start,
  rule: { pattern },
}: Pick<Hit, 'text' | 'start' | 'rule'>): RegExpExecArray | null {
  if (!pattern) return null
  pattern.lastIndex = start
  return pattern.exec(text)
}

/** Finds values at a keyword of its rule. Reads a bounded part of the text around the keyword. */
export type Finder = (hit: Hit) => void

/** Returns whether a character may be in a token, or between the parts of a token. */
const isWord = (code: number): boolean =>
  code > 32 && code !== 34 && code !== 39 && code !== 96 && code !== 44 && code !== 59
