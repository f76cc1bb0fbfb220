import type { RateLimiter } from './ports.ts'
import type { SessionStore } from './sessions/store.ts'
import type { TraceStore } from './traces/store.ts'

/** Every store a service stands on, one field a port. `memoryStores()` and `libsqlStores(client)` make them. */
export interface Stores {
  readonly limiter: RateLimiter
  readonly sessions: SessionStore
  readonly traces: TraceStore
  /** Resolves when the store answers; throws `Unavailable` when it does not. */
  ready(): Promise<void>
}
