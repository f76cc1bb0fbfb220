import { within } from '../deadline.ts'
import type { ResolvedBrand } from '../ui/brand.ts'
import { toHex } from '../ids.ts'
import type { Clock, Logger, Mailer, Random } from '../ports.ts'
import { describeMailFailure } from './failure.ts'
import {
  batchSize,
  buildDigest,
  deliveryTimeoutMs,
  mailLimits,
  retentionMs,
  retryDelayMs,
  sweepIntervalMs,
} from './rules.ts'
import { leaseMs, type ClaimedEntry, type MailClaim, type OutboxStore, type RetriedChannel } from './store.ts'

/**
 * Delivers entries of one channel, each at least once; receivers that support idempotency keys get the entry's id as
 * their key. Resolves with the errors of the entries that were not delivered, by id; throws when none was. They are
 * retried, or given up where the error's `permanent` is true.
 */
export type Delivery = (entries: readonly ClaimedEntry[]) => Promise<ReadonlyMap<string, unknown> | void>

export interface OutboxWorkerDeps {
  readonly brand: Pick<ResolvedBrand, 'name'>
  readonly outbox: OutboxStore
  /** Null: mails wait for a worker that has a mailer. */
  readonly mailer: Mailer | null
  /** Entries of a channel that is left out wait for a worker that has it. */
  readonly deliveries: Partial<Record<RetriedChannel, Delivery>>
  /**
   * What is due now and then, such as deleting what is past its retention; each returns true when there may be more.
   */
  readonly sweeps: readonly ((now: number) => Promise<unknown>)[]
  readonly link: (path: string) => string
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
}

export interface SendOptions {
  /** When aborted, the call resolves after the delivery in progress. */
  readonly signal?: AbortSignal
  /** As for ingest work: called when nothing is due; if absent, the call resolves then. */
  readonly wait?: (loop: 'outbox') => Promise<void>
}

/**
 * Creates the worker that sends outbox entries. A mail is claimed, sent and acknowledged, and whatever happens in
 * between, it is not sent twice. Every other entry is sent until its receiver confirms. Errors of receivers are never
 * thrown.
 */
export function createOutboxWorker(given: OutboxWorkerDeps): (options?: SendOptions) => Promise<void> {
  const deps: WorkerDeps = { ...given, unwritten: [] }
  const { outbox, unwritten, clock, logger } = deps
  let sweptAt = Number.NEGATIVE_INFINITY

  async function sweep(signal: AbortSignal | undefined): Promise<void> {
    const now = clock()
    // After the clock was set back, `now` is before the last sweep: sweep at once.
    if (now >= sweptAt && now - sweptAt < sweepIntervalMs) return
    sweptAt = now
    await outbox.advanceRetries({ now })
    await outbox.deleteFinished({ before: now - retentionMs })
    for (const deleteOld of deps.sweeps) while (!signal?.aborted && (await deleteOld(now)) === true);
  }

  return async ({ signal, wait } = {}) => {
    while (!signal?.aborted) {
      try {
        for (; unwritten.length > 0; unwritten.shift()) await unwritten[0]!()
        if (await outbox.hasDue({ now: clock() })) {
          const [hasMailed, hasDelivered] = await Promise.all([sendMails(deps, signal), deliverChannels(deps, signal)])
          if (hasMailed || hasDelivered) continue
        }
        await sweep(signal)
      } catch (error) {
        logger.warn({ err: error }, 'outbox.store.unavailable')
        if (!wait) throw error
      }
      if (!wait) return
      await wait('outbox')
    }
  }
}

/**
 * `unwritten` holds the writes that the store did not confirm, in their order: they are repeated before the next claim.
 */
interface WorkerDeps extends OutboxWorkerDeps {
  readonly unwritten: (() => Promise<void>)[]
}

/**
 * Claims entries under a new lease. If the reply to a claim is lost nothing of it is sent, so its entries are released.
 */
