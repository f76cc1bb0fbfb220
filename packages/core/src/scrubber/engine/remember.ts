import type { Finding } from './rule.ts'

/** Longer words come seldom, and are read each time. */
const LONGEST = 48
/** V8 copies shorter parts of a text; a longer one is a slice, which would keep all of the text in memory. */
const LEAST_SLICE = 13
/** All are forgotten when there are more. */
const MOST = 4000

/**
 * Remembers what a pure function says of a word, since few names and fields stand in most places.
 * @param isKept which words may be remembered. Default: all of up to 48 characters.
 */
export function rememberWords<T>(read: (word: string) => T, isKept: (word: string) => boolean = () => true) {
  const words = new Map<string, T>()
  return (word: string): T => {
    const known = words.get(word)
    if (known !== undefined || words.has(word)) return known as T
    if (word.length > LONGEST || !isKept(word)) return read(word)
    const copy = word.length < LEAST_SLICE ? word : word.split('').join('')
    const value = read(copy)
    if (words.size === MOST) words.clear()
    words.set(copy, value)
    return value
  }
}

/** On the list of findings of one scan: what was read of the words of each rule. */
const WORDS = Symbol('words')

/**
 * Remembers what a pure function says of a word of one rule until the scan ends, since a name that stands in a text
 * stands there often. What a person wrote is not kept for longer.
 */
export function readOnce<T>(
  found: readonly Finding[] & { [WORDS]?: Map<object, Map<string, unknown>> },
  rule: object,
  word: string,
  read: (word: string) => T,
): T {
  const byRule = (found[WORDS] ??= new Map())
  let words = byRule.get(rule)
  if (!words) byRule.set(rule, (words = new Map()))
  let value = words.get(word)
  if (value === undefined) {
    if (words.size === MOST) words.clear()
    words.set(word, (value = read(word)))
  }
  return value as T
}
