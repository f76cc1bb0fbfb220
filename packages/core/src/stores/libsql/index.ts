export type { SqlClient, SqlResult, SqlRow, SqlStatement, SqlValue } from './client.ts'
export {
  isRead,
  openDatabase,
  raw,
  type Database,
  type Query,
  type Raw,
  type TableOptions,
  type Written,
} from './database.ts'
export { remoteConfig, type RemoteOptions } from './remote.ts'
export { openDrizzle } from './builder.ts'
export { schema } from './tables.ts'
export { listTableShapes, type TableShape } from './table-shapes.ts'
export {
  inspectSchema,
  migrate,
  MigrationError,
  movingLedgerName,
  schemaStatements,
  type Migrated,
  type SchemaState,
} from './migrate.ts'
export { migrations } from './migrations/index.ts'
export type { Migration } from './migrations/migration.ts'
export { libsqlAccount } from './account.ts'
export { libsqlAds } from './ads.ts'
export { libsqlAudit } from './audit.ts'
export { libsqlOverview } from './overview.ts'
export { libsqlBuyers } from './buyers.ts'
export { libsqlContents } from './contents.ts'
export { libsqlCopies } from './copies.ts'
export { libsqlDataset } from './dataset.ts'
export { libsqlTraces } from './traces.ts'
export { libsqlContributors } from './contributors.ts'
export { libsqlBlobs } from './blobs.ts'
export { libsqlIdempotency } from './idempotency.ts'
export { libsqlIngest } from './ingest.ts'
export { libsqlLedger } from './ledger.ts'
export { libsqlLimiter } from './limiter.ts'
export { enqueue, libsqlOutbox } from './outbox.ts'
export { libsqlPolicy } from './policy.ts'
export { libsqlProgram } from './program.ts'
export { libsqlReports } from './reports.ts'
export { libsqlAuth } from './auth.ts'
export { libsqlTelemetry } from './telemetry.ts'
export { libsqlWebhooks } from './webhooks.ts'
export { libsqlStores } from './stores.ts'
