import type { Stores } from '../../stores.ts'
import { libsqlAccount } from './account.ts'
import { libsqlAds } from './ads.ts'
import { libsqlAudit } from './audit.ts'
import { libsqlBlockedTerms } from './blocked-terms.ts'
import { libsqlBuyers } from './buyers.ts'
import type { SqlClient } from './client.ts'
import { libsqlContents } from './contents.ts'
import { libsqlCopies } from './copies.ts'
import { libsqlDataset } from './dataset.ts'
import { libsqlContributors } from './contributors.ts'
import { withBackend } from '../backend.ts'
import { checkTables, openDatabase, type Database, type TableOptions } from './database.ts'
import { libsqlBlobs } from './blobs.ts'
import { libsqlIdempotency } from './idempotency.ts'
import { libsqlIngest } from './ingest.ts'
import { libsqlLedger } from './ledger.ts'
import { libsqlLimiter } from './limiter.ts'
import { libsqlOutbox } from './outbox.ts'
import { libsqlOverview } from './overview.ts'
import { libsqlPolicy } from './policy.ts'
import { libsqlProgram } from './program.ts'
import { libsqlReports } from './reports.ts'
import { libsqlRescrub } from './rescrub.ts'
import { libsqlAuth } from './auth.ts'
import { libsqlTelemetry } from './telemetry.ts'
import { libsqlWebhooks } from './webhooks.ts'
import { libsqlTraces } from './traces.ts'

/**
 * Returns every store over one libSQL database, a local file or a remote address; `migrate(client)` must have run, with
 * the same `tablePrefix`. The creator of the client closes it.
 *
 * ```ts
 * await migrate(client)
 * const service = createService({ baseUrl: 'http://127.0.0.1:8787', stores: libsqlStores(client) })
 * ```
 */
export function libsqlStores(client: SqlClient, options: TableOptions = {}): Stores {
  return withBackend('libsqlStores', client, createStores(openDatabase(client, options)), options.tablePrefix)
}

/** Returns every store over a database. */
export const createStores = (db: Database): Stores => ({
  account: libsqlAccount(db),
  limiter: libsqlLimiter(db),
  audit: libsqlAudit(db),
  overview: libsqlOverview(db),
  blobs: libsqlBlobs(db),
  idempotency: libsqlIdempotency(db),
  ingest: libsqlIngest(db),
  outbox: libsqlOutbox(db),
  webhooks: libsqlWebhooks(db),
  telemetry: libsqlTelemetry(db),
  reports: libsqlReports(db),
  auth: libsqlAuth(db),
  policy: libsqlPolicy(db),
  contributors: libsqlContributors(db),
  blockedTerms: libsqlBlockedTerms(db),
  traces: libsqlTraces(db),
  copies: libsqlCopies(db),
  dataset: libsqlDataset(db),
  buyers: libsqlBuyers(db),
  contents: libsqlContents(db),
  rescrub: libsqlRescrub(db),
  program: libsqlProgram(db),
  ads: libsqlAds(db),
  ledger: libsqlLedger(db),
  ready: () => checkTables(db),
})
