/** Longer words come seldom, and are read each time. */
const LONGEST = 120
/** V8 copies shorter parts of a text; a longer one is a slice, which would keep all of the text in memory. */
const LEAST_SLICE = 13
/** All are forgotten when there are more. */
const MOST = 4000

/**
 * Remembers what a pure function says of a word, since few names and fields are in most places.
 * @param isKept which words may be remembered. Default: all of up to 120 characters.
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
