import type { Capability } from '../http/match.ts'

export const wireBrowserScripts = (): Capability => ({
  name: 'scripts',
  paths: ['/assets/charts.js', '/assets/campaign-preview.js', '/assets/passkeys.js', '/assets/page.js'],
  load: async () => (await import('./handlers.ts')).mountBrowserScripts(),
})
