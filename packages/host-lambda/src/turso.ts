import type { Stores } from '@tributary/core'
import { libsqlStores, type SqlClient } from '@tributary/core/libsql'
import { remoteClient, type RemoteOptions } from './remote.ts'

export type { RemoteOptions as TursoOptions } from './remote.ts'

/**
 * Every store over a remote libSQL database, by HTTP alone: no native module. `tributary migrate` brings its schema up to
 * date, from a deployment and not from a function. A batch is one round trip; nothing is sent before the first statement.
 *
 * ```ts
 * const stores = tursoStores({ url: process.env['TURSO_URL']!, authToken: process.env['TURSO_TOKEN']! })
 * ```
 */
export function tursoStores(options: RemoteOptions): Stores {
  return libsqlStores(tursoClient(options))
}

/** The client below it, for those who migrate by themselves. */
export function tursoClient(options: RemoteOptions): SqlClient {
  return remoteClient(options)
}
