import type { RateLimiter } from './ports.ts'

/** Every store a service stands on, one field a port. `memoryStores()` and `libsqlStores(client)` make them. */
export interface Stores {
  readonly limiter: RateLimiter
  /** Resolves when the store answers; throws `Unavailable` when it does not. */
  ready(): Promise<void>
}
