/**
 * A store, or something a store stands on, does not answer: locked past the wait, read-only, full, unreachable. Dispatch
 * answers 503 `unavailable`; a worker tries again later. The driver's own error is the `cause`.
 */
export class Unavailable extends Error {
  constructor(cause: unknown) {
    super(`the store does not answer: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    this.name = 'Unavailable'
  }

  /** Told by name, since an app may hold two copies of this package, and through wrappers, since drizzle wraps. */
  static is(error: unknown): error is Unavailable {
    for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++)
      if (at.name === 'Unavailable') return true
    return false
  }
}
