/**
 * Thrown when a store, or a service that it uses, does not answer: locked beyond the timeout, read-only, full,
 * unreachable. Dispatch returns 503 `unavailable`; a worker tries again later. The driver's error is the `cause`.
 */
export class Unavailable extends Error {
  constructor(cause: unknown) {
    super(`the store does not answer: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    this.name = 'Unavailable'
  }

  /**
   * Recognizes the error by name, since an app may load two copies of this package, and in `cause`, since drizzle wraps
   * errors.
   */
  static is(error: unknown): error is Unavailable {
    for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++)
      if (at.name === 'Unavailable') return true
    return false
  }
}
