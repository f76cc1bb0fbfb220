import type { Blobs } from '../ports.ts'
import { jobView, partKey, putKey } from './rules.ts'
import type { IngestStore } from './store.ts'

interface IngestAccountDeps {
  readonly store: IngestStore
  readonly blobs: Blobs
}

interface Owner {
  readonly ownerId: string
}

/**
 * Returns the functions that export and erase a person's ingest data, for the export and the deletion of the account.
 */
export function ingestAccount(deps: IngestAccountDeps) {
  return {
    async *export({ ownerId }: Owner): AsyncGenerator<unknown> {
      for await (const { outcomes, ...job } of deps.store.exportJobs({ ownerId })) yield { ...jobView(job), outcomes }
    },
    erase: ({ ownerId }: Owner): Promise<boolean> => eraseIngest(deps, ownerId),
  }
}

/**
 * Erases some of a person's jobs and uploads, with their waiting blobs. Returns true when there may be more. The sweep
 * deletes blobs that remain after a crash.
 */
async function eraseIngest({ store, blobs }: IngestAccountDeps, ownerId: string): Promise<boolean> {
  const { jobs, uploads, hasMore } = await store.eraseJobs({ ownerId })
  for (const { id, parts } of jobs) for (let part = 0; part < parts; part++) await blobs.delete(partKey(id, part))
  for (const id of uploads) await blobs.delete(putKey(id))
  return hasMore
}
