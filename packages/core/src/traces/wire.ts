import type { Capability } from '../http/match.ts'
import type { Wiring } from '../service/wiring.ts'
import type { BuyersDeps } from './buyers/handlers.ts'
import type { DatasetDeps } from './dataset/handlers.ts'
import type { TracesDeps } from './handlers.ts'
import type { TracePagesDeps } from './pages/handlers.ts'

const tracesDeps = ({ options, hmacCode }: Wiring): Omit<TracesDeps, 'downloads' | 'downloadQueue'> => ({
  ...options,
  traces: options.stores.traces,
  keyed: hmacCode,
})

export const wireTraces = (wiring: Wiring): Capability => ({
  name: 'traces',
  paths: ['/api/traces'],
  async load() {
    const [{ mountTraces }, { createDownloadQueue, inlineDownloads }] = await Promise.all([
      import('./handlers.ts'),
      import('./download.ts'),
    ])
    const deps = tracesDeps(wiring)
    const downloads = wiring.options.downloads ?? inlineDownloads(deps)
    return mountTraces({ ...deps, downloads, downloadQueue: createDownloadQueue(wiring.options) })
  },
})

const tracePagesDeps = (wiring: Wiring): TracePagesDeps => {
  const { options, people } = wiring
  return {
    ...options,
    ...tracesDeps(wiring),
    progress: people.progress,
    waiting: people.waiting,
    hasDevice: people.hasDevice,
    blockTerm: people.blockTerm,
    journey: (ownerId) => people.journey(ownerId, 'upload', undefined),
    jobs: async (ownerId) =>
      (await options.stores.ingest.listJobs({ ownerId, limit: 20 })).filter(
        ({ status }) => status !== 'done' && status !== 'failed',
      ),
  }
}

export const wireTracePages = (wiring: Wiring): Capability => ({
  name: 'trace pages',
  paths: ['/traces'],
  load: async () => (await import('./pages/handlers.ts')).mountTracePages(tracePagesDeps(wiring)),
})

export const datasetDeps = ({ options, operator }: Wiring): DatasetDeps => ({
  ...options,
  dataset: options.stores.dataset,
  traces: options.stores.traces,
  signedIn: operator.signedIn,
  recordRead: (read) => options.stores.audit.recordRead(read),
  computeShares: async (sale) => (await import('../ledger/sale.ts')).sharesOfSale(sale, options),
})

export const wireDataset = (wiring: Wiring): Capability => ({
  name: 'dataset',
  paths: ['/api/admin/sales', '/api/admin/dataset', '/admin/download', '/.well-known/tributary-keys.json'],
  load: async () => (await import('./dataset/handlers.ts')).mountDataset(datasetDeps(wiring)),
})

export const buyersDeps = (wiring: Wiring): BuyersDeps => ({
  ...datasetDeps(wiring),
  ...wiring.options,
  store: wiring.options.stores.buyers,
})

export const wireBuyers = (wiring: Wiring): Capability => ({
  name: 'buyers',
  paths: ['/api/admin/buyers', '/api/admin/removals', '/api/admin/traces', '/api/buyer', '/buyer'],
  load: async () => (await import('./buyers/handlers.ts')).mountBuyers(buyersDeps(wiring)),
})
