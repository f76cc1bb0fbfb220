/** The minimum length of a stored text. Searching a shorter text takes less time than a look-up. */
const LEAST = 256
const LONGEST = 65_536
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
    return text.length >= LEAST && text.length <= LONGEST && this.texts.has(text)
  }

  /** Stores a text at its second occurrence. If there are too many texts, the oldest texts are removed. */
  add(text: string): void {
    if (text.length < LEAST || text.length > LONGEST) return
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
