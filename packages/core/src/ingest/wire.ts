import type { Capability } from '../http/match.ts'
import type { Wiring } from '../service/wiring.ts'
import type { IngestDeps } from './handlers.ts'
import { createWaitingWarning } from './waiting.ts'

export const ingestDeps = ({ options, people }: Wiring): IngestDeps => ({
  ...options,
  store: options.stores.ingest,
  checkUpload: people.checkUpload,
  findCountry: people.findCountry,
  warnOfWaiting: createWaitingWarning(options.logger),
})

export const wireIngest = (wiring: Wiring): Capability => ({
  name: 'ingest',
  paths: ['/api/ingest', '/api/admin/jobs'],
  load: async () => (await import('./handlers.ts')).mountIngest(ingestDeps(wiring)),
})

export const wireJobPages = ({ options, people }: Wiring): Capability => ({
  name: 'job pages',
  paths: ['/jobs'],
  load: async () =>
    (await import('./pages/handlers.ts')).mountJobPages({
      ...options,
      store: options.stores.ingest,
      listTitles: async (params) => {
        const { readableTitles } = await import('../traces/readable-titles.ts')
        return readableTitles(params.ownerId, await options.stores.traces.listTitles(params), options)
      },
      progress: people.progress,
    }),
})
