import { jobView } from './rules.ts'
import { eraseIngest, type IngestDeps } from './handlers.ts'

/** The part of a person's account that is kept here, for its export and its erasure. */
export function ingestAccount(deps: Pick<IngestDeps, 'store' | 'blobs'>) {
  return {
    async *export(ownerId: string): AsyncGenerator<unknown> {
      for await (const { outcomes, ...job } of deps.store.export(ownerId)) yield { ...jobView(job), outcomes }
    },
    erase: (ownerId: string): Promise<void> => eraseIngest(deps, ownerId),
  }
}
