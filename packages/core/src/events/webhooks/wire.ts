import type { Capability } from '../../http/match.ts'
import type { Wiring } from '../../service/wiring.ts'
import type { WebhooksDeps } from './handlers.ts'

export const webhooksDeps = ({ options }: Wiring): WebhooksDeps => ({
  ...options,
  ...options.webhooks,
  store: options.stores.webhooks,
})

export const wireWebhooks = (wiring: Wiring): Capability => ({
  name: 'webhooks',
  paths: ['/api/admin/webhooks'],
  load: async () => (await import('./handlers.ts')).mountWebhooks(webhooksDeps(wiring)),
})
