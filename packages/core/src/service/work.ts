import { accountWorker } from '../contributors/account/worker.ts'
import { reportedNetwork } from '../ads/network.ts'
import type { Kit } from './options.ts'
import { exportParts } from '../contributors/export.ts'
import { keyMs } from '../http/idempotency-key.ts'
import { ingestWorker, type Worked, type WorkOptions } from '../ingest/worker.ts'
import { outboxWorker } from '../outbox/worker.ts'
import { accountParts } from '../contributors/account/parts.ts'
import { dayMs } from '../reports/rules.ts'
import { sinkDelivery } from '../telemetry/sink.ts'
import { keyed } from '../auth/hmac.ts'
import { contentHash } from '../traces/hash.ts'
import { nameHashes } from '../traces/names.ts'

/**
 * What works on jobs and sends what must go out. It takes nothing before the scrubber is there: a table that does not load
 * is an error here, and no job is.
 */
export async function workOf(kit: Kit): Promise<(options: WorkOptions) => Promise<Worked>> {
  const { audit, idempotency, ingest, outbox, reports, sessions, telemetry, traces } = kit.stores
  const { network } = kit.ads
  const hmacs = keyed({ ...kit, configured: kit.secrets, stored: kit.stores.sessions.secret })
  const ingests = ingestWorker({
    ...kit,
    scrubber: await kit.scrubber(),
    store: ingest,
    hash: contentHash,
    nameHashes: (ownerId, name) => nameHashes(hmacs, ownerId, name),
    known: (ownerId, hashes) => traces.known(ownerId, hashes),
  })
  const sends = outboxWorker({
    ...kit,
    outbox,
    deliveries: {
      ...(network ? { impression: reportedNetwork(network) } : {}),
      ...(kit.telemetrySink ? { telemetry: sinkDelivery(telemetry, kit.telemetrySink, kit.logger) } : {}),
    },
    forgets: [
      (now) => telemetry.forget(now - kit.telemetryMs),
      (now) => idempotency.forgetKeys(now - keyMs),
      (now) => reports.forgetKeys(now - keyMs),
      (now) => reports.forget(now - kit.reportDays * dayMs),
      (now) => audit.forget(now - kit.auditMs),
      (now) => sessions.forgetEnded(now),
      (now) => telemetry.deleteFeedback({ before: now - kit.feedbackMs }),
      (now) => ingest.deleteJobs({ finishedBefore: now - kit.jobMs }),
    ],
  })
  const parts = accountParts(kit)
  const accounts = accountWorker({
    ...kit,
    store: kit.stores.account,
    parts,
    exported: (ownerId, now) => exportParts({ ...kit, parts }, ownerId, now),
  })
  return async (options) => {
    // Side by side: a mail server that is slow holds up no job.
    const others = options.jobId === undefined ? [sends(options), accounts(options)] : []
    const [worked] = await Promise.all([ingests(options), ...others])
    return worked
  }
}
