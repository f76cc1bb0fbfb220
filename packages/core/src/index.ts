export type { CountReader, ServiceCounts } from './service/counts.ts'
export { createService, type Service } from './service/create.ts'
export type { ServiceWorker } from './service/worker.ts'
export type { StartWorkerOptions, WorkerLoop } from './service/polling.ts'
export type { Brand } from './ui/brand.ts'
export type { MessageKey, Messages } from './messages/index.ts'
export type { ServiceOptions } from './service/options.ts'
export type { Stores } from './stores.ts'
export type * from './ports.ts'
export { BodyAlreadyRead, BodyReadError, type PlainReply, type PlainRequest } from './http/message.ts'
export { route, type LoadedRoute, type NamedRoute, type RouteShape, type User } from './http/route.ts'
export { within } from './deadline.ts'
export {
  createMeasurements,
  measuredMetrics,
  type Measurement,
  type Measurements,
  type Meter,
  type MetricName,
  type StopTimer,
} from './measurements.ts'
export { redactAddresses } from './outbox/failure.ts'
export { checkOptionNames } from './option-names.ts'
export { Unavailable } from './unavailable.ts'
export type { AdsOptions, Promotion } from './ads/options.ts'
export { gravity, type GravityOptions } from './ads/gravity.ts'
export { cells, sponsorLine, terminalSafe } from './ads/terminal.ts'
export { terminalVectors, type TerminalVector } from './ads/terminal-vectors.ts'
export type * from './ads/store.ts'
export type * from './ads/program/store.ts'
export type * from './ledger/store.ts'
export { divideByTokens, type SoldPart } from './ledger/rules.ts'
export type { SaleShares } from './ledger/sale-shares.ts'
export { estimateTokenizer } from './system.ts'
export { contentHash, type HashedMessage } from './traces/hash.ts'
export { displayTitle, titleOf } from './traces/title.ts'
export type { SigningKey } from './traces/dataset/rules.ts'
export { formatTraceDocument, formatTracePieces, type DatasetFormat } from './traces/dataset/formats.ts'
export type { TraceDocument } from './traces/trace-document.ts'
export { formatMessageBlock, parseMessageBlocks, type MessageBlock } from './traces/blocks.ts'
export type { ListPage, ListParams } from './http/list.ts'
export { createNetworkTest } from './http/address.ts'
export { implied as impliedFailures } from './http/failures.ts'
export type * from './auth/store.ts'
export type * from './audit/store.ts'
export type * from './admin/overview/store.ts'
export { readAdminTokens, type OperatorToken } from './auth/operator.ts'
export type * from './contributors/policy/store.ts'
export { fixedCountry, headerCountry } from './contributors/policy/country.ts'
export type {
  AccountPart,
  Application,
  ApplicationStatus,
  ApplicationWithUser,
  Consent,
  Contact,
  Contributor,
  ContributorExport,
  ContributorFilter,
  ContributorStatus,
  ContributorStore,
  NewApplication,
} from './contributors/store.ts'
export * from './traces/dataset/store.ts'
export type * from './traces/buyers/store.ts'
export type * from './traces/copies/store.ts'
export type { Overlap, SaleCandidate, TokenRanges } from './traces/copies/rules.ts'
export type * from './traces/store.ts'
export type * from './traces/rescrub-store.ts'
export type { ContentStore, MovableContent } from './traces/content-store.ts'
export type * from './contributors/blocked-terms/store.ts'
export { createDispatcher, type Dispatcher } from './http/dispatch.ts'
export { readRequestId, type DispatchOptions } from './http/request-context.ts'
export { createMatcher } from './http/match.ts'
export { fail, Failure } from './http/failures.ts'
export { redirect, Reply, reply, type Mounted } from './http/route.ts'
export { mount } from './http/mount.ts'
export { standardHeaders } from './http/replies.ts'
export { securityEvents, type SecurityEvent } from './http/security-events.ts'
export { uuid7 } from './ids.ts'
export type { Batch, Intake, IntakeDeps, Receipt } from './ingest/intake.ts'
export type { Download, Downloads } from './traces/download.ts'
export type {
  AccountJob,
  AccountStore,
  NewAccountJob,
  PreparedExport,
  StoredExport,
} from './contributors/account/store.ts'
export type {
  ClaimKeyParams,
  HeldKey,
  IdempotencyKey,
  IdempotencyStore,
  KeyRecord,
  KeyState,
} from './http/idempotency-store.ts'
export type * from './ingest/store.ts'
export type * from './outbox/store.ts'
export type { NewEvent } from './events/event.ts'
export * from './events/webhooks/store.ts'
export type { OnEvent } from './events/delivery.ts'
export type { EventData, EventType, ServiceEvent } from './events/schema.ts'
export type {
  TelemetryItem,
  StoredFeedback,
  NewFeedback,
  NewTelemetry,
  TelemetryExport,
  TelemetryStore,
} from './telemetry/store.ts'
export type {
  ClaimReportKeyResult,
  KeyLease,
  StoredReceipt,
  StoredReport,
  NewEvidence,
  NewReport,
  ReportFilter,
  ReportStatus,
  ReportStore,
} from './reports/store.ts'
export { logsRequest, otlpSink, type OtlpOptions } from './telemetry/otlp.ts'
export type { WorkSummary, WorkOptions } from './work.ts'
