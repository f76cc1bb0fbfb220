import type { Capability } from '../http/match.ts'
import { createIdempotency } from '../http/idempotency.ts'
import type { Wiring } from '../service/wiring.ts'
import type { mountOperatorPage } from './sections.ts'

export const wireOverview = ({ options }: Wiring): Capability => ({
  name: 'overview',
  paths: ['/api/admin/overview'],
  load: async () => (await import('./overview/handlers.ts')).mountOverview({ store: options.stores.overview }),
})

/** Wires the operator's pages, which act on every capability. */
export const wireAdmin = (
  { options, operator }: Wiring,
  loadDeps: () => Promise<Parameters<typeof mountOperatorPage>[1]>,
): Capability => ({
  name: 'admin',
  paths: ['/admin'],
  load: async () =>
    (await import('./sections.ts')).mountOperatorPage(
      {
        ...options,
        signedIn: operator.signedIn,
        idempotency: createIdempotency({ ...options, store: options.stores.idempotency }),
      },
      await loadDeps(),
    ),
})
