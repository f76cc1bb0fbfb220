import type { Meter, Steps } from './meter.ts'
import { kindOf, type Finding } from './rule.ts'
import type { PlaceholderUse } from './scrubber-types.ts'

/**
 * Returns a placeholder such as `[EMAIL_1]`: the word of its rule, and a number. Equal values in a trace have the same
 * number.
 */
const placeholderOf = (word: string, number: number): string => `[${word}_${number}]`

/** The end of a placeholder. It is rarer than the beginning, so the search excludes most texts quickly. */
const TAIL = /_\d{1,9}\]/
/** The number of characters that are searched in one step, and the length of the longest placeholder. */
const PIECE = 65_536
const LONGEST = 56
const PLACEHOLDER = /\[([A-Z][A-Z0-9_]{0,40})_(\d{1,9})\]/g

/**
 * Returns the highest number of each word in the placeholders that the texts already contain, so that a new value never
 * gets an old placeholder. A client may have scrubbed the first half of a conversation itself.
 */
export function* takenNumbers(texts: readonly string[], meter: Meter): Steps<Map<string, number>> {
  const taken = new Map<string, number>()
  for (const text of texts)
    for (let from = 0; from < text.length; from += PIECE) {
      const piece = text.length <= PIECE ? text : text.slice(from, from + PIECE + LONGEST)
      if (meter.spend(piece.length >> 3)) yield
      if (!piece.includes(']') || !TAIL.test(piece)) continue
      for (const { 1: word = '', 2: digits } of piece.matchAll(PLACEHOLDER)) {
        const number = Number(digits)
        if (number > (taken.get(word) ?? 0)) taken.set(word, number)
        if (meter.spend(16)) yield
      }
    }
  return taken
}

export const startsPlaceholder = (text: string, at: number): boolean =>
  text[at] === '[' && /^\[[A-Z][A-Z0-9_]{0,40}_\d{1,9}\]/.test(text.slice(at, at + 56))

const isUpperName = (code: number): boolean => (code > 64 && code < 91) || (code > 47 && code < 58) || code === 95

/** Returns whether an index is inside a placeholder: the index of `EMAIL` or `1` in `[EMAIL_1]`. */
export function isInPlaceholder(text: string, at: number): boolean {
  const least = Math.max(0, at - LONGEST)
  let start = at - 1
  while (start > least && isUpperName(text.charCodeAt(start))) start--
  return startsPlaceholder(text, start)
}

/** The placeholders of the values of one trace. */
export class Placeholders {
  private readonly numbers: Map<string, number>
  private readonly names = new Map<string, Omit<PlaceholderUse, 'value'>>()

  /** @param taken the result of `takenNumbers`. */
  constructor(taken: Map<string, number>) {
    this.numbers = taken
  }

  /** Assigns a placeholder to the value. Returns false if the value already has one. */
  add(finding: Finding): boolean {
    const { value, rule, score = 1 } = finding
    if (this.names.has(value)) return false
    const number = (this.numbers.get(rule.placeholder) ?? 0) + 1
    this.numbers.set(rule.placeholder, number)
    const placeholder = placeholderOf(rule.placeholder, number)
    const kind = kindOf(finding)
    const { category, id } = rule
    this.names.set(value, { placeholder, category, rule: id, kind, score: Math.round(score * 100) / 100 })
    return true
  }

  /** Returns every value with its placeholder. */
  list(): PlaceholderUse[] {
    return [...this.names].map(([value, name]) => ({ ...name, value }))
  }

  /** Returns the placeholder of a finding's value. Assigns a placeholder if the value does not have one. */
  of(finding: Finding): Pick<PlaceholderUse, 'placeholder' | 'category'> {
    const name = this.names.get(finding.value)
    if (name) return name
    this.add(finding)
    return this.names.get(finding.value)!
  }
}
