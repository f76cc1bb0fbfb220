import { within } from '../deadline.ts'
import { firstOf } from '../lists.ts'
import type { ResolvedBrand } from '../ui/brand.ts'
import type { Clock, Logger, Mailer, Random } from '../ports.ts'
import { createSweep, createLease, logLoopError, type LoopLog } from '../queue/loop.ts'
import { queueTimes, retryDelay } from '../queue/times.ts'
import { Unavailable } from '../unavailable.ts'
import type { Measurements } from '../measurements.ts'
import { describeMailFailure, isUncertain } from './failure.ts'
import {
  batchSize,
  buildDigest,
  deliveryTimeoutMs,
  mailLimits,
  maxConcurrentMails,
  retentionMs,
  stopGraceMs,
  stopReason,
} from './rules.ts'
import type { ClaimedEntry, MailClaim, OutboxStore, RetriedChannel } from './store.ts'

/**
 * Delivers entries of one channel, each at least once; receivers that support idempotency keys get the entry's id as
 * their key. Resolves with the errors of the entries that were not delivered, by id. Throws when no entry was
 * delivered. Entries that were not delivered are retried, unless the error's `permanent` is true.
 */
export type Delivery = (entries: readonly ClaimedEntry[]) => Promise<ReadonlyMap<string, unknown> | void>

/** A periodic task, such as deleting data that is past its retention. */
export interface Sweep {
  /** The name of the task in the log. */
  readonly name: string
  /** Resolves with true when more work may be left. */
  readonly run: (now: number) => Promise<unknown>
}

export interface OutboxWorkerDeps {
  readonly brand: Pick<ResolvedBrand, 'name'>
  readonly outbox: OutboxStore
  /** Null means that mails wait for a worker that has a mailer. */
  readonly mailer: Mailer | null
  /** Entries of a missing channel wait for a worker that delivers the channel. */
  readonly deliveries: Partial<Record<RetriedChannel, Delivery>>
  readonly sweeps: readonly Sweep[]
  readonly link: (path: string) => string
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly measurements: Pick<Measurements, 'count'>
}

export interface SendOptions {
  /** When the signal is aborted, the call resolves after the running deliveries, or after `stopGraceMs`. */
  readonly signal?: AbortSignal
  /**
   * A function that is called when nothing is due, as in the ingest worker. Without it, the worker's call resolves when
   * nothing is due.
   */
  readonly wait?: (loop: 'outbox') => Promise<void>
}

const times = queueTimes.outbox

/** The channels of this worker. */
type SentChannel = 'mail' | RetriedChannel

/**
 * Creates the worker that sends outbox entries. A mail is claimed, sent and acknowledged, and it is never sent twice,
 * even after a crash in between. Every other entry is sent until its receiver confirms. Errors of receivers are never
 * thrown. Errors of the store and of sweeps are logged, and thrown if there is no `wait`. A receiver that does not answer
 * does not delay other channels, and up to `maxConcurrentMails` mails are sent in parallel.
 */
