// A service and its options.
export { createService, type Service } from './service/create.ts'
export type { ServiceOptions } from './service/options.ts'
export type { CountReader, ServiceCounts } from './service/counts.ts'
export type { ServiceWorker } from './service/worker.ts'
export type { StartWorkerOptions, WorkerLoop } from './service/polling.ts'
export type { WorkOptions, WorkSummary } from './work.ts'
export { readAdminTokens, type OperatorToken } from './auth/operator.ts'
export type { User } from './http/route.ts'
export type { Brand } from './ui/brand.ts'
export type { MessageKey, Messages } from './messages/index.ts'
export { fixedCountry, headerCountry } from './contributors/policy/country.ts'
export { estimateTokenizer } from './system.ts'

// The ports of a service.
export type {
  AdNetwork,
  AdQuestion,
  Blobs,
  Clock,
  Country,
  DeviceContext,
  Digest,
  Fetch,
  Identity,
  Logger,
  Mail,
  Mailer,
  NetworkAd,
  PasskeyExpectation,
  Passkeys,
  Person,
  PublishParams,
  Queue,
  Random,
  RateLimiter,
  RegisteredPasskey,
  TelemetryRecord,
  TelemetrySink,
  Tokenizer,
  Verifier,
} from './ports.ts'
export type { Stores } from './stores.ts'

// Requests and replies, for an app that implements a host.
export { BodyAlreadyRead, BodyReadError, type PlainReply, type PlainRequest } from './http/message.ts'
export { Unavailable } from './unavailable.ts'
export type { Batch, Intake, Receipt } from './ingest/intake.ts'
export type { Download, Downloads } from './traces/download.ts'

// Sponsors.
export type { AdsOptions, Promotion } from './ads/options.ts'
export { gravity, type GravityOptions } from './ads/gravity.ts'
export { cells, sponsorLine, terminalSafe } from './ads/terminal.ts'
export { terminalVectors, type TerminalVector } from './ads/terminal-vectors.ts'

// Traces, as clients send them and buyers read them.
export { contentHash, type HashedMessage } from './traces/hash.ts'
export { displayTitle, titleOf } from './traces/names.ts'
export { formatMessageBlock, parseMessageBlocks, type MessageBlock } from './traces/blocks.ts'
export { formatTraceDocument, formatTracePieces, type DatasetFormat } from './traces/dataset/formats.ts'
export type { SigningKey } from './traces/dataset/rules.ts'
export type { TraceDocument } from './traces/trace-document.ts'

// The information that a service gives: events, security events, telemetry and measurements.
export type { OnEvent } from './events/delivery.ts'
export type { EventData, EventType, ServiceEvent } from './events/schema.ts'
export { securityEvents, type SecurityEvent } from './http/security-events.ts'
export { logsRequest, otlpSink, type OtlpOptions } from './telemetry/otlp.ts'
export type { Measurement, Measurements, Meter, MetricName, StopTimer } from './measurements.ts'
