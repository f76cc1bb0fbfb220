/** Work in steps: the generator yields at the end of each slice, and a host may run its event loop there. */
export type Steps<T> = Generator<void, T, void>

/**
 * The number of characters between two yields. Reading them takes a few milliseconds for ordinary text, and a few tens
 * of milliseconds for the worst text.
 */
const SLICE = 16_384

/**
 * Counts the characters that were read, and reports the end of each slice. Each call of the scrubber has its own meter.
 */
export class Meter {
  private left = SLICE

  /** Returns true if the caller must yield. */
  spend(chars: number): boolean {
    this.left -= chars
    if (this.left > 0) return false
    this.left = SLICE
    return true
  }
}

/** Runs all steps at once. */
export function drain<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