export function createOutboxWorker(given: OutboxWorkerDeps): (options?: SendOptions) => Promise<void> {
  const deps: WorkerDeps = { ...given, unwritten: [] }
  const { outbox, unwritten, clock, logger } = deps
  const channels: readonly SentChannel[] = [
    ...(deps.mailer ? (['mail'] as const) : []),
    ...(Object.keys(deps.deliveries) as RetriedChannel[]),
  ]
  const sweeps: readonly Sweep[] = [
    { name: 'advanceRetries', run: (now) => outbox.advanceRetries({ now }) },
    { name: 'deleteFinishedEntries', run: (now) => outbox.deleteFinished({ before: now - retentionMs }) },
    ...deps.sweeps,
  ]
  const failedSweeps: unknown[] = []
  const sweep = createSweep(times.sweepMs, clock, async (now, signal) => {
    for (const { name, run } of sweeps) {
      try {
        while (!signal?.aborted && (await run(now)) === true);
      } catch (error) {
        // If the store does not answer, it would not answer the other sweeps either. A bug in one sweep does not stop them.
        if (Unavailable.is(error)) throw error
        logger.error({ err: error, sweep: name }, 'worker.sweep.failed')
        failedSweeps.push(error)
      }
    }
  })

  const log: LoopLog = { loop: 'outbox', logger, outage: 'outbox.store.unavailable' }

  return async ({ signal, wait } = {}) => {
    const running = new Map<Promise<void>, SentChannel>()
    /** Channels that are skipped until the next round: none of their entries is due, or a delivery failed. */
    const resting = new Set<SentChannel>()
    /**
     * The deliveries that were running when the store was last read. When one of them ends, an entry that waited for it
     * may be due.
     */
    let awaited: Promise<void>[] = []
    const outages: unknown[] = []
    let waiting: Promise<void> | null = null

    const waitForNext =
      wait &&
      (async (): Promise<void> => {
        waiting ??= wait('outbox').finally(() => {
          waiting = null
          resting.clear()
        })
        await waiting
      })
    const start = (channel: SentChannel, run: () => Promise<boolean>): void => {
      const ended = run()
        .then(
          (hasSent) => {
            if (!hasSent) resting.add(channel)
          },
          (error: unknown) => {
            outages.push(error)
          },
        )
        .finally(() => running.delete(ended))
      running.set(ended, channel)
      awaited.push(ended)
    }
    const hasRoom = (channel: SentChannel): boolean => {
      const deliveries = [...running.values()].filter((one) => one === channel).length
      return deliveries < (channel === 'mail' ? maxConcurrentMails : 1)
    }
    /** Starts the deliveries that are due. Returns whether any delivery was started. */
    const startDue = async (): Promise<boolean> => {
      if (!(await outbox.hasDue({ now: clock() }))) return false
      let hasStarted = false
      for (const channel of channels) {
        while (!signal?.aborted && !resting.has(channel) && hasRoom(channel)) {
          const delivery = channel === 'mail' ? await claimMail(deps, signal) : await claimBatch(deps, channel, signal)
          if (!delivery) resting.add(channel)
          else {
            start(channel, delivery)
            hasStarted = true
          }
        }
      }
      return hasStarted
    }

    while (!signal?.aborted) {
      awaited = [...running.keys()]
      try {
        if (outages.length > 0) throw outages.splice(0)[0]
        for (; unwritten.length > 0; unwritten.shift()) await firstOf(unwritten)()
        if (!(await startDue())) await sweep(signal)
      } catch (error) {
        logLoopError(error, log)
        if (!waitForNext) {
          await Promise.all(running.keys())
          throw error
        }
        await waitForNext()
        continue
      }
      if (!waitForNext && awaited.length === 0) break
      await Promise.race([...awaited, ...(waitForNext ? [waitForNext()] : [])])
    }
    await Promise.all(running.keys())
    const [failed] = failedSweeps.splice(0)
    if (failed !== undefined && !waitForNext) throw failed
  }
}

/**
 * `unwritten` contains the writes that the store did not confirm, in order. They are repeated before the next claim.
 */
interface WorkerDeps extends OutboxWorkerDeps {
  readonly unwritten: (() => Promise<void>)[]
}

/**
 * Claims entries under a new lease. If the reply to a claim is lost, none of its entries is sent, so they are released.
 */
async function claimEntries<Claim>(
  { outbox, unwritten, random }: WorkerDeps,
  claim: (lease: string) => Promise<Claim>,
): Promise<Claim> {
  const lease = createLease(random)
  try {
    return await claim(lease)
  } catch (error) {
    unwritten.push(() => outbox.release({ lease }))
    throw error
  }
}

/** Writes the result of a delivery; a write that fails is repeated later. */
async function writeResult({ unwritten }: WorkerDeps, write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    unwritten.push(write)
    throw error
  }
}

/**
 * Runs a delivery. Rejects if the delivery takes longer than `deliveryTimeoutMs`, or longer than `stopGraceMs` after an
 * abort. A mail may have been sent by then.
 */
async function deliverInTime<Result>(signal: AbortSignal | undefined, call: () => Promise<Result>): Promise<Result> {
  const ended = new AbortController()
  const stopped = new Promise<never>((_, reject) => {
    const waitForGrace = (): void => {
      const timer = setTimeout(() => reject(Object.assign(new Error(stopReason), { uncertain: true })), stopGraceMs)
      ended.signal.addEventListener('abort', () => clearTimeout(timer))
    }
    if (signal?.aborted) waitForGrace()
    else signal?.addEventListener('abort', waitForGrace, { signal: ended.signal })
  })
  try {
    return await within(deliveryTimeoutMs, () => Promise.race([call(), stopped]))
  } finally {
    ended.abort()
  }
}

/** Runs a claimed delivery. Resolves with true if anything was sent. If not, its channel is skipped for a while. */
type StartDelivery = () => Promise<boolean>

/** Claims a mail, or a digest of mails. Returns its delivery, or null when none is due. */
async function claimMail(deps: WorkerDeps, signal: AbortSignal | undefined): Promise<StartDelivery | null> {
  const { outbox, mailer, clock } = deps
  if (!mailer) return null
  const now = clock()
  const claim = await claimEntries(deps, (lease) =>
    outbox.claimMail({ lease, now, until: now + times.leaseMs, limits: mailLimits }),
  )
  return claim && (() => deliverMail(deps, mailer, claim, signal))
}

