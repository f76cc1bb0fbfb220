import type { Stores } from '../stores.ts'
import { contributorShelf, memoryContributors } from './contributors.ts'
import { memoryBlobs } from './blobs.ts'
import { memoryIngest } from './ingest.ts'
import { memoryLimiter } from './limiter.ts'
import { memoryPolicy } from './policy.ts'
import { memorySessions } from './sessions.ts'
import { MemoryTraces } from './traces.ts'

export { contributorShelf, memoryContributors, type ContributorShelf } from './contributors.ts'
export { memoryPolicy } from './policy.ts'
export { memoryBlobs } from './blobs.ts'
export { memoryIngest } from './ingest.ts'
export { memoryLimiter } from './limiter.ts'
export { memorySessions } from './sessions.ts'
export { MemoryTraces, verdict, type Put } from './traces.ts'

/** Every store in Maps: for tests, and to try things out. All is gone with the process, and one process is all that sees it. */
export function memoryStores(): Stores {
  const traces = new MemoryTraces()
  const sessions = memorySessions()
  const shelf = contributorShelf(async (id) => (await sessions.account(id)) !== null)
  return {
    limiter: memoryLimiter(),
    blobs: memoryBlobs(),
    ingest: memoryIngest(traces),
    sessions,
    policy: memoryPolicy(shelf),
    contributors: memoryContributors(shelf),
    traces,
    async ready() {},
  }
}
