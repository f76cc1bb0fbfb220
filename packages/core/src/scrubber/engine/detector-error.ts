/**
 * Thrown when an asynchronous detector throws, exceeds its time limit or returns an invalid result. The texts must not
 * be stored then, because they may contain personal data.
 */
export class DetectorError extends Error {
  override readonly name = 'DetectorError'

  /** Compares the name, because an app may load two copies of this package, which have different classes. */
  static is(error: unknown): error is DetectorError {
    return error instanceof Error && error.name === 'DetectorError'
  }
}

/** The maximum and the default of `limitMs` of an asynchronous detector, in milliseconds. */
export const maxLimitMs = 20_000
