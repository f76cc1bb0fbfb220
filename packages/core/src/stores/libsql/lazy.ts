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
 * Creates every store of `libsqlStores`. The first call of one loads it and drizzle, so that a function or a Worker is
 * ready for its first request without them, and never loads a store that its requests do not use. A process that stays
 * takes `libsqlStores`.
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
  const loads: { readonly [Port in StorePort]: () => Promise<Stores[Port]> } = {
    account: async () => (await import('./account.ts')).libsqlAccount(await open()),
    limiter: async () => (await import('./limiter.ts')).libsqlLimiter(await open()),
    audit: async () => (await import('./audit.ts')).libsqlAudit(await open()),
    overview: async () => (await import('./overview.ts')).libsqlOverview(await open()),
    blobs: async () => (await import('./blobs.ts')).libsqlBlobs(await open()),
    idempotency: async () => (await import('./idempotency.ts')).libsqlIdempotency(await open()),
    ingest: async () => (await import('./ingest.ts')).libsqlIngest(await open()),
    outbox: async () => (await import('./outbox.ts')).libsqlOutbox(await open()),
    webhooks: async () => (await import('./webhooks.ts')).libsqlWebhooks(await open()),
    telemetry: async () => (await import('./telemetry.ts')).libsqlTelemetry(await open()),
    reports: async () => (await import('./reports.ts')).libsqlReports(await open()),
    auth: async () => (await import('./auth.ts')).libsqlAuth(await open()),
    policy: async () => (await import('./policy.ts')).libsqlPolicy(await open()),
    contributors: async () => (await import('./contributors.ts')).libsqlContributors(await open()),
    blockedTerms: async () => (await import('./blocked-terms.ts')).libsqlBlockedTerms(await open()),
    traces: async () => (await import('./traces.ts')).libsqlTraces(await open()),
    copies: async () => (await import('./copies.ts')).libsqlCopies(await open()),
    dataset: async () => (await import('./dataset.ts')).libsqlDataset(await open()),
    buyers: async () => (await import('./buyers.ts')).libsqlBuyers(await open()),
    contents: async () => (await import('./contents.ts')).libsqlContents(await open()),
    rescrub: async () => (await import('./rescrub.ts')).libsqlRescrub(await open()),
    program: async () => (await import('./program.ts')).libsqlProgram(await open()),
    ads: async () => (await import('./ads.ts')).libsqlAds(await open()),
    ledger: async () => (await import('./ledger.ts')).libsqlLedger(await open()),
  }
  const methodsOf = (port: StorePort): object => {
    const loadPort = lazy<object>(loads[port])
    const listNames = (kind: MethodKind): never[] =>
      Object.entries(storeMethods[port]).flatMap(([name, one]) => (one === kind ? [name as never] : []))
    return {
      ...lazyMethods(loadPort, listNames(returnsPromise)),
      ...lazyIterables(loadPort, listNames(returnsIterable)),
    }
  }
  const ready = async (): Promise<void> => (await loadDatabase()).checkTables(await open())
  const ports = (Object.keys(storeMethods) as StorePort[]).map((port) => [port, methodsOf(port)])
  const stores = { ...Object.fromEntries(ports), ready } as Stores
  return withBackend('libsqlStores', client, stores, options.tablePrefix)
}
