import { accountWorker } from '../contributors/account/worker.ts'
import { reportedNetwork } from '../ads/network.ts'
import type { ResolvedOptions } from './options.ts'
import { exportParts } from '../contributors/export.ts'
import { keyMs } from '../http/idempotency.ts'
import { ingestWorker, type WorkSummary, type WorkOptions } from '../ingest/worker.ts'
import { createOutboxWorker } from '../outbox/worker.ts'
import { accountParts } from '../contributors/account/parts.ts'
import { dayMs } from '../reports/rules.ts'
import { sinkDelivery } from '../telemetry/sink.ts'
import { createHmacCode } from '../auth/hmac.ts'
import { contentHash } from '../traces/hash.ts'
import { nameHashes } from '../traces/names.ts'

/**
 * What works on jobs and sends what must go out. It takes nothing before the scrubber is there: a table that does not load
 * is an error here, and no job is.
 */
export async function createWork(resolved: ResolvedOptions): Promise<(options: WorkOptions) => Promise<WorkSummary>> {
  const { audit, idempotency, ingest, outbox, reports, sessions, telemetry, traces } = resolved.stores
  const { network } = resolved.ads
  const hmacs = createHmacCode({ ...resolved, configured: resolved.secrets, stored: resolved.stores.sessions.secret })
  const ingests = ingestWorker({
    ...resolved,
    scrubber: await resolved.scrubber(),
    store: ingest,
    hash: contentHash,
    nameHashes: (ownerId, name) => nameHashes(hmacs, ownerId, name),
    known: (ownerId, hashes) => traces.findKnownHashes(ownerId, hashes),
  })
  const sends = createOutboxWorker({
    ...resolved,
    outbox,
    deliveries: {
      ...(network ? { impression: reportedNetwork(network) } : {}),
      ...(resolved.telemetrySink
        ? { telemetry: sinkDelivery(telemetry, resolved.telemetrySink, resolved.logger) }
        : {}),
    },
    sweeps: [
      (now) => telemetry.forget(now - resolved.telemetryMs),
      (now) => idempotency.forgetKeys(now - keyMs),
      (now) => reports.forgetKeys(now - keyMs),
      (now) => reports.forget(now - resolved.reportDays * dayMs),
      (now) => audit.forget(now - resolved.auditMs),
      (now) => sessions.forgetEnded(now),
      (now) => telemetry.deleteFeedback({ before: now - resolved.feedbackMs }),
      (now) => ingest.deleteFinishedJobs({ finishedBefore: now - resolved.jobMs }),
    ],
  })
  const parts = accountParts(resolved)
  const accounts = accountWorker({
    ...resolved,
    store: resolved.stores.account,
    blobs: resolved.exportBlobs,
    parts,
    exported: (ownerId, now) => exportParts({ ...resolved, parts }, ownerId, now),
  })
  return async (options) => {
    // Side by side: a mail server that is slow holds up no job.
    const others = options.jobId === undefined ? [sends(options), accounts(options)] : []
    const [worked] = await Promise.all([ingests(options), ...others])
    return worked
  }
}
