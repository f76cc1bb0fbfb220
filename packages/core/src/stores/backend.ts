import type { Stores } from '../stores.ts'

/** The database of a port: a name for error messages, and the object that identifies the database. */
export interface Backend {
  readonly name: string
  readonly database: object
}

/**
 * The key under which a port stores its `Backend`. `{ ...port, method }` copies the key too, and another copy of this
 * package uses the same key.
 */
const backendKey = Symbol.for('tributary.backend')

/**
 * Marks the ports of `stores` with the database that they use, and with the prefix of its tables. Returns the ports.
 * Call it with all ports of your own stores, so that a service refuses them together with ports of another database.
 *
 * ```ts
 * return withBackend('postgresStores', pool, { ...ports })
 * ```
 */
export function withBackend<S extends Partial<Stores>>(
  maker: string,
  database: object,
  stores: S,
  tablePrefix = '',
): S {
  const backend: Backend = { name: tablePrefix ? `${maker} with the tablePrefix ${tablePrefix}` : maker, database }
  for (const port of Object.values(stores)) if (typeof port === 'object') Reflect.set(port, backendKey, backend)
  return stores
}

/** The other ports do not read the data of these ports, so the data may be in any database. */
const independentPorts: ReadonlySet<string> = new Set(['limiter', 'blobs'])

/**
 * Throws when ports of different databases are mixed. Such ports would not find each other's data, and every caller
 * would seem to be signed out. A port without a mark counts as a port of an unknown database.
 */
export function checkOneDatabase(stores: Stores): void {
  const ports = Object.entries(stores).filter(([port]) => port !== 'ready' && !independentPorts.has(port))
  const backends = ports.map(([port, store]) => ({ port, backend: readBackend(store as object) }))
  const first = backends.find(({ backend }) => backend !== undefined)
  if (!first?.backend) return
  for (const { port, backend } of backends) {
    if (isSame(first.backend, backend)) continue
    const [one, other] = backends[0]?.port === port ? [{ port, backend }, first] : [first, { port, backend }]
    throw new Error(
      `stores of different databases are mixed: ${describe(one)}, ${describe(other)}` +
        `${one.backend?.name === other.backend?.name ? ' too, but a different one' : ''}; ` +
        'take all stores of one database, such as libsqlStores(client)' +
        (one.backend && other.backend ? '' : ', and mark your own stores with withBackend of @tributary/core/stores'),
    )
  }
}

const readBackend = (store: object): Backend | undefined => Reflect.get(store, backendKey) as Backend | undefined

const isSame = (one: Backend, other: Backend | undefined): boolean =>
  one.database === other?.database && one.name === other.name

const describe = ({ port, backend }: { readonly port: string; readonly backend: Backend | undefined }): string =>
  `${port} is of ${backend?.name ?? 'a database that it does not name'}`
