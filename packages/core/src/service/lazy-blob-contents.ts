import { lazy, lazyIterables, lazyMethods } from '../lazy.ts'
import type { BlobContents, BlobContentsDeps } from './blob-contents.ts'

/**
 * Works like `createBlobContents`, which is loaded with the first content that is read, stored or deleted. This
 * function is needed for every value of the option `contents`, because the content in a blob must be readable and
 * deletable even after the option was set back to `database`.
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
      traces: {
        ...stores.traces,
        ...lazyMethods(loadTraces, ['readTrace', 'deleteUnsoldTraces', 'eraseTraces']),
        ...lazyIterables(loadTraces, ['exportTraces']),
      },
      dataset: {
        ...stores.dataset,
        ...lazyMethods(async () => (await loadStores()).dataset, ['readSellableTraces', 'readSoldTraces']),
      },
      copies: {
        ...stores.copies,
        ...lazyMethods(async () => (await loadStores()).copies, ['readMessages']),
      },
      ingest: {
        ...stores.ingest,
        ...lazyMethods(async () => (await loadStores()).ingest, ['writeBatch']),
      },
      rescrub: {
        ...stores.rescrub,
        ...lazyMethods(async () => (await loadStores()).rescrub, ['storeRescrubbed']),
      },
    },
  }
}
