import type { ServiceOptions } from '@tributary/core'
import { memoryStores } from '@tributary/core/memory'
import { readPerson } from './signin.ts'

/**
 * Returns the options that the examples of every framework share: the app's sign-in, the country of uploads, and an
 * operator. A deployed app takes `libsqlStores(client)` in place of `memoryStores()`, and its tokens from the
 * environment.
 */
export function embeddedOptions(baseUrl: string): ServiceOptions {
  return {
    baseUrl: `${baseUrl}/tributary`,
    stores: memoryStores(),
    identity: ({ headers }) => readPerson(headers['cookie']),
    signInUrl: `${baseUrl}/login`,
    country: () => 'US',
    approval: 'automatic',
    adminToken: 'operator-token-of-the-example',
    secret: 'secret-of-the-example',
  }
}
