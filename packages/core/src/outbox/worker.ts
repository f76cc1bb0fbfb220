import { within } from '../deadline.ts'
import { toHex } from '../ids.ts'
import { mailFailure } from './failure.ts'
import type { Clock, Logger, Mailer, Random } from '../ports.ts'
import { batchSize, deliveryMs, digest, keptMs, pace, sweepMs, waitAfter } from './rules.ts'
import { leaseMs, type Channel, type Fate, type MailClaim, type OutboxStore, type Taken } from './store.ts'

/**
 * Sends entries of one channel, at least once each; receivers that know keys get the entry's id as one. Resolves with the
 * errors of those that did not go out, by id; throws when none did. They are tried again, or given up where the error's
 * `permanent` is true.
 */
export type Delivery = (entries: readonly Taken[]) => Promise<ReadonlyMap<string, unknown> | void>

export interface OutboxDeps {
  readonly outbox: OutboxStore
  /** Null: mails wait until a worker has one. */
  readonly mailer: Mailer | null
  /** A channel that is left out waits for a worker that has it. */
  readonly deliveries: Partial<Record<Exclude<Channel, 'mail'>, Delivery>>
  /** Further things that are forgotten after a while, swept along; true: there may be more. */
  readonly forgets: readonly ((now: number) => Promise<unknown>)[]
  readonly link: (path: string) => string
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
}

export interface SendOptions {
  /** Aborted: the call resolves after the sending in hand. */
  readonly signal?: AbortSignal
  /** As for ingest work: called when nothing is due; absent, the call resolves then. */
  readonly wait?: (loop: 'outbox') => Promise<void>
}

/**
 * Makes the worker that sends what must go out. A mail is claimed, then sent, then settled: whatever happens in between, it
 * is not sent twice. Everything else is sent until somebody says it arrived. Never throws for what a receiver does.
 */
export function outboxWorker(given: OutboxDeps): (options?: SendOptions) => Promise<void> {
  const deps: WorkerDeps = { ...given, unwritten: [] }
  const { outbox, unwritten, clock, logger } = deps
  let swept = Number.NEGATIVE_INFINITY

  async function tidy(signal: AbortSignal | undefined): Promise<void> {
    const now = clock()
    // A clock that was set back is a reason to look at once.
    if (now >= swept && now - swept < sweepMs) return
    swept = now
    await outbox.advanceRetries(now)
    await outbox.forget(now - keptMs)
    for (const forget of deps.forgets) while (!signal?.aborted && (await forget(now)) === true);
  }

  return async ({ signal, wait } = {}) => {
    while (!signal?.aborted) {
      try {
        for (; unwritten.length > 0; unwritten.shift()) await unwritten[0]!()
        if (await outbox.due(clock())) {
          const [mailed, delivered] = await Promise.all([mails(deps, signal), others(deps, signal)])
          if (mailed || delivered) continue
        }
        await tidy(signal)
      } catch (error) {
        logger.warn({ err: error }, 'the outbox could not reach its store')
        if (!wait) throw error
      }
      if (!wait) return
      await wait('outbox')
    }
  }
}

/** `unwritten` holds the writes that the store did not answer, in their order: they are repeated before the next claim. */
interface WorkerDeps extends OutboxDeps {
  readonly unwritten: (() => Promise<void>)[]
}

/** Claims entries under a lease of their own. A claim whose answer is lost sends nothing, so its entries are released. */
async function claimed<Claim>(
  { outbox, unwritten, random }: WorkerDeps,
  claim: (lease: string) => Promise<Claim>,
): Promise<Claim> {
  const lease = toHex(random(16))
  try {
    return await claim(lease)
  } catch (error) {
    unwritten.push(() => outbox.release(lease))
    throw error
  }
}

async function settle(
  { outbox, unwritten, clock }: WorkerDeps,
  lease: string,
  ids: readonly string[],
  fate: Fate,
): Promise<void> {
  const write = (): Promise<void> => outbox.settle(lease, ids, fate, clock())
  try {
    await write()
  } catch (error) {
    unwritten.push(write)
    throw error
  }
}

