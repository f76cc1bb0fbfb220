import { lazy, lazyMethods } from '../lazy.ts'
import type { BlobContents, BlobContentsDeps } from './blob-contents.ts'
import { replaceMethods } from './replace-methods.ts'

/**
 * Works like `createBlobContents`, which is loaded with the first content that is read, stored or deleted. It is needed
 * with every value of the option: a content in a blob must also be read and deleted after `contents` was set back to
 * `database`.
 */
export function lazyBlobContents(deps: BlobContentsDeps): Pick<BlobContents, 'stores' | 'deleteReleasedBlobs'> {
  const load = lazy(async () => (await import('./blob-contents.ts')).createBlobContents(deps))
  const loadStores = async () => (await load()).stores
  const loadTraces = async () => (await loadStores()).traces
  const { stores } = deps
  return {
    deleteReleasedBlobs: async (now) => (await load()).deleteReleasedBlobs(now),
    stores: {
      ...stores,
      ready: () => stores.ready(),
      traces: replaceMethods(stores.traces, {
        ...lazyMethods(loadTraces, ['readTrace', 'deleteUnsoldTraces', 'eraseTraces']),
        async *exportTraces(params) {
          yield* (await loadTraces()).exportTraces(params)
        },
      }),
      dataset: replaceMethods(
        stores.dataset,
        lazyMethods(async () => (await loadStores()).dataset, ['readSellableTraces', 'readSoldTraces']),
      ),
      copies: replaceMethods(
        stores.copies,
        lazyMethods(async () => (await loadStores()).copies, ['readMessages']),
      ),
      ingest: replaceMethods(
        stores.ingest,
        lazyMethods(async () => (await loadStores()).ingest, ['writeBatch']),
      ),
      rescrub: replaceMethods(
        stores.rescrub,
        lazyMethods(async () => (await loadStores()).rescrub, ['storeRescrubbed']),
      ),
    },
  }
}
