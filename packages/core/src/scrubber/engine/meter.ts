/** Work in slices: a generator of it yields where a slice is over, and a host may let its event loop turn there. */
export type Steps<T> = Generator<void, T, void>

/** Characters read between two yields: some milliseconds of ordinary text, and of the worst a few tens. */
const SLICE = 16_384

/** Counts the characters that were read, and says when a slice is over. One for each call of the scrubber. */
export class Meter {
  private left = SLICE

  /** True where the caller must yield. */
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
