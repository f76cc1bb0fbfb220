import type { Capability } from '../http/match.ts'
import { firstOf } from '../lists.ts'
import type { Wiring } from '../service/wiring.ts'
import type { AuthDeps } from './handlers.ts'

/**
 * The categories of redactions that are not applied to the label of a device: only its owner and the operator see the
 * label.
 */
const namesOfDevices: ReadonlySet<string> = new Set(['host_name', 'person', 'user_name', 'account_name'])

export function authDeps({ options, operator, people, authenticator, hmacCode }: Wiring): AuthDeps {
  return {
    ...options,
    operator,
    progress: people.progress,
    store: options.stores.auth,
    outbox: options.stores.outbox,
    forgetCredential: authenticator.forgetCredential,
    hmacCode,
    mailer: options.identity ? null : options.mailer, // An app's own sign-in replaces sign-in by e-mail.
    async scrub(text) {
      const result = (await options.scrubber()).scrub([text], { skipAsyncDetectors: true })
      if (!result.ok) return 'unnamed machine'
      // People tell their devices apart by names: "Ann's laptop", or a host name.
      const hasNamesOnly = Object.keys(result.counts).every((category) => namesOfDevices.has(category))
      return hasNamesOnly ? text : firstOf(result.texts)
    },
  }
}

export const wireAuth = (wiring: Wiring): Capability[] => [
  {
    name: 'session',
    paths: ['/api/cli/session'],
    load: async () => (await import('./session/handlers.ts')).mountSession(),
  },
  {
    name: 'auth',
    paths: [
      '/api/auth',
      '/api/account/machines',
      '/sign-in',
      '/sign-out',
      '/admin/sign-in',
      '/admin/sign-out',
      '/assets',
    ],
    load: async () => (await import('./handlers.ts')).mountAuth(authDeps(wiring)),
  },
  {
    name: 'device authorization',
    paths: ['/api/cli/device', '/device'],
    load: async () => (await import('./device.ts')).mountDeviceAuthorization(authDeps(wiring)),
  },
  {
    name: 'oauth',
    paths: ['/oauth', '/.well-known/oauth-authorization-server', '/.well-known/oauth-protected-resource'],
    load: async () => (await import('./oauth/handlers.ts')).mountOAuth(authDeps(wiring)),
  },
]
