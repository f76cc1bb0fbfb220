import type { AccountStore } from './contributors/account/store.ts'
import type { AdStore } from './ads/store.ts'
import type { AuditStore } from './audit/store.ts'
import type { OverviewStore } from './admin/overview/store.ts'
import type { BlockedTermStore } from './contributors/blocked-terms/store.ts'
import type { ContributorStore } from './contributors/store.ts'
import type { PolicyStore } from './contributors/policy/store.ts'
import type { IdempotencyStore } from './http/idempotency-store.ts'
import type { IngestStore } from './ingest/store.ts'
import type { LedgerStore } from './ledger/store.ts'
import type { WebhookStore } from './events/webhooks/store.ts'
import type { OutboxStore } from './outbox/store.ts'
import type { Blobs, RateLimiter } from './ports.ts'
import type { ProgramStore } from './ads/program/store.ts'
import type { ReportStore } from './reports/store.ts'
import type { AuthStore } from './auth/store.ts'
import type { TelemetryStore } from './telemetry/store.ts'
import type { BuyerStore } from './traces/buyers/store.ts'
import type { CopyStore } from './traces/copies/store.ts'
import type { ContentStore } from './traces/contents/store.ts'
import type { DatasetStore } from './traces/dataset/store.ts'
import type { RescrubStore } from './traces/rescrub/store.ts'
import type { TraceStore } from './traces/store.ts'

/** The stores of a service, one field for each port. `libsqlStores(client)` and `postgresStores(db)` create it. */
export interface Stores {
  readonly account: AccountStore
  readonly limiter: RateLimiter
  /** Raw uploads, unless the options name other blobs. */
  readonly blobs: Blobs
  /** Idempotency keys and their replies. */
  readonly idempotency: IdempotencyStore
  /** The audit log of operators. */
  readonly audit: AuditStore
  /** Counts for the operator's overview. */
  readonly overview: OverviewStore
  readonly ingest: IngestStore
  /** Mails and deliveries that are sent after a commit. */
  readonly outbox: OutboxStore
  /** Endpoints to which events are sent. */
  readonly webhooks: WebhookStore
  readonly telemetry: TelemetryStore
  readonly reports: ReportStore
  readonly auth: AuthStore
  readonly policy: PolicyStore
  readonly contributors: ContributorStore
  readonly blockedTerms: BlockedTermStore
  readonly traces: TraceStore
  /** Traces that contain text of other traces. */
  readonly copies: CopyStore
  /** Sales, and the traces of `traces` that may be sold or were sold. */
  readonly dataset: DatasetStore
  /** Buyers, and the removals of traces that buyers must carry out. */
  readonly buyers: BuyerStore
  /** The stored contents of traces, and their blobs. */
  readonly contents: ContentStore
  /** The background re-scrubbing of stored traces. */
  readonly rescrub: RescrubStore
  readonly program: ProgramStore
  readonly ads: AdStore
  /** The earnings of contributors and their payouts. */
  readonly ledger: LedgerStore
  /** Resolves when the store answers. Throws `Unavailable` when it does not. */
  ready(): Promise<void>
}
