import type { Capability } from '../http/match.ts'
import type { Wiring } from '../service/wiring.ts'

export const wireMcp = ({ options, handle, documents: { routes } }: Wiring): Capability => ({
  name: 'mcp',
  paths: ['/mcp', '/api/docs'],
  load: async () => (await import('./handlers.ts')).mountMcp({ ...options, handle, routes }),
})
