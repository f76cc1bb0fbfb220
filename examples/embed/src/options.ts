import type { ServiceOptions } from '@tributary/core'
import { memoryStores } from '@tributary/core/memory'
import { personOf } from './signin.ts'

/**
 * What the examples of every framework give the service: the app's sign-in, where uploads may come from, and an operator. An app that
 * stays takes `libsqlStores(client)` in place of `memoryStores()`, and its tokens from the environment.
 */
export function embeddedOptions(baseUrl: string): ServiceOptions {
  return {
    baseUrl: `${baseUrl}/tributary`,
    stores: memoryStores(),
    identity: ({ headers }) => personOf(headers['cookie']),
    signInUrl: `${baseUrl}/login`,
    country: () => 'US',
    approval: 'automatic',
    adminToken: 'operator-token-of-the-example',
    secret: 'secret-of-the-example',
  }
}
