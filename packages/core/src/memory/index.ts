import type { Stores } from '../stores.ts'
import { memoryLimiter } from './limiter.ts'
import { memorySessions } from './sessions.ts'
import { MemoryTraces } from './traces.ts'

export { memoryLimiter } from './limiter.ts'
export { memorySessions } from './sessions.ts'
export { MemoryTraces, verdict, type Put } from './traces.ts'

/** Every store in Maps: for tests, and to try things out. All is gone with the process, and one process is all that sees it. */
export function memoryStores(): Stores {
  const traces = new MemoryTraces()
  return {
    limiter: memoryLimiter(),
    sessions: memorySessions(),
    traces,
    async ready() {},
  }
}
