import { createClient } from '@libsql/client/http'
import type { Stores } from '@tributary/core'
import { libsqlStores, type SqlClient } from '@tributary/core/libsql'

export interface TursoOptions {
  /** `libsql://name-organisation.turso.io`, or `https://` of any libSQL server. */
  readonly url: string
  readonly authToken?: string
}

/**
 * Every store over a remote libSQL database, by HTTP alone: no native module. `tributary migrate` brings its schema up to
 * date, from a deployment and not from a function. A batch is one round trip; nothing is sent before the first statement.
 *
 * ```ts
 * const stores = tursoStores({ url: process.env['TURSO_URL']!, authToken: process.env['TURSO_TOKEN']! })
 * ```
 */
export function tursoStores(options: TursoOptions): Stores {
  return libsqlStores(tursoClient(options))
}

/** The client below it, for those who migrate by themselves. */
export function tursoClient({ url, authToken }: TursoOptions): SqlClient {
  return createClient({ url, ...(authToken === undefined ? {} : { authToken }) }) as unknown as SqlClient
}
