import type { Stores } from '../stores.ts'

/** The database behind each port of `memoryStores` and `libsqlStores`: its name, and an object that stands for it. */
const backends = new WeakMap<object, { readonly name: string; readonly database: object }>()

/** Remembers which database the ports of `stores` use, and with which prefix of its tables; returns them. */
export function withBackend(maker: string, database: object, stores: Stores, tablePrefix = ''): Stores {
  const name = tablePrefix ? `${maker} with the tablePrefix ${tablePrefix}` : maker
  for (const port of Object.values(stores)) if (typeof port === 'object') backends.set(port, { name, database })
  return stores
}

/** These keep nothing that another port reads, so that they may be anywhere. */
const independentPorts: ReadonlySet<string> = new Set(['limiter', 'blobs'])

/**
 * Throws when ports of different databases are mixed: each would find nothing of what the others keep, and every call
 * would be answered as if nobody were signed in. Ports of an app's own are not checked.
 */
export function checkOneDatabase(stores: Stores): void {
  let first: { readonly port: string; readonly name: string; readonly database: object } | null = null
  for (const [port, store] of Object.entries(stores) as [string, object][]) {
    const backend = independentPorts.has(port) ? undefined : backends.get(store)
    if (!backend) continue
    first ??= { port, ...backend }
    if (first.database !== backend.database || first.name !== backend.name)
      throw new Error(
        `stores of different databases are mixed: ${first.port} is of ${first.name}, ${port} is of ${backend.name}` +
          `${first.name === backend.name ? ' too, but of another one' : ''}; take all of one, such as libsqlStores(client)`,
      )
  }
}
