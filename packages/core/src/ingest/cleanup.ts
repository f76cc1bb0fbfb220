import type { Blobs } from '../ports.ts'
import { lastOf } from '../lists.ts'
import { failedKeptMs, orphanMs } from './rules.ts'
import type { IngestStore } from './store.ts'

const page = 100
/** The sweep starts after the keys of trace contents, because `ContentStore` tracks these contents. */
const afterContents = 'content0'

/**
 * Deletes raw uploads that are no longer needed. Such an upload belongs to a `POST /api/ingest` that crashed before it
 * added its job, to a job that failed more than a day ago, or to an upload URL that no `POST /api/ingest` named.
 * Several workers may run this function concurrently and at any time.
 */
export async function cleanUpUploads(
  { store, blobs }: { readonly store: IngestStore; readonly blobs: Blobs },
  now: number,
): Promise<void> {
  await store.deleteExpiredUploads({ expiredBefore: now - orphanMs })
  for (let after = afterContents; ;) {
    const keys = await blobs.stale(now - orphanMs, page, after)
    if (keys.length === 0) return
    after = lastOf(keys)
    const jobs = new Set(keys.flatMap((key) => readJobId(key) ?? []))
    const needed = new Set(await store.listJobsNeedingUpload({ jobIds: [...jobs], failedSince: now - failedKeptMs }))
    for (const key of keys) {
      const job = readJobId(key)
      // Batches that were sent to an upload URL and prepared exports expire before they reach this age.
      if (key.startsWith('put/') || key.startsWith('export/') || (job !== null && !needed.has(job)))
        await blobs.delete(key)
    }
  }
}

function readJobId(key: string): string | null {
  return /^upload\/([0-9a-f-]{36})\/\d+$/.exec(key)?.[1] ?? null
}
