import type { Capability } from '../http/match.ts'
import type { Wiring } from '../service/wiring.ts'

export const wireBrowserScripts = ({ options }: Wiring): Capability => ({
  name: 'scripts',
  paths: ['/assets/charts.js', '/assets/campaign-preview.js', '/assets/passkeys.js', '/assets/page.js'],
  load: async () => (await import('./handlers.ts')).mountBrowserScripts(options.capabilities),
})
