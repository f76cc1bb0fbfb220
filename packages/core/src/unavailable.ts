/**
 * Thrown when a store, or a service that it uses, does not answer, because the store is locked beyond the timeout,
 * read-only, full or unreachable. Dispatch returns 503; a worker tries again later. The driver's error is the `cause`.
 */
export class Unavailable extends Error {
  /** Whether the store is damaged. If so, later calls fail too, until the operator repairs the store. */
  readonly isDamaged: boolean

  constructor(cause: unknown, { isDamaged = false }: { readonly isDamaged?: boolean } = {}) {
    super(`the store does not answer: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    this.name = 'Unavailable'
    this.isDamaged = isDamaged
  }

  /**
   * Recognizes the error by name, because an app may load two copies of this package. Searches `cause` too, because
   * drizzle wraps errors.
   */
  static is(error: unknown): error is Unavailable {
    return find(error) !== null
  }

  /** Recognizes the error of a damaged store, as `is` does. */
  static isDamaged(error: unknown): boolean {
    return find(error)?.isDamaged === true
  }
}

/** Returns the `Unavailable` among an error and its causes, or null. */
function find(error: unknown): (Error & { readonly isDamaged?: unknown }) | null {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++)
    if (at.name === 'Unavailable') return at
  return null
}
