import { personRateKeys } from '../../http/rate-limit.ts'
import type { Stores } from '../../stores.ts'
import { withBackend } from '../backend.ts'
import { memoryAccount } from './account.ts'
import { memoryAds } from './ads.ts'
import { memoryAudit } from './audit.ts'
import { memoryBlockedTerms, MemoryScrubContexts } from './blocked-terms.ts'
import { memoryBuyers } from './buyers.ts'
import { memoryContents } from './contents.ts'
import { memoryCopyStore } from './copy-store.ts'
import { contributorRecords, memoryContributors } from './contributors.ts'
import { memoryBlobs } from './blobs.ts'
import { memoryIdempotency } from './idempotency.ts'
import { memoryIngest } from './ingest.ts'
import { memoryLedger } from './ledger.ts'
import { memoryLimiter } from './limiter.ts'
import { memoryOutbox } from './outbox.ts'
import { memoryDailyCounts, memoryOverview } from './overview.ts'
import { memoryPolicy } from './policy.ts'
import { memoryProgram } from './program.ts'
import { memoryReports } from './reports.ts'
import { memoryRescrub } from './rescrub.ts'
import { memoryAuth } from './auth.ts'
import { memoryTelemetry } from './telemetry.ts'
import { memoryWebhooks } from './webhooks.ts'
import { MemoryTraces } from './traces.ts'

export { memoryAccount } from './account.ts'
export { memoryAds, type MemoryAds, type MemoryAdsOptions } from './ads.ts'
export { memoryAudit, type MemoryAudit } from './audit.ts'
export { memoryBlockedTerms, MemoryScrubContexts } from './blocked-terms.ts'
export { memoryBuyers, type MemoryBuyers } from './buyers.ts'
export { memoryContents } from './contents.ts'
export { contributorRecords, memoryContributors, type ContributorRecords } from './contributors.ts'
export { memoryPolicy } from './policy.ts'
export { memoryBlobs } from './blobs.ts'
export { memoryIdempotency } from './idempotency.ts'
export { memoryIngest } from './ingest.ts'
export { memoryLedger, type MemoryLedger, type MemoryLedgerOptions } from './ledger.ts'
export { memoryLimiter } from './limiter.ts'
export { memoryOutbox, type MemoryOutbox } from './outbox.ts'
export { memoryDailyCounts, memoryOverview, type MemoryDailyCounts } from './overview.ts'
export { memoryProgram, type MemoryProgram } from './program.ts'
export { memoryReports } from './reports.ts'
export { memoryRescrub } from './rescrub.ts'
export { memoryAuth } from './auth.ts'
export { memoryTelemetry } from './telemetry.ts'
export { memoryWebhooks } from './webhooks.ts'
export { MemoryTraces } from './traces.ts'

/**
 * Creates every store in Maps: for tests, and to try things out. Everything is lost when the process ends, and no other
 * process sees it.
 */
export function memoryStores(): Stores {
  const audit = memoryAudit()
  const counts = memoryDailyCounts()
  const outbox = memoryOutbox(audit)
  const limiter = memoryLimiter()
  const contexts = new MemoryScrubContexts()
  const auth = memoryAuth(audit, contexts)
  const known = async (id: string): Promise<boolean> => (await auth.findUser({ id })) !== null
  const records = contributorRecords(known)
  const program = memoryProgram()
  const telemetry = memoryTelemetry(outbox, audit, (id) => auth.findUser({ id }))
  const verifiedAddressOf = async (id: string): Promise<string | null> => (await auth.findUser({ id }))?.email ?? null
  const policy = memoryPolicy(records, outbox, audit, verifiedAddressOf)
  const addressOf = async (id: string): Promise<string | null> =>
    (await verifiedAddressOf(id)) ?? records.byUser.get(id)?.contact?.email ?? null
  const contributors = memoryContributors(records, audit, outbox, contexts, {
    addressOf,
    verifiedAddressOf,
    findByAddress: auth.findUserIdByAddress,
    signedUpAt: auth.signedUpAt,
  })
  const isApproved = (id: string): boolean => records.latestApplication(id)?.status === 'approved'
  const ads = memoryAds({ ownerOf: program.ownerOf, isApproved, known, outbox, audit, counts })
  const ledger = memoryLedger({
    known,
    findSignUp: auth.findSignUp,
    signedUpAt: auth.signedUpAt,
    addressOf,
    verifiedAddressOf,
    isApproved,
    ads,
    outbox,
    audit,
  })
  const buyers = memoryBuyers(outbox, audit)
  const traces = new MemoryTraces(audit, counts, outbox, ledger, contexts, buyers)
  const ingest = memoryIngest(traces, audit, counts, outbox, verifiedAddressOf)
  const reports = memoryReports(outbox, audit, counts)
  const blockedTerms = memoryBlockedTerms(contexts, known)
  const hasOpenJob = async (ownerId: string): Promise<boolean> =>
    (await ingest.listJobs({ ownerId, limit: Infinity })).some(({ status }) => status !== 'done' && status !== 'failed')
  return withBackend('memoryStores', traces, {
    account: memoryAccount(
      auth,
      async (ownerId, erasedId) => {
        audit.replaceTarget(ownerId, erasedId)
        limiter.delete(personRateKeys(ownerId))
        traces.startErasure(ownerId, erasedId)
        for (const store of [policy, contributors, blockedTerms, ledger, telemetry, ads]) await store.erase({ ownerId })
      },
      outbox,
    ),
    limiter,
    audit,
    overview: memoryOverview(counts, { contributors, ingest, reports, outbox }),
    blobs: memoryBlobs(),
    idempotency: memoryIdempotency(known),
    ingest,
    outbox,
    webhooks: memoryWebhooks(outbox, audit),
    telemetry,
    reports,
    auth,
    policy,
    contributors,
    blockedTerms,
    traces,
    copies: memoryCopyStore(traces),
    dataset: traces,
    buyers,
    contents: memoryContents(traces),
    rescrub: memoryRescrub(traces, contexts, hasOpenJob),
    program,
    ads,
    ledger,
    async ready() {},
  })
}
