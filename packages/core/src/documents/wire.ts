import type { Capability } from '../http/match.ts'
import type { Wiring } from '../service/wiring.ts'

export const wireDocuments = ({ options, operator, documents }: Wiring): Capability => ({
  name: 'documents',
  paths: ['/healthz', '/readyz', '/openapi.json', '/docs', '/llms.txt', '/privacy'],
  load: async () =>
    (await import('./handlers.ts')).mountDocuments({
      ...options,
      ...documents,
      signedIn: operator.signedIn,
      ready: () => options.stores.ready(),
    }),
})
