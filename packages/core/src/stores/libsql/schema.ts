/**
 * Every table as drizzle describes it, for an app's own queries through `openDrizzle`. The migrations create the
 * tables; a test compares them with this schema.
 */
export { accountJobs } from './tables/account.ts'
export {
  campaigns,
  campaignDays,
  campaignRejections,
  campaignMonths,
  campaignCorrections,
  sponsorLinks,
  serves,
  adDays,
  adVotes,
  adSecrets,
  adAddresses,
} from './tables/ads.ts'
export { audit } from './tables/audit.ts'
export { buyers, buyerSessions, removals } from './tables/buyers.ts'
export { standings, profiles, applications, waitlist, choices, scrubContexts } from './tables/contributors.ts'
export { idempotencyKeys } from './tables/idempotency.ts'
export { jobs, outcomes, uploads, blobs, blobPieces } from './tables/ingest.ts'
export { ledger, payoutRequests } from './tables/ledger.ts'
export { outbox } from './tables/outbox.ts'
export { dailyCounts } from './tables/overview.ts'
export { devices } from './tables/program.ts'
export { reports, reportEvidence, reportReceipts, reportKeys } from './tables/reports.ts'
export {
  users,
  credentials,
  signInCodes,
  deviceLogins,
  endedCredentials,
  operatorPasskeys,
  operatorSessions,
  sessionSecrets,
  ratePermits,
} from './tables/sessions.ts'
export { webhooks } from './tables/webhooks.ts'
export { telemetry, cliFeedback } from './tables/telemetry.ts'
export {
  traces,
  contents,
  contentBlobs,
  seen,
  conversations,
  deletedNames,
  deletedSegments,
  sales,
  saleItems,
  fingerprints,
  fingerprintIndex,
  fingerprintState,
  overlaps,
  rescrubPasses,
} from './tables/traces.ts'
