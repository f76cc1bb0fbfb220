import { lazy, lazyIterables, lazyMethods } from '../../lazy.ts'
import { checkOptionNames } from '../../option-names.ts'
import type { Stores } from '../../stores.ts'
import { withBackend } from '../backend.ts'
import { divideMethods, storePorts, type StorePort } from '../ports.ts'
import type { SqlClient } from './client.ts'
import type { Database, TableOptions } from './database.ts'

export type { SqlClient, SqlResult, SqlRow, SqlStatement, SqlValue } from './client.ts'
export type { TableOptions } from './database.ts'
export { remoteConfig, type RemoteOptions } from './remote.ts'

/**
 * Creates every store of `libsqlStores`. The first call of a store loads the code of that store and drizzle. A function
 * or a Worker thus loads no store and no drizzle before its first request, and never loads a store that its requests do
 * not use. A long-running process uses `libsqlStores`.
 *
 * ```ts
 * const client = createClient(remoteConfig({ url: 'libsql://db.example.com', fetch }))
 * const service = createService({ baseUrl: 'https://api.example.com', stores: lazyLibsqlStores(client) })
 * ```
 */
export function lazyLibsqlStores(client: SqlClient, options: TableOptions = {}): Stores {
  checkOptionNames(options, { tablePrefix: true })
  const loadDatabase = lazy(() => import('./database.ts'))
  const open = lazy(async () => (await loadDatabase()).openDatabase(client, options))
  const loads: { readonly [Port in StorePort]: () => Promise<(db: Database) => Stores[Port]> } = {
    account: () => import('./account.ts').then((file) => file.libsqlAccount),
    limiter: () => import('./limiter.ts').then((file) => file.libsqlLimiter),
    audit: () => import('./audit.ts').then((file) => file.libsqlAudit),
    overview: () => import('./overview.ts').then((file) => file.libsqlOverview),
    blobs: () => import('./blobs.ts').then((file) => file.libsqlBlobs),
    idempotency: () => import('./idempotency.ts').then((file) => file.libsqlIdempotency),
    ingest: () => import('./ingest.ts').then((file) => file.libsqlIngest),
    outbox: () => import('./outbox.ts').then((file) => file.libsqlOutbox),
    webhooks: () => import('./webhooks.ts').then((file) => file.libsqlWebhooks),
    telemetry: () => import('./telemetry.ts').then((file) => file.libsqlTelemetry),
    reports: () => import('./reports.ts').then((file) => file.libsqlReports),
    auth: () => import('./auth.ts').then((file) => file.libsqlAuth),
    policy: () => import('./policy.ts').then((file) => file.libsqlPolicy),
    contributors: () => import('./contributors.ts').then((file) => file.libsqlContributors),
    blockedTerms: () => import('./blocked-terms.ts').then((file) => file.libsqlBlockedTerms),
    traces: () => import('./traces.ts').then((file) => file.libsqlTraces),
    copies: () => import('./copies.ts').then((file) => file.libsqlCopies),
    dataset: () => import('./dataset.ts').then((file) => file.libsqlDataset),
    buyers: () => import('./buyers.ts').then((file) => file.libsqlBuyers),
    contents: () => import('./contents.ts').then((file) => file.libsqlContents),
    rescrub: () => import('./rescrub.ts').then((file) => file.libsqlRescrub),
    program: () => import('./program.ts').then((file) => file.libsqlProgram),
    ads: () => import('./ads.ts').then((file) => file.libsqlAds),
    ledger: () => import('./ledger.ts').then((file) => file.libsqlLedger),
  }
  const openPort = (port: StorePort): object => {
    const loadPort = lazy<object>(async () => (await loads[port]())(await open()))
    const { promises, iterables } = divideMethods(port)
    return { ...lazyMethods(loadPort, promises as never[]), ...lazyIterables(loadPort, iterables as never[]) }
  }
  const ready = async (): Promise<void> => (await loadDatabase()).checkTables(await open())
  const ports = storePorts.map((port) => [port, openPort(port)])
  const stores = { ...Object.fromEntries(ports), ready } as Stores
  return withBackend('libsqlStores', client, stores, options.tablePrefix)
}
