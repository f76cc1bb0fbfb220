import type { Capability } from '../http/match.ts'
import type { Wiring } from '../service/wiring.ts'

export const wireOutbox = ({ options }: Wiring): Capability => ({
  name: 'outbox',
  paths: ['/api/admin/outbox'],
  load: async () => (await import('./handlers.ts')).mountOutbox({ outbox: options.stores.outbox }),
})