async function claimEntries<Claim>(
  { outbox, unwritten, random }: WorkerDeps,
  claim: (lease: string) => Promise<Claim>,
): Promise<Claim> {
  const lease = toHex(random(16))
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

/** Sends mails until none is due or one cannot be sent: then the server is left alone until the next round. */
async function sendMails(deps: WorkerDeps, signal: AbortSignal | undefined): Promise<boolean> {
  const { outbox, mailer, clock } = deps
  if (!mailer) return false
  let hasSent = false
  while (!signal?.aborted) {
    const now = clock()
    const claim = await claimEntries(deps, (lease) =>
      outbox.claimMail({ lease, now, until: now + leaseMs, limits: mailLimits }),
    )
    if (!claim) return hasSent
    if (!(await deliverMail(deps, mailer, claim))) return false
    hasSent = true
  }
  return hasSent
}

/** Sends the mail of a claim. Returns whether the mail server accepted it. */
async function deliverMail(deps: WorkerDeps, mailer: Mailer, { lease, digest, entries }: MailClaim): Promise<boolean> {
  const { outbox, link, clock, logger, brand } = deps
  const { recipient, subject, payload } = entries[0]!
  const content = digest
    ? buildDigest(
        entries.map((entry) => entry.subject),
        { adminUrl: link('/admin'), brandName: brand.name },
      )
    : { subject, text: payload }
  try {
    await within(deliveryTimeoutMs, () => mailer.send({ to: recipient, ...content }))
  } catch (error) {
    const { uncertain, name } = (error ?? {}) as { uncertain?: unknown; name?: unknown }
    const mayBeSent = uncertain === true || name === 'TimeoutError'
    const reason = describeMailFailure(error, recipient)
    logger.warn({ reason, mails: entries.length, mayBeSent }, 'outbox.mail.failed')
    await failOrRetry(deps, { lease, entries, error: reason, finalStatus: mayBeSent ? 'unknown' : null })
    return false
  }
  const ids = entries.map(({ id }) => id)
  await writeResult(deps, () => outbox.acknowledge({ lease, ids, now: clock() }))
  return true
}

/**
 * Delivers the channels side by side, so that none waits for the receiver of another. Returns whether anything was
 * sent.
 */
async function deliverChannels(deps: WorkerDeps, signal: AbortSignal | undefined): Promise<boolean> {
  const channels = Object.keys(deps.deliveries) as RetriedChannel[]
  const results = await Promise.all(
    channels.map(async (channel) => {
      let hasSent = false
      while (!signal?.aborted && (await deliverBatch(deps, channel, deps.deliveries[channel]!))) hasSent = true
      return hasSent
    }),
  )
  return results.includes(true)
}

/** Claims and delivers one batch of a channel. Returns whether any entry of it was sent. */
async function deliverBatch(deps: WorkerDeps, channel: RetriedChannel, deliver: Delivery): Promise<boolean> {
  const { outbox, clock, logger } = deps
  const now = clock()
  const { lease, entries } = await claimEntries(deps, async (own) => ({
    lease: own,
    entries: await outbox.claim({ channel, lease: own, now, until: now + leaseMs, limit: batchSize }),
  }))
  if (entries.length === 0) return false
  let errors: ReadonlyMap<string, unknown>
  try {
    errors = (await within(deliveryTimeoutMs, async () => deliver(entries))) ?? new Map()
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
  /** Null: retried until the last attempt. */
  readonly finalStatus: 'dead' | 'unknown' | null
}

/** Ends the entries of a failed delivery or schedules their next attempt; entries with the same delay in one write. */
async function failOrRetry(deps: WorkerDeps, { lease, entries, error, finalStatus }: FailedDelivery): Promise<void> {
  const { outbox, clock } = deps
  const idsByDelay = new Map<number | null, string[]>()
  for (const { id, attempt } of entries) {
    const delay = finalStatus === null ? retryDelayMs(attempt) : null
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
