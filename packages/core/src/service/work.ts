import { createImpressionDelivery } from '../ads/impression-delivery.ts'
import { serveRetentionMs } from '../ads/rules.ts'
import { accountWorker } from '../contributors/account/worker.ts'
import { exportParts } from '../contributors/export.ts'
import { idempotencyKeyMs } from '../http/idempotency.ts'
import { ingestWorker } from '../ingest/worker.ts'
import type { WorkOptions, WorkSummary } from '../work.ts'
import { createEventDelivery } from '../events/delivery.ts'
import { createWebhookWorker } from '../events/webhooks/worker.ts'
import { createOutboxWorker, type Sweep } from '../outbox/worker.ts'
import { sinkDelivery } from '../telemetry/sink.ts'
import { contentHash } from '../traces/hash.ts'
import { completeAbandonedSales } from '../traces/dataset/sales.ts'
import { fillWorker } from '../traces/copies/fill-worker.ts'
import { rescrubWorker } from '../traces/rescrub/worker.ts'
import { createNameHash } from '../traces/names.ts'
import { dayMs, utcDay, uuid7 } from '../ids.ts'
import { clockSkewMs } from '../ports.ts'
import { accountParts } from './account-parts.ts'
import type { ResolvedOptions } from './resolve-options.ts'

const sweep = (name: string, run: Sweep['run']): Sweep => ({ name, run })

/**
 * Returns the function that does the work of a worker. Loads the scrubber first: when the scrubber does not load, the
 * promise rejects and no job is claimed.
 */
export async function createWork(options: ResolvedOptions): Promise<(work: WorkOptions) => Promise<WorkSummary>> {
  const {
    ads,
    audit,
    copies,
    idempotency,
    ingest,
    ledger,
    outbox,
    reports,
    auth,
    telemetry,
    traces,
    dataset,
    webhooks,
  } = options.stores
  const { network } = options.ads
  const processJobs = ingestWorker({
    ...options,
    scrubber: await options.scrubber(),
    store: ingest,
    copies,
    readContext: options.readScrubContext,
    hash: contentHash,
    keyed: createNameHash(options),
    known: (ownerId, hashes) => traces.findKnownHashes({ ownerId, hashes }),
  })
  let hasMailedCountries = false
  const startedAt = options.clock()
  // The countries of a process never change, so this runs once.
  const mailOpenedCountriesOnce = async (now: number): Promise<void> => {
    if (hasMailedCountries) return
    const { mailOpenedCountries } = await import('../contributors/policy/waitlist.ts')
    await mailOpenedCountries({ now, joinedUntil: startedAt }, { ...options, store: options.stores.policy })
    hasMailedCountries = true
  }
  let closedOn: number | null = null
  const closeMonthsDaily = async (now: number): Promise<boolean> => {
    const today = utcDay(now - clockSkewMs)
    if (today !== closedOn) await (await import('../ads/sponsor/rules.ts')).closeMonths(now - clockSkewMs, ads)
    closedOn = today
    return false
  }
  const deliverOutbox = createOutboxWorker({
    ...options,
    outbox,
    deliveries: {
      ...(network ? { impression: createImpressionDelivery(network) } : {}),
      ...(options.onEvent ? { event: createEventDelivery(options.onEvent) } : {}),
      ...(options.telemetrySink ? { telemetry: sinkDelivery(telemetry, options.telemetrySink, options.logger) } : {}),
    },
    sweeps: [
      sweep('completeAbandonedSales', (now) =>
        completeAbandonedSales(now, {
          ...options,
          dataset,
          computeShares: async (sale) => (await import('../ledger/sale.ts')).sharesOfSale(sale, options),
        }),
      ),
      sweep('deleteReleasedBlobs', (now) => options.deleteReleasedBlobs(now)),
      sweep('mailOpenedCountries', mailOpenedCountriesOnce),
      sweep('closeMonths', closeMonthsDaily),
      sweep('deleteServes', (now) => ads.deleteServes({ before: now - serveRetentionMs })),
      sweep('deleteTelemetryReports', (now) => telemetry.deleteReports({ before: now - options.telemetryMs })),
      sweep('deleteIdempotencyKeys', (now) => idempotency.deleteKeys({ before: now - idempotencyKeyMs })),
      sweep('deleteReportKeys', (now) => reports.deleteKeys({ before: now - idempotencyKeyMs })),
      sweep('deleteStaleReports', (now) => reports.deleteStaleReports({ before: now - options.reportDays * dayMs })),
      sweep('deleteAuditEntries', (now) => audit.deleteEntries({ before: now - options.auditMs })),
      sweep('deleteExpiredRevocations', (now) => auth.deleteExpiredRevocations({ now })),
      sweep('deleteFeedback', (now) => telemetry.deleteFeedback({ before: now - options.feedbackMs })),
      sweep('deleteFinishedJobs', (now) => ingest.deleteFinishedJobs({ finishedBefore: now - options.jobMs })),
      // The clocks of hosts differ, so a day is over on every host only a moment later.
      sweep('postImpressions', (now) =>
        ledger.postImpressions({
          today: utcDay(now - clockSkewMs),
          now,
          share: options.adShare,
          entryId: uuid7(now, options.random),
        }),
      ),
    ],
  })
  const deliverWebhooks = createWebhookWorker({ ...options, ...options.webhooks, webhooks, outbox })
  const parts = accountParts(options)
  const processAccounts = accountWorker({
    ...options,
    store: options.stores.account,
    blobs: options.exportBlobs,
    parts,
    exported: (ownerId, now) => exportParts({ ...options, parts }, ownerId, now),
  })
  const fillCopies = fillWorker({ ...options, copies })
  const rescrubTraces = rescrubWorker({ ...options, store: options.stores.rescrub, traces })
  return async (work) => {
    // These loops run in parallel, so that a slow mail server does not delay jobs.
    const others =
      work.jobId === undefined
        ? [deliverOutbox(work), deliverWebhooks(work), processAccounts(work), rescrubTraces(work), fillCopies(work)]
        : []
    // If one loop fails, the other loops can finish, or release the items that they claimed.
    const results = await Promise.allSettled([processJobs(work), ...others])
    for (const result of results) if (result.status === 'rejected') throw result.reason
    return (results[0] as PromiseFulfilledResult<WorkSummary>).value
  }
}
