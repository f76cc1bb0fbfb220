import type { Capability } from '../http/match.ts'
import type { Wiring } from '../service/wiring.ts'

export const wireAudit = ({ options }: Wiring): Capability => ({
  name: 'audit log',
  paths: ['/api/admin/audit'],
  load: async () => (await import('./handlers.ts')).mountAudit({ store: options.stores.audit }),
})
