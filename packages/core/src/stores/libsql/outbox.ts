import { eq, inArray, lt, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import { firstOf } from '../../lists.ts'
import { alias } from 'drizzle-orm/sqlite-core'
import {
  type AcknowledgeEntriesParams,
  type AttemptResult,
  type ClaimedEntry,
  type ClaimEntriesParams,
  type EntryStatus,
  type FailEntriesParams,
  type MailLimits,
  type OutboxEntry,
  type OutboxStore,
  type RefusedMail,
  type RetryEntriesParams,
} from '../../outbox/store.ts'
import { clockSkewMs } from '../../ports.ts'
import { queueTimes } from '../../queue/times.ts'
import { deleteSome, maxRowsPerWrite, writeUntilDone } from './bounded-writes.ts'
import { jsonArgument, type Database, type Query, writeNamed } from './database.ts'
import { listClauses, readList, type ListColumns } from './list.ts'
import { build, insertSelect, jsonValues, ownerNum, prepare } from './statement.ts'
import { profiles } from './tables/contributors.ts'
import { outbox } from './tables/outbox.ts'
import { users } from './tables/sessions.ts'
import { isResendable, libsqlOutboxChanges, unclaimed } from './outbox-changes.ts'

const { leaseMs, retryMs } = queueTimes.outbox

const hour = 60 * 60 * 1000

type NewEntry = { readonly [Name in Exclude<keyof OutboxEntry, 'orderKey' | 'requestId'> | 'owner']: SQLWrapper } & {
  readonly orderKey?: SQLWrapper
  readonly requestId?: SQLWrapper
}

/**
 * Returns the statement that enqueues an entry for each row of `from`, which must end with a `where` clause. The
 * statement must run in the transaction of the change that the entry reports. An entry whose id exists is not changed.
 */
export const insertOutboxEntries = (entry: NewEntry, from: SQL): SQL =>
  insertSelect(
    outbox,
    {
      orderKey: sql`null`,
      requestId: sql`null`,
      ...entry,
      status: sql`'waiting'`,
      attempts: sql`0`,
      lastError: sql`null`,
      results: sql`null`,
      dueAt: entry.createdAt,
      lease: sql`null`,
      leaseUntil: sql`null`,
      takenAt: sql`null`,
      finishedAt: sql`null`,
    },
    sql`${from} on conflict (id) do nothing`,
  )

/** An entry, and the person whose erasure also deletes the entry. Null if the entry contains no person's data. */
export type EnqueueParams = OutboxEntry & { readonly ownerId: string | null }

/**
 * Returns a statement that enqueues an entry if `condition` is true after the previous statements of the transaction.
 * The entry is thus stored if and only if the change is made.
 *
 * ```ts
 * const enqueueMail = prepareEnqueue<{ thingId: string }>(
 *   ({ thingId }) => sql`exists (select 1 from ${things} where ${things.id} = ${thingId})`,
 * )
 * await db.write([insertThing(thing), enqueueMail({ ...mail, ownerId, thingId: thing.id })])
 * ```
 */
export function prepareEnqueue<Params extends object = Record<never, never>>(
  condition: (params: { readonly [Name in keyof Params & string]: SQLWrapper }) => SQL,
): (params: EnqueueParams & Params) => Query {
  const bind = prepare<EnqueueParams & Params>()((params) => {
    const { id, ownerId, channel, recipient, subject, payload, createdAt, orderKey, requestId } =
      params as unknown as Record<keyof EnqueueParams, SQLWrapper>
    return insertOutboxEntries(
      { id, owner: ownerNum(ownerId), channel, recipient, subject, payload, createdAt, orderKey, requestId },
      sql`where ${condition(params as never)}`,
    )
  })
  return (params) => bind({ ...params, orderKey: params.orderKey ?? null, requestId: params.requestId ?? null })
}

/** Enqueues an entry without a condition. */
export const enqueue = prepareEnqueue(() => sql`true`)

/**
 * Selects the address for mails to a person: the address with which they sign in, or else the address of their contact.
 */
export const selectAddress = (owner: SQLWrapper): SQL<string | null> =>
  sql<string | null>`(select coalesce(person.email, contact.email) from ${users} person
    left join ${profiles} contact on contact.owner = person.num where person.num = ${owner})`

/** Deletes the entries with a person's data, at most `maxRowsPerWrite` of them. */
export const deleteOwnersEntries = prepare<{ ownerId: string }>()(({ ownerId }) =>
  deleteSome(outbox, eq(outbox.owner, ownerNum(ownerId))),
)

// The condition names all channels, so that SQLite uses the index on open entries.
const isOpen = sql`${outbox.channel} in ('mail', 'impression', 'telemetry', 'event') and ${outbox.finishedAt} is null`
const isWaiting = sql`${outbox.status} = 'waiting'`
const isSending = sql`${outbox.status} = 'sending'`
/**
 * Returns the condition that a lease expired. A lease that ends too far in the future was written before the clock was
 * set back.
 */
const isExpired = (now: SQLWrapper) =>
  sql`${outbox.leaseUntil} not between ${now} and ${now} + ${sql.raw(`${2 * leaseMs}`)}`
/** An entry is blocked while an earlier entry with the same order key is not finished. */
const earlier = alias(outbox, 'earlier')
export const isBlocked = sql`${outbox.orderKey} is not null and exists (
  select 1 from ${outbox} ${earlier} where ${earlier.channel} = ${outbox.channel} and ${earlier.recipient} = ${outbox.recipient}
    and ${earlier.orderKey} = ${outbox.orderKey} and ${earlier.finishedAt} is null and ${earlier.num} < ${outbox.num})`
/** Returns the condition that an entry waits and is due, or that its lease expired. */
export const isDueEntry = (now: SQLWrapper): SQL =>
  sql`((${isWaiting} and ${outbox.dueAt} <= ${now}) or (${isSending} and ${isExpired(now)}))`
/** Returns the condition that an entry without attempts was created in the future: the clock was set back. */
const isFromFuture = (now: SQLWrapper) =>
  sql`${outbox.attempts} = 0 and ${outbox.finishedAt} is null and ${outbox.createdAt} > ${now} + ${sql.raw(`${clockSkewMs}`)}
    and ${outbox.dueAt} > ${now}`
const isClaimed = ({ lease, ids }: { readonly lease: SQLWrapper; readonly ids: SQLWrapper }) =>
  sql`${outbox.lease} = ${lease} and ${outbox.id} in ${jsonValues(ids)}`

export const claimedColumns = {
  id: outbox.id,
  recipient: outbox.recipient,
  subject: outbox.subject,
  payload: outbox.payload,
  createdAt: outbox.createdAt,
  attempt: outbox.attempts,
}
export const claimedBy = ({
  lease,
  now,
  until,
}: {
  readonly lease: SQLWrapper
  readonly now: SQLWrapper
  readonly until: SQLWrapper
}) => ({
  status: 'sending' as const,
  lease: sql`${lease}`,
  leaseUntil: sql`${until}`,
  takenAt: sql`${now}`,
  attempts: sql`${outbox.attempts} + 1`,
})

const selectDue = prepare<{ now: number }>()(
  ({ now }) => sql<{ found: number }>`
    select 1 as found from ${outbox} where ${isOpen} and ${isWaiting} and ${outbox.dueAt} <= ${now}
    union all select 1 from ${outbox} where ${isOpen} and ${isSending} and ${isExpired(now)}
    union all select 1 from ${outbox} where ${isFromFuture(now)} limit 1`,
)

const makeFutureEntriesDue = prepare<{ now: number }>()(({ now }) =>
  build
    .update(outbox)
    .set({ dueAt: sql`${now}` })
    .where(sql`${outbox.num} in (select ${outbox.num} from ${outbox} where ${isFromFuture(now)} limit 500)`),
)

// The first bound on `due_at` lets SQLite use the index.
const advanceRetries = prepare<{ now: number }>()(({ now }) =>
  build
    .update(outbox)
    .set({ dueAt: sql`${now}` })
    .where(
      sql`${outbox.num} in (
        select ${outbox.num} from ${outbox} where ${isOpen} and ${isWaiting} and ${outbox.attempts} > 0
          and ${outbox.dueAt} > ${now} + ${sql.raw(`${retryMs[0] + clockSkewMs}`)}
          and ${outbox.dueAt} > ${now} + ${sql.raw(`${clockSkewMs}`)}
            + cast(json_extract(${sql.raw(`'${JSON.stringify(retryMs)}'`)}, '$[' || (${outbox.attempts} - 1) || ']') as integer)
        limit ${sql.raw(`${maxRowsPerWrite}`)})`,
    ),
)

const claimEntries = prepare<ClaimEntriesParams>()(({ channel, lease, now, until, limit }) =>
  build
    .update(outbox)
    .set(claimedBy({ lease, now, until }))
    .where(
      sql`${outbox.num} in (
        select ${outbox.num} from ${outbox} where ${outbox.channel} = ${channel} and ${outbox.finishedAt} is null
          and ${isDueEntry(now)} and not (${isBlocked})
        order by ${outbox.dueAt}, ${outbox.num} limit ${limit})`,
    )
    .returning(claimedColumns),
)

const expireMails = prepare<{ now: number }>()(({ now }) =>
  build
    .update(outbox)
    .set({ status: 'unknown', finishedAt: sql`${now}`, lastError: 'the worker stopped while the mail was being sent' })
    .where(
      sql`${outbox.num} in (
        select ${outbox.num} from ${outbox} where ${outbox.channel} = 'mail' and ${isSending}
          and ${outbox.finishedAt} is null and ${isExpired(now)}
        limit ${sql.raw(`${maxRowsPerWrite}`)})`,
    ),
)

type ClaimMailArgs = MailLimits & { lease: string; now: number; until: number }
const sent = alias(outbox, 'sent')
const mail = alias(outbox, 'mail')

// A claim counts as one mail, even if it contains several mails. When the limit of an address allows all its due mails,
// only the oldest is claimed; otherwise all are claimed as a digest.
const claimMails = prepare<ClaimMailArgs>()(({ lease, now, until, perHour, digestAfterMs, maxDigestEntries }) =>
  build
    .update(outbox)
    .set(claimedBy({ lease, now, until }))
    .where(
      sql`${outbox.num} in (
        with due as (
          select ${outbox.recipient} as recipient, count(*) as mails, min(${outbox.dueAt}) as oldest,
            min(${outbox.num}) as first from ${outbox}
          where ${outbox.channel} = 'mail' and ${isWaiting} and ${outbox.finishedAt} is null and ${outbox.dueAt} <= ${now}
          group by ${outbox.recipient}),
        allowed as (
          select recipient, mails, oldest, first, ${perHour} - (
            select count(distinct ${sent.lease}) from ${outbox} ${sent}
            where ${sent.channel} = 'mail' and ${sent.takenAt} is not null and ${sent.recipient} = due.recipient
              and ${sent.takenAt} > ${now} - ${sql.raw(`${hour}`)} and ${sent.takenAt} <= ${now} + ${sql.raw(`${clockSkewMs}`)}
              and ${sent.lease} is not null) as remaining
          from due),
        chosen as (
          select recipient, mails, remaining from allowed
          where mails <= remaining or remaining > 0 or oldest <= ${now} - ${digestAfterMs} order by oldest, first limit 1)
        select ${mail.num} from chosen cross join ${outbox} ${mail}
          on ${mail.channel} = 'mail' and ${mail.status} = 'waiting' and ${mail.finishedAt} is null
            and ${mail.dueAt} <= ${now} and ${mail.recipient} = chosen.recipient
        order by ${mail.dueAt}, ${mail.num}
        limit coalesce((select iif(mails <= remaining, 1, ${maxDigestEntries}) from chosen), 0))`,
    )
    .returning({ ...claimedColumns, payload: sql<string>`''` }),
)

// A digest only lists subjects, so the payload is read only for a single mail.
const selectMailPayload = prepare<{ lease: string }>()(({ lease }) =>
  build
    .select({ payload: outbox.payload })
    .from(outbox)
    .where(
      sql`${outbox.channel} = 'mail' and ${isSending} and ${outbox.finishedAt} is null and ${outbox.lease} = ${lease}`,
    )
    .limit(2),
)

/** The parameters of a method with its list of ids as JSON. */
type WithJson<Params> = Omit<Params, 'ids' | 'result'> & { ids: string; result: string | null }
const withJson = <Params extends { readonly ids: readonly string[]; readonly result?: AttemptResult | undefined }>(
  params: Params,
): WithJson<Params> => ({
  ...params,
  ids: jsonArgument(params.ids),
  result: params.result ? jsonArgument(params.result) : null,
})
const resultsWith = (result: SQLWrapper): SQL =>
  sql`iif(${result} is null, ${outbox.results}, json_insert(coalesce(${outbox.results}, '[]'), '$[#]', json(${result})))`

const acknowledgeEntries = prepare<WithJson<AcknowledgeEntriesParams>>()(({ lease, ids, now, result }) =>
  build
    .update(outbox)
    // A delivery to a webhook may be repeated, so it keeps its payload.
    .set({
      status: 'sent',
      finishedAt: sql`${now}`,
      payload: sql`iif(${outbox.channel} = 'webhook', ${outbox.payload}, '')`,
      lastError: null,
      results: resultsWith(result),
    })
    .where(sql`${isClaimed({ lease, ids })} and ${inArray(outbox.status, ['sending', 'unknown'])}`),
)

const retryEntries = prepare<WithJson<RetryEntriesParams>>()(({ lease, ids, error, dueAt, result }) =>
  build
    .update(outbox)
    .set({ ...unclaimed, dueAt: sql`${dueAt}`, lastError: sql`${error}`, results: resultsWith(result) })
    .where(sql`${isClaimed({ lease, ids })} and ${isSending}`),
)

const failEntries = prepare<WithJson<FailEntriesParams>>()(({ lease, ids, status, error, now, result }) =>
  build
    .update(outbox)
    .set({
      status: sql`${status}`,
      finishedAt: sql`${now}`,
      lastError: sql`${error}`,
      results: resultsWith(result),
    })
    .where(sql`${isClaimed({ lease, ids })} and ${isSending}`),
)

const releaseEntries = prepare<{ lease: string }>()(({ lease }) =>
  build
    .update(outbox)
    .set({ ...unclaimed, attempts: sql`${outbox.attempts} - 1` })
    .where(sql`${isOpen} and ${isSending} and ${outbox.lease} = ${lease}`),
)

const selectUnsentCounts = prepare()(
  () => sql<{ status: Exclude<EntryStatus, 'sent'>; entries: number }>`select ${outbox.status} as "status",
    count(*) as "entries" from ${outbox} where ${outbox.status} in ('waiting', 'sending', 'dead', 'unknown')
    group by ${outbox.status}`,
)

const listedColumns = {
  id: outbox.id,
  channel: outbox.channel,
  status: outbox.status,
  recipient: outbox.recipient,
  subject: outbox.subject,
  attempts: outbox.attempts,
  lastError: outbox.lastError,
  requestId: outbox.requestId,
  canResend: sql<number>`${outbox.status} = 'dead' and ${isResendable}`,
  createdAt: outbox.createdAt,
  dueAt: outbox.dueAt,
  finishedAt: outbox.finishedAt,
}
const outboxList: ListColumns<'createdAt' | 'recipient'> = {
  num: outbox.num,
  at: outbox.createdAt,
  sorts: { createdAt: outbox.num, recipient: outbox.recipient },
  ids: [outbox.id, outbox.recipient, outbox.requestId],
  owner: outbox.owner,
  addresses: [outbox.recipient],
  text: [outbox.id, outbox.recipient, outbox.subject, outbox.lastError, outbox.requestId],
}

const insertRefusedMail = prepare<RefusedMail>()(({ id, recipient, subject, status, error, requestId, now }) =>
  insertSelect(
    outbox,
    {
      id,
      owner: sql`(select ${users.num} from ${users} where ${users.email} = ${recipient})`,
      channel: sql`'mail'`,
      recipient,
      subject,
      payload: sql`''`,
      status,
      attempts: sql`1`,
      lastError: error,
      createdAt: now,
      dueAt: now,
      lease: sql`null`,
      leaseUntil: sql`null`,
      takenAt: sql`null`,
      finishedAt: now,
      orderKey: sql`null`,
      requestId,
      results: sql`null`,
    },
    sql`where true on conflict (id) do nothing`,
  ),
)

const deleteFinishedBefore = prepare<{ before: number }>()(({ before }) =>
  deleteSome(outbox, lt(outbox.finishedAt, before)),
)

/** Returns claimed entries oldest first, because `returning` has no order. */
export const sortByCreation = (entries: readonly ClaimedEntry[]): ClaimedEntry[] =>
  entries.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))

