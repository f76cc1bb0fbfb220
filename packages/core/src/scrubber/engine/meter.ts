/** Work in steps. The generator yields at the end of each slice, so that a host can run its event loop. */
export type Steps<T> = Generator<void, T, void>

/**
 * The number of characters between two yields. Reading them takes a few milliseconds for ordinary text, and a few tens
 * of milliseconds for the worst text.
 */
const SLICE = 16_384

/** Counts read characters, and reports the end of each slice. Each call of the scrubber has its own meter. */
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

/** Runs all steps without pauses, and returns the result. */
export function drain<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
