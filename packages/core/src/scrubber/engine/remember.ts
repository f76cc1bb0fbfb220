/** The results for longer words are not stored, because such words are rare. */
const LONGEST_WORD = 120
/** V8 copies shorter parts of a text. A longer part refers to the whole text, and would keep it in memory. */
const LEAST_SLICE = 13
/** The maximum number of stored words. If there are more, all stored words are removed first. */
const MOST_WORDS = 4000

/**
 * Returns a function that stores the results of a pure function of a word, because texts repeat a few names and fields.
 * @param isKept returns whether the result for a word may be stored. Default: for all words of up to 120 characters.
 */
export function rememberWords<T>(read: (word: string) => T, isKept: (word: string) => boolean = () => true) {
  const words = new Map<string, T>()
  return (word: string): T => {
    const known = words.get(word)
    if (known !== undefined || words.has(word)) return known as T
    if (word.length > LONGEST_WORD || !isKept(word)) return read(word)
    const copy = word.length < LEAST_SLICE ? word : word.split('').join('')
    const value = read(copy)
    if (words.size === MOST_WORDS) words.clear()
    words.set(copy, value)
    return value
  }
}

/** The minimum length of a stored text. Searching a shorter text takes less time than a look-up. */
const LEAST_TEXT = 256
const LONGEST_TEXT = 65_536
/** The maximum number of characters of all stored texts together. */
const MOST_CHARS = 1_000_000
const MOST_SEEN = 8192
const SAMPLES = 32

/**
 * Stores texts without findings that occurred at least twice, such as the instructions at the beginning of every
 * conversation, so that they are not searched again. A text with findings is never stored.
 */
export class CleanTexts {
  private readonly texts = new Set<string>()
  private chars = 0
  /** The texts that occurred once, each as a hash of a few of its characters. */
  private readonly seen = new Set<number>()

  has(text: string): boolean {
    return text.length >= LEAST_TEXT && text.length <= LONGEST_TEXT && this.texts.has(text)
  }

  /** Stores a text at its second occurrence. If there are too many texts, the oldest texts are removed. */
  add(text: string): void {
    if (text.length < LEAST_TEXT || text.length > LONGEST_TEXT) return
    const sample = sampleOf(text)
    if (!this.seen.has(sample)) {
      if (this.seen.size === MOST_SEEN) this.seen.clear()
      this.seen.add(sample)
      return
    }
    this.texts.add(text)
    this.chars += text.length
    for (const oldest of this.texts) {
      if (this.chars <= MOST_CHARS) return
      this.texts.delete(oldest)
      this.chars -= oldest.length
    }
  }
}

function sampleOf(text: string): number {
  let sum = text.length
  for (let i = 0; i < SAMPLES; i++)
    sum = (Math.imul(sum, 31) + text.charCodeAt(Math.floor((i * text.length) / SAMPLES))) | 0
  return sum
}
