import type { Migration } from './migrate.ts'
import { accountMigrations } from './tables/account.ts'
import { adsMigrations } from './tables/ads.ts'
import { auditMigrations } from './tables/audit.ts'
import { contributorsMigrations } from './tables/contributors.ts'
import { idempotencyMigrations } from './tables/idempotency.ts'
import { ingestMigrations } from './tables/ingest.ts'
import { outboxMigrations } from './tables/outbox.ts'
import { programMigrations } from './tables/program.ts'
import { reportsMigrations } from './tables/reports.ts'
import { sessionsMigrations } from './tables/sessions.ts'
import { telemetryMigrations } from './tables/telemetry.ts'
import { tracesMigrations } from './tables/traces.ts'

/**
 * Every migration, in the order in which a new database gets them. Each capability keeps its own beside its tables.
 * Never change one that was released: add another.
 */
export const migrations: Migration[] = [
  ...sessionsMigrations,
  ...tracesMigrations,
  ...ingestMigrations,
  ...contributorsMigrations,
  ...adsMigrations,
  ...programMigrations,
  ...outboxMigrations,
  ...telemetryMigrations,
  ...reportsMigrations,
  ...idempotencyMigrations,
  ...auditMigrations,
  ...accountMigrations,
]
