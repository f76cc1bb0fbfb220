import type { Capability } from '../../http/match.ts'
import type { Wiring } from '../../service/wiring.ts'
import type { PasskeysDeps } from './handlers.ts'

export const passkeysDeps = ({ options, operator }: Wiring): PasskeysDeps => ({
  ...options,
  operator,
  store: options.stores.auth,
})

export const wirePasskeys = (wiring: Wiring): Capability => ({
  name: 'passkeys',
  paths: ['/admin/keys/challenge', '/admin/keys/sign_in'],
  load: async () => (await import('./handlers.ts')).mountPasskeys(passkeysDeps(wiring)),
})
