/** The results for longer words are not stored, because such words are rare. */
const LONGEST = 120
/** V8 copies shorter parts of a text. A longer part is a slice, which would keep the whole text in memory. */
const LEAST_SLICE = 13
/** All words are forgotten when there are this many. */
const MOST = 4000

/**
 * Remembers the results of a pure function of a word, because a few names and fields occur in most places.
 * @param isKept returns whether a word may be remembered. Default: all words of up to 120 characters.
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
