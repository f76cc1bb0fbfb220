import type { Client } from '@libsql/client'
import type { Stores } from '@tributary/core'
import { checkOptionNames } from '@tributary/core/adapter'
import { lazyLibsqlStores, remoteConfig, type SqlClient } from '@tributary/core/libsql-lazy'

export interface TursoOptions {
  /** `libsql://name-organisation.turso.io`, or `https://` of any libSQL server. */
  readonly url: string
  readonly authToken?: string
}

/**
 * Makes every store over a remote libSQL database, over HTTP only and without a native module. A deployment, not a
 * function, updates the schema by `tributary migrate`. A batch is one round trip; nothing is sent before the first
 * statement. A statement or batch without an answer within 5 seconds throws `Unavailable`.
 *
 * ```ts
 * const stores = tursoStores({ url: process.env['TURSO_URL']!, authToken: process.env['TURSO_TOKEN']! })
 * ```
 */
export function tursoStores(options: TursoOptions): Stores {
  return lazyLibsqlStores(tursoClient(options))
}

/**
 * Makes the client that `tursoStores` uses, for an app that runs the migrations itself. libSQL's build for the web is
 * loaded with the first statement, because a cold start may answer without running any statement. Throws when `url` is
 * not the URL of a libSQL server.
 */
export function tursoClient(options: TursoOptions): SqlClient {
  checkOptionNames(options, { url: true, authToken: true })
  const { url, authToken } = options
  if (!/^(?:libsql|https?):\/\//i.test(url))
    throw new Error('tursoClient: url must begin with libsql://, https:// or http://')
  let made: Promise<Client> | null = null
  let closed = false
  const open = (): Promise<Client> =>
    (made ??= Promise.all([import('@libsql/client/web'), import('./fetch.ts')]).then(
      ([{ createClient }, { createNodeFetch }]) =>
        createClient(remoteConfig({ url, authToken, fetch: createNodeFetch() })),
    ))
  const openClient = async (): Promise<SqlClient> => {
    const client = await open()
    if (closed) client.close()
    return client as unknown as SqlClient
  }
  return {
    execute: async (statement) => (await openClient()).execute(statement),
    batch: async (statements, mode) => (await openClient()).batch(statements, mode),
    close() {
      closed = true
      void made?.then((client) => client.close())
    },
  }
}
