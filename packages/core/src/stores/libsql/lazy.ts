import { lazy, lazyIterables, lazyMethods } from '../../lazy.ts'
import { checkOptionNames } from '../../option-names.ts'
import type { Stores } from '../../stores.ts'
import { withBackend } from '../backend.ts'
import { returnsIterable, returnsPromise, storeMethods, type MethodKind, type StorePort } from '../ports.ts'
import type { SqlClient } from './client.ts'
import type { TableOptions } from './database.ts'

export type { SqlClient, SqlResult, SqlRow, SqlStatement, SqlValue } from './client.ts'
export type { TableOptions } from './database.ts'
export { remoteConfig, type RemoteOptions } from './remote.ts'

/**
 * Creates every store of `libsqlStores`. The first call of any of them loads all of them and drizzle, so that a function
 * or a Worker is ready for its first request without them. A process that stays takes `libsqlStores`.
 *
 * ```ts
 * const client = createClient(remoteConfig({ url: 'libsql://db.example.com', fetch }))
 * const service = createService({ baseUrl: 'https://api.example.com', stores: lazyLibsqlStores(client) })
 * ```
 */
export function lazyLibsqlStores(client: SqlClient, options: TableOptions = {}): Stores {
  checkOptionNames(options, { tablePrefix: true })
  const load = lazy(async () => (await import('./stores.ts')).libsqlStores(client, options))
  const methodsOf = (port: StorePort): object => {
    const loadPort = async (): Promise<object> => (await load())[port]
    const listNames = (kind: MethodKind): never[] =>
      Object.entries(storeMethods[port]).flatMap(([name, one]) => (one === kind ? [name as never] : []))
    return {
      ...lazyMethods(loadPort, listNames(returnsPromise)),
      ...lazyIterables(loadPort, listNames(returnsIterable)),
    }
  }
  const ports = (Object.keys(storeMethods) as StorePort[]).map((port) => [port, methodsOf(port)])
  const stores = { ...Object.fromEntries(ports), ready: async () => (await load()).ready() } as Stores
  return withBackend('libsqlStores', client, stores, options.tablePrefix)
}