/** Deliveries are claimed and finished in transactions that run one after the other. */
export const onOutbox = { locks: ['outbox'] }

/** Returns the outbox store over libSQL. `outbox/store.ts` describes the guarantees. */
export function libsqlOutbox(db: Database): OutboxStore {
  const write = async (query: Query): Promise<void> => void (await db.write([query], onOutbox))

  return {
    enqueue: (entry) => write(enqueue({ ...entry, ownerId: null })),
    recordRefusedMail: (params) => write(insertRefusedMail(params)),
    async hasDue(params) {
      return (await db.read(selectDue(params))).length > 0
    },
    async claim(params) {
      const [, claimed] = await db.write([makeFutureEntriesDue(params), claimEntries(params)], onOutbox)
      return sortByCreation(claimed.rows)
    },
    async claimMail({ lease, now, until, limits }) {
      const { claimed, payloads } = await writeNamed(
        db,
        {
          futureEntriesDue: makeFutureEntriesDue({ now }),
          mails: expireMails({ now }),
          claimed: claimMails({ lease, now, until, ...limits }),
          payloads: selectMailPayload({ lease }),
        },
        onOutbox,
      )
      const entries = sortByCreation(claimed.rows)
      if (entries.length === 0) return null
      if (entries.length > 1) return { lease, digest: true, entries }
      return { lease, digest: false, entries: [{ ...firstOf(entries), payload: firstOf(payloads.rows).payload }] }
    },
    acknowledge: (params) => write(acknowledgeEntries(withJson(params))),
    retry: (params) => write(retryEntries(withJson(params))),
    fail: (params) => write(failEntries(withJson(params))),
    release: (params) => write(releaseEntries(params)),
    advanceRetries: (params) => writeUntilDone(db, [advanceRetries(params)]),
    ...libsqlOutboxChanges(db),
    async countUnsent() {
      const counts = { waiting: 0, sending: 0, dead: 0, unknown: 0 }
      for (const { status, entries } of await db.read(selectUnsentCounts({}))) counts[status] = entries
      return counts
    },
    list({ status, channel, ...params }) {
      const { place, where, order, limit } = listClauses(
        outboxList,
        params,
        status && eq(outbox.status, status),
        channel && eq(outbox.channel, channel),
      )
      const query = build
        .select({ ...place, ...listedColumns })
        .from(outbox)
        .where(where)
        .orderBy(...order)
        .limit(limit)
      return readList(db, outboxList, params, query, ({ canResend, ...entry }) => ({
        ...entry,
        canResend: canResend === 1,
      }))
    },
    deleteFinished: (params) => writeUntilDone(db, [deleteFinishedBefore(params)]),
  }
}
