export { bundle } from './emulators/bundle.ts'
export { startFaultyServer, type Fault, type FaultyServer } from './emulators/faulty.ts'
export { startHrana, type Hrana, type HranaDisturbance, type HranaOptions } from './emulators/hrana.ts'
export { startSecretsExtension, type SecretsExtension } from './emulators/secrets-extension.ts'
export {
  contributeTraces,
  findFreePort,
  runEmbedContract,
  type AppContributor,
  type EmbedContractOptions,
  type EmbeddingApp,
} from './contracts/embed.ts'
export { runHostContract, type HostContractOptions, type Loss } from './contracts/host.ts'
export { runConformanceContract, type ConformanceContractOptions } from './conformance/contract-suite.ts'
export type { HostReply, HostUnderTest } from './emulators/wire.ts'
export {
  invokeWithEvent,
  parseResult,
  gateways,
  lambdaHost,
  toEvent,
  type Call,
  type Gateway,
  type Stand,
} from './emulators/lambda-client.ts'
export {
  createSoftwarePasskey,
  type AnswerChanges,
  type CredentialJson,
  type SoftwarePasskey,
} from './fixtures/authenticator.ts'
export { makeHostileEvent, hostility, type Hostility } from './fixtures/hostile.ts'
export { startGateway, type HttpGateway } from './emulators/gateway.ts'
export { startLambda, type LambdaOptions, type LocalLambda } from './emulators/runtime.ts'
export { makeSentTraces, createTraveller, type Journey, type Said, type Traveller } from './fixtures/journey.ts'
export { allBytes, echoService, jsonLimit, type Echo } from './emulators/echo.ts'
export {
  loseContent,
  makeConversationName,
  makeHash,
  makeId,
  makeNames,
  makeRemovalNotice,
  makeTrace,
  makeTraces,
  makeSaleItems,
  makeSaleShares,
  seedTraces,
} from './fixtures/seed.ts'
export { runOverviewStoreContract } from './contracts/overview.ts'
export { runWebhookStoreContract, type WebhooksPlace } from './contracts/webhooks.ts'
export { runBuyerStoreContract, type BuyersPlace } from './contracts/buyers.ts'
export { makeAuditContext, runAuditStoreContract, type AuditPlace } from './contracts/audit.ts'
export { runContentStoreContract, type ContentsPlace } from './contracts/contents.ts'
export { runTraceStoreContract, type TracesPlace } from './contracts/traces.ts'
export { fixedClock, seededRandom, type FixedClock } from './fixtures/clock.ts'
export {
  fixture,
  createRecordingMailer,
  type Answer,
  type Ask,
  type Fixture,
  type RecordingMailer,
  type Signed,
} from './fixtures/service.ts'
export { createMemoryBlobs } from './fixtures/blobs.ts'
export { isFullRun, isShortRun } from './fixtures/full-run.ts'
export {
  createMigratedFile,
  createTestStores,
  readDatabaseBytes,
  temporaryDatabase,
  type TemporaryDatabase,
  type TestStores,
} from './fixtures/database.ts'
export { runRateLimiterContract, type LimiterPlace } from './contracts/limiter.ts'
export type { AuthPlace } from './contracts/auth-fixture.ts'
export { runAuthStoreContract } from './contracts/auth.ts'
export { runBlockedTermStoreContract } from './contracts/blocked-terms.ts'
export { runRescrubStoreContract } from './contracts/rescrub.ts'
export type { ScrubPlace } from './contracts/scrub-place.ts'
export { runContributorStoreContract, makeApplication } from './contracts/contributors.ts'
export { makeMail, type OutboxPlace } from './contracts/outbox-fixture.ts'
export { runOutboxStoreContract } from './contracts/outbox.ts'
export { makeAgentReport, type ReportsPlace } from './contracts/reports-fixture.ts'
export { runReportStoreContract } from './contracts/reports.ts'
export { makeTelemetryReport, runTelemetryStoreContract, type TelemetryPlace } from './contracts/telemetry.ts'
export { runBlobsContract, type BlobsPlace } from './contracts/blobs.ts'
export { runAccountStoreContract, type AccountPlace } from './contracts/account.ts'
export { runIdempotencyStoreContract, type IdempotencyPlace } from './contracts/idempotency.ts'
export { runCopyStoreContract, type CopiesPlace } from './contracts/copies.ts'
export { runIngestStoreContract } from './contracts/ingest.ts'
export { runAdStoreContract, type AdsPlace } from './contracts/ads.ts'
export { runLedgerStoreContract, type LedgerPlace } from './contracts/ledger.ts'
export { runProgramStoreContract, type ProgramPlace } from './contracts/program.ts'
export type { IngestPlace } from './contracts/ingest-place.ts'
export type { ContributorsPlace } from './contracts/contributors-place.ts'