/** Sends mails until none may go, or one could not be sent: then the server is left alone until the next look. */
async function mails(deps: WorkerDeps, signal: AbortSignal | undefined): Promise<boolean> {
  const { outbox, mailer, clock } = deps
  if (!mailer) return false
  let any = false
  while (!signal?.aborted) {
    const now = clock()
    const claim = await claimed(deps, (lease) => outbox.takeMail(lease, now, now + leaseMs, pace))
    if (!claim) return any
    if (!(await mail(deps, mailer, claim))) return false
    any = true
  }
  return any
}

async function mail(deps: WorkerDeps, mailer: Mailer, claim: MailClaim): Promise<boolean> {
  const { link, clock, logger } = deps
  const { lease, entries } = claim
  const [first] = entries
  const letter = claim.digest
    ? digest(
        entries.map(({ subject }) => subject),
        link('/admin'),
      )
    : { subject: first!.subject, text: first!.payload }
  const ids = entries.map(({ id }) => id)
  try {
    await within(deliveryMs, () => mailer.send({ to: first!.recipient, ...letter }))
  } catch (error) {
    const { uncertain, name } = (error ?? {}) as { uncertain?: unknown; name?: unknown }
    const open = uncertain === true || name === 'TimeoutError'
    const reason = mailFailure(error, first!.recipient)
    logger.warn({ reason, mails: ids.length, open }, 'a mail could not be sent')
    for (const [fate, some] of fates(entries, reason, clock(), open ? 'unknown' : null))
      await settle(deps, lease, some, fate)
    return false
  }
  await settle(deps, lease, ids, { status: 'sent' })
  return true
}

/** One batch of each channel at a time, so that no channel waits for another's receiver. */
async function others(deps: WorkerDeps, signal: AbortSignal | undefined): Promise<boolean> {
  const names = Object.keys(deps.deliveries) as Exclude<Channel, 'mail'>[]
  const done = await Promise.all(
    names.map(async (channel) => {
      let any = false
      while (!signal?.aborted && (await batch(deps, channel, deps.deliveries[channel]!))) any = true
      return any
    }),
  )
  return done.includes(true)
}

/** True when a batch went out. */
async function batch(deps: WorkerDeps, channel: Exclude<Channel, 'mail'>, deliver: Delivery): Promise<boolean> {
  const { outbox, clock, logger } = deps
  const now = clock()
  const [lease, entries] = await claimed(
    deps,
    async (own) => [own, await outbox.take(channel, own, now, now + leaseMs, batchSize)] as const,
  )
  if (entries.length === 0) return false
  const ids = entries.map(({ id }) => id)
  let errors: ReadonlyMap<string, unknown>
  try {
    errors = (await within(deliveryMs, async () => deliver(entries))) ?? new Map()
  } catch (error) {
    errors = new Map(ids.map((id) => [id, error]))
  }
  for (const error of new Set(errors.values())) {
    const permanent = (error as { permanent?: unknown } | null)?.permanent === true
    const failed = entries.filter(({ id }) => errors.get(id) === error)
    logger.warn({ err: error, channel, entries: failed.length, permanent }, 'a receiver did not take what it was sent')
    const reason = (error instanceof Error ? error.message : String(error)).slice(0, 300)
    for (const [fate, some] of fates(failed, reason, clock(), permanent ? 'dead' : null))
      await settle(deps, lease, some, fate)
  }
  const out = ids.filter((id) => !errors.has(id))
  if (out.length > 0) await settle(deps, lease, out, { status: 'sent' })
  return out.length > 0
}

/** What becomes of entries that did not go out, those of one fate together. */
function fates(
  entries: readonly Taken[],
  reason: string,
  now: number,
  end: 'dead' | 'unknown' | null,
): [Fate, string[]][] {
  const groups = new Map<number | null, string[]>()
  for (const { id, attempt } of entries) {
    const wait = end === null ? waitAfter(attempt) : null
    groups.set(wait, [...(groups.get(wait) ?? []), id])
  }
  return [...groups].map(([wait, ids]): [Fate, string[]] => [
    wait === null ? { status: end ?? 'dead', error: reason } : { status: 'waiting', error: reason, dueAt: now + wait },
    ids,
  ])
}
