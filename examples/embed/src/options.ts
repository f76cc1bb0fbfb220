import { createClient } from '@libsql/client'
import type { ServiceOptions, Stores } from '@tributary/core'
import { libsqlStores, migrate } from '@tributary/core/libsql'
import { readPerson } from './signin.ts'

/**
 * Opens a libSQL database in memory, which is lost when the process ends. A deployed app opens a file or a remote
 * database.
 */
export async function openStores(): Promise<Stores> {
  const client = createClient({ url: ':memory:' })
  await migrate(client)
  return libsqlStores(client)
}

/**
 * Returns the options that the examples of every framework share: the app's sign-in, the country of uploads, and an
 * operator. A deployed app takes its tokens from the environment.
 */
export function embeddedOptions(baseUrl: string, stores: Stores): ServiceOptions {
  return {
    baseUrl: `${baseUrl}/tributary`,
    stores,
    identity: ({ headers }) => readPerson(headers['cookie']),
    signInUrl: `${baseUrl}/login`,
    country: () => 'US',
    approval: 'automatic',
    adminToken: 'operator-token-of-the-example',
    secret: 'secret-of-the-example',
  }
}
