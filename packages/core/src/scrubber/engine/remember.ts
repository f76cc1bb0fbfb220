/** The results for longer words are not stored, because such words are rare. */
const LONGEST = 120
/** V8 copies shorter parts of a text. A longer part refers to the whole text, and would keep it in memory. */
const LEAST_SLICE = 13
/** The maximum number of stored words. If there are more, all stored words are removed first. */
const MOST = 4000

/**
 * Returns a function that stores the results of a pure function of a word, because texts repeat a few names and fields.
 * @param isKept returns whether the result for a word may be stored. Default: for all words of up to 120 characters.
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