/** Sends the mail of a claim. Returns whether the mail server accepted it. */
async function deliverMail(
  deps: WorkerDeps,
  mailer: Mailer,
  { lease, digest, entries }: MailClaim,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { outbox, link, clock, logger, brand, measurements } = deps
  const { recipient, subject, payload, attempt } = firstOf(entries)
  const content = digest
    ? buildDigest(
        entries.map((entry) => entry.subject),
        { adminUrl: link('/admin'), brandName: brand.name },
      )
    : { subject, text: payload }
  try {
    await deliverInTime(signal, () => mailer.send({ to: recipient, ...content }))
  } catch (error) {
    const mayBeSent = isUncertain(error)
    const reason = describeMailFailure(error, recipient)
    const ids = entries.map(({ id }) => id)
    logger.warn({ reason, mails: entries.length, mayBeSent, ids: ids.slice(0, 20) }, 'outbox.mail.failed')
    const isTriedAgain = !mayBeSent && retryDelay(times, attempt) !== null
    const outcome = mayBeSent ? 'unknown' : isTriedAgain ? 'retried' : 'dead'
    measurements.count('tributary_mails_total', { outcome })
    await failOrRetry(deps, { lease, entries, error: reason, finalStatus: mayBeSent ? 'unknown' : null })
    return false
  }
  measurements.count('tributary_mails_total', { outcome: 'sent' })
  const ids = entries.map(({ id }) => id)
  await writeResult(deps, () => outbox.acknowledge({ lease, ids, now: clock() }))
  return true
}

/** Claims a batch of a channel. Returns its delivery, or null when nothing is due. */
async function claimBatch(
  deps: WorkerDeps,
  channel: RetriedChannel,
  signal: AbortSignal | undefined,
): Promise<StartDelivery | null> {
  const { outbox, clock } = deps
  const deliver = deps.deliveries[channel]
  if (!deliver) return null
  const now = clock()
  return claimEntries(deps, async (lease) => {
    const entries = await outbox.claim({ channel, lease, now, until: now + times.leaseMs, limit: batchSize })
    if (entries.length === 0) return null
    return () =>
      deliverBatch(deps, { channel, lease, entries }, () => deliverInTime(signal, async () => deliver(entries)))
  })
}

interface BatchClaim {
  readonly channel: RetriedChannel
  readonly lease: string
  readonly entries: readonly ClaimedEntry[]
}

/** Delivers a batch of a channel. Returns whether any entry of it was sent. */
async function deliverBatch(
  deps: WorkerDeps,
  { channel, lease, entries }: BatchClaim,
  deliver: () => ReturnType<Delivery>,
): Promise<boolean> {
  const { outbox, clock, logger } = deps
  let errors: ReadonlyMap<string, unknown>
  try {
    errors = (await deliver()) ?? new Map()
  } catch (error) {
    errors = new Map(entries.map(({ id }) => [id, error]))
  }
  for (const error of new Set(errors.values())) {
    const permanent = (error as { permanent?: unknown } | null)?.permanent === true
    const failed = entries.filter(({ id }) => errors.get(id) === error)
    logger.warn({ err: error, channel, entries: failed.length, permanent }, 'outbox.delivery.failed')
    const reason = (error instanceof Error ? error.message : String(error)).slice(0, 300)
    await failOrRetry(deps, { lease, entries: failed, error: reason, finalStatus: permanent ? 'dead' : null })
  }
  const ids = entries.map(({ id }) => id).filter((id) => !errors.has(id))
  if (ids.length > 0) await writeResult(deps, () => outbox.acknowledge({ lease, ids, now: clock() }))
  return ids.length > 0
}

interface FailedDelivery {
  readonly lease: string
  readonly entries: readonly ClaimedEntry[]
  readonly error: string
  /** Null means that the entry is retried until the last attempt. */
  readonly finalStatus: 'dead' | 'unknown' | null
}

/**
 * Sets the entries of a failed delivery to their final status, or schedules their next attempt. Entries with the same
 * delay are updated in one write.
 */
async function failOrRetry(deps: WorkerDeps, { lease, entries, error, finalStatus }: FailedDelivery): Promise<void> {
  const { outbox, clock } = deps
  const idsByDelay = new Map<number | null, string[]>()
  for (const { id, attempt } of entries) {
    const delay = finalStatus === null ? retryDelay(times, attempt) : null
    idsByDelay.set(delay, [...(idsByDelay.get(delay) ?? []), id])
  }
  const now = clock()
  for (const [delay, ids] of idsByDelay) {
    await writeResult(deps, () =>
      delay === null
        ? outbox.fail({ lease, ids, status: finalStatus ?? 'dead', error, now })
        : outbox.retry({ lease, ids, error, dueAt: now + delay }),
    )
  }
}
