/** Shorter texts are searched in less time than it takes to look them up. */
const LEAST = 256
const LONGEST = 65_536
/** Characters that are kept at most. */
const MOST_CHARS = 1_000_000
const MOST_SEEN = 8192
const SAMPLES = 32

/**
 * Texts that came at least twice and in which nothing was found, such as the instructions at the beginning of every
 * conversation: they need not be searched again. One in which something was found, or that came once, is never kept.
 */
export class CleanTexts {
  private readonly texts = new Set<string>()
  private chars = 0
  /** The texts that came once, each as a number made of a few of its characters. */
  private readonly seen = new Set<number>()

  has(text: string): boolean {
    return text.length >= LEAST && text.length <= LONGEST && this.texts.has(text)
  }

  /** Adds a text in which nothing was found; keeps it from the second time on, and forgets the oldest ones for it. */
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
