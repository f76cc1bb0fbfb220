import type { Secrets } from '../../auth/hmac.ts'
import type { MakeEvent } from '../../events/event.ts'
import { joinBytes } from '../../http/body.ts'
import type { WorkOptions } from '../../work.ts'
import type { Measurements } from '../../measurements.ts'
import type { Blobs, Clock, Logger, Random } from '../../ports.ts'
import {
  createSweep,
  runLoop,
  createClaimer,
  createLeaseKeeper,
  LeaseLostError,
  StoppedError,
} from '../../queue/loop.ts'
import { queueTimes, repeatedDelayMs } from '../../queue/times.ts'
import { inSpan, markFailed, type OpenSpan } from '../../tracing.ts'
import { Unavailable } from '../../unavailable.ts'
import { sealUrl } from './export-link.ts'
import { exportKeys, exportKey, exportMs, exportPartKey, filename, maxExportAttempts } from './rules.ts'
import type { AccountJob, AccountStore } from './store.ts'

interface ErasablePart {
  /**
   * Erases a bounded number of records. Returns true when there may be more. `formerId` is the person's previous id,
   * for records that contain it; `erasureId` is the id of the erasure, for the notices sent to buyers.
   */
  erase(ownerId: string, formerId: string, erasureId: string): Promise<boolean>
}

export interface AccountWorkerDeps extends Secrets {
  readonly store: AccountStore
  readonly blobs: Blobs
  /** The parts of a person's data in the order of erasure. The person's row, to which all records refer, comes last. */
  readonly parts: readonly ErasablePart[]
  /** Returns the bytes of a person's export. The bytes are read from the stores while they are consumed. */
  readonly exported: (ownerId: string, now: number) => Promise<AsyncIterable<Uint8Array>>
  readonly makeEvent: MakeEvent
  readonly yieldToEventLoop: () => Promise<void>
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly measurements: Measurements
}

const times = queueTimes.account
/**
 * The number of bytes in one blob of an export. S3 joins parts of 5 MiB or more; a store in SQLite writes a megabyte in
 * one transaction.
 */
const [partBytes, publishedPartBytes] = [1024 * 1024, 5 * 1024 * 1024]
/** The maximum number of expired exports that one check deletes. */
const expiredAtOnce = 100

/**
 * Creates the worker that erases accounts and prepares account exports. The worker works in slices and yields to the
 * event loop between them. A worker leases a job. If the worker dies, an erasure continues where it stopped, and an
 * export begins again. An erasure is retried until it succeeds.
 */
export function accountWorker(
  deps: AccountWorkerDeps,
): (options: Pick<WorkOptions, 'signal' | 'wait'>) => Promise<void> {
  const { store, clock, random, logger } = deps

  const deleteExpired = createSweep(times.sweepMs, clock, async (now) => {
    for (;;) {
      const expired = await store.listExpiredExports({ now, limit: expiredAtOnce })
      for (const one of expired) for (const key of exportKeys(one)) await deps.blobs.delete(key)
      if (expired.length > 0) await store.deleteExports({ ids: expired.map(({ id }) => id) })
      if (expired.length < expiredAtOnce) return
    }
  })

  return (options) => {
    const claimer = createClaimer(random)
    return runLoop(options, {
      loop: 'account',
      logger,
      outage: 'account.worker.store_unavailable',
      async step() {
        const now = clock()
        const job = await claimer.claim((lease) => store.claimJob({ lease, now, until: now + times.leaseMs }))
        if (!job) {
          await deleteExpired()
          return false
        }
        await inSpan(
          () => ({ name: `tributary account.${job.kind}`, attributes: { 'tributary.job.id': job.id } }),
          (span) => attempt(deps, job, options.signal, span),
        )
        return true
      },
    })
  }
}

async function attempt(
  deps: AccountWorkerDeps,
  job: AccountJob,
  signal: AbortSignal | undefined,
  span: OpenSpan,
): Promise<void> {
  const { store, clock, logger } = deps
  const { id: jobId, kind } = job
  const renew = (until: number): Promise<boolean> => store.renewLease({ job, until })
  const { check } = createLeaseKeeper({ ...deps, times, signal, renew })
  try {
    await (kind === 'erasure' ? erase(deps, job, check) : prepare(deps, job, check))
    logger.info({ jobId }, `account.${kind}.completed`)
  } catch (error) {
    if (error instanceof LeaseLostError) {
      deps.measurements.count('tributary_lease_losses_total', { worker: 'account' })
      return logger.warn({ jobId, kind }, 'account.job.lease_lost')
    }
    if (error instanceof StoppedError) return store.releaseJob({ job, now: clock() })
    markFailed(span, error instanceof Error ? error.name : '_OTHER')
    logger.warn({ err: error, jobId, attempt: job.attempt }, `account.${kind}.postponed`)
    const now = clock()
    if (kind === 'export' && job.attempt >= maxExportAttempts && !Unavailable.is(error))
      await store.failExport({ job, expiresAt: now + exportMs })
    else await store.postponeJob({ job, dueAt: now + repeatedDelayMs(times, job.attempt) })
  }
}

async function erase(deps: AccountWorkerDeps, job: AccountJob, check: () => Promise<void>): Promise<void> {
  const { store, parts, clock, makeEvent } = deps
  for (const part of parts) while (await part.erase(job.ownerId, job.formerId, job.id)) await check()
  await store.completeErasure({ job, event: makeEvent('account.erased', clock()) })
}

async function prepare(deps: AccountWorkerDeps, job: AccountJob, check: () => Promise<void>): Promise<void> {
  const { store, blobs, clock } = deps
  const keys: string[] = []
  // Blobs that cannot be deleted now are found later by the sweep of unused blobs.
  const deleteBlobs = async (): Promise<void> => {
    for (const key of [...keys, exportKey(job)]) await blobs.delete(key).catch(() => undefined)
  }
  let [bytes, expiresAt, url]: [number, number, string | null] = [0, 0, null]
  try {
    bytes = await writeParts(deps, job, keys, check)
    expiresAt = clock() + exportMs
    const params = { key: exportKey(job), parts: keys, type: 'application/json', filename, expiresAt }
    if (blobs.publish) url = await sealUrl(deps, job.id, await blobs.publish(params))
  } catch (error) {
    // The blobs of a stopped job are kept, because the job is soon claimed again and overwrites the blobs.
    if (!(error instanceof StoppedError)) await deleteBlobs()
    throw error
  }
  // If this call throws, the export may be ready nevertheless, so its blobs are kept.
  if (await store.completeExport({ job, bytes, parts: keys.length, url, expiresAt })) return
  await deleteBlobs()
  throw new LeaseLostError()
}

/** Writes the export as blobs, adds their keys to `keys`, and returns its length. */
async function writeParts(
  { blobs, exported, clock }: AccountWorkerDeps,
  job: AccountJob,
  keys: string[],
  check: () => Promise<void>,
): Promise<number> {
  const enough = blobs.publish ? publishedPartBytes : partBytes
  let [pieces, size, bytes]: [Uint8Array[], number, number] = [[], 0, 0]
  const flush = async (): Promise<void> => {
    const key = exportPartKey(job, keys.length)
    keys.push(key)
    await blobs.put(key, joinBytes(pieces, size))
    ;[pieces, size] = [[], 0]
  }
  for await (const piece of await exported(job.ownerId, clock())) {
    await check()
    pieces.push(piece)
    size += piece.length
    bytes += piece.length
    if (size >= enough) await flush()
  }
  if (size > 0) await flush()
  return bytes
}
