import { and, asc, desc, eq, lt, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { LedgerStore, RecordPayoutResult } from '../../ledger/store.ts'
import type { MailText } from '../../outbox/store.ts'
import { recordAudit, type AuditedChange } from './audit.ts'
import { maxRowsPerWrite, writeOnce } from './bounded-writes.ts'
import type { Database } from './database.ts'
import { addressOf, insertOutboxEntries } from './outbox.ts'
import { dayOf } from './overview.ts'
import { build, insertSelect, ownerNum, prepare } from './statement.ts'
import { adDays } from './tables/ads.ts'
import { ledger } from './tables/ledger.ts'
import { users } from './tables/sessions.ts'
import { saleItems, sales, traces } from './tables/traces.ts'

const entryColumns = {
  id: ledger.id,
  kind: ledger.kind,
  micros: ledger.micros,
  at: ledger.at,
  availableAt: ledger.availableAt,
  saleId: ledger.saleId,
  traces: ledger.traces,
  device: ledger.device,
  day: ledger.day,
  reference: sql<string | null>`case ${ledger.kind} when 'payout' then ${ledger.reference} end`,
  reason: ledger.reason,
}
const noEntry = {
  saleId: sql`null`,
  traces: sql`null`,
  device: sql`null`,
  day: sql`null`,
  reason: sql`null`,
}

// Only sales wait: a payout counts at once, even if the clock was set back since.
const isPending = (now: SQLWrapper): SQL => sql`(${ledger.kind} = 'sale' and ${ledger.availableAt} > ${now})`
/** Sums as reals: an integer above 2^53 could not be read. */
const sumIf = (condition: SQL): SQL<number> =>
  sql<number>`coalesce(cast(sum(${ledger.micros}) filter (where ${condition}) as real), 0)`
const balanceColumns = (now: SQLWrapper) => ({
  balance: sumIf(sql`not ${isPending(now)}`),
  pending: sumIf(isPending(now)),
  lifetime: sumIf(sql`${ledger.kind} <> 'payout'`),
})

interface PageArgs {
  readonly ownerId: string
  readonly before: number
  readonly limit: number
}
const selectPage = prepare<PageArgs>()(({ ownerId, before, limit }) =>
  build
    .select({ num: ledger.num, ...entryColumns })
    .from(ledger)
    .where(and(eq(ledger.owner, ownerNum(ownerId)), lt(ledger.num, before)))
    .orderBy(desc(ledger.num))
    .limit(limit),
)
const selectBalance = prepare<{ ownerId: string; now: number }>()(({ ownerId, now }) =>
  build
    .select(balanceColumns(now))
    .from(ledger)
    .where(eq(ledger.owner, ownerNum(ownerId))),
)
const selectEntriesOfOwner = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build
    .select(entryColumns)
    .from(ledger)
    .where(eq(ledger.owner, ownerNum(ownerId)))
    .orderBy(asc(ledger.num)),
)
const selectEntry = prepare<{ id: string }>()(({ id }) =>
  build.select(entryColumns).from(ledger).where(eq(ledger.id, id)),
)

const dayOfEntry = sql<number>`coalesce(${ledger.day}, ${dayOf(ledger.at)})`
const selectDayEarnings = prepare<{ ownerId: string; fromDay: number }>()(({ ownerId, fromDay }) =>
  build
    .select({ day: dayOfEntry, micros: sql<number>`cast(sum(${ledger.micros}) as real)` })
    .from(ledger)
    .where(
      sql`${ledger.owner} = ${ownerNum(ownerId)} and ${ledger.kind} in ('sale', 'impressions') and ${dayOfEntry} >= ${fromDay}`,
    )
    .groupBy(dayOfEntry)
    .orderBy(desc(dayOfEntry)),
)

const selectBalances = prepare<{ before: number; limit: number; now: number }>()(({ before, limit, now }) =>
  build
    .select({ num: users.num, userId: users.id, email: addressOf(users.num), ...balanceColumns(now) })
    .from(users)
    .innerJoin(ledger, eq(ledger.owner, users.num))
    .where(
      sql`${users.num} in (
        select person.num from ${users} person
        where person.num < ${before} and person.erased_at is null
          and exists (select 1 from ${ledger} entry where entry.owner = person.num)
        order by person.num desc limit ${limit})`,
    )
    .groupBy(users.num)
    .orderBy(desc(users.num)),
)

interface PayoutArgs {
  readonly id: string
  readonly userId: string
  readonly micros: number
  readonly reference: string
  readonly now: number
}
type Placeholders<Args> = { readonly [Name in keyof Args]: SQLWrapper }
const isPerson = (userId: SQLWrapper): SQL => sql`${users.id} = ${userId} and ${users.erasedAt} is null`
/** Returns the condition that a payout is recorded, for the statements before its insert. */
const isPayable = ({ userId, micros, reference, now }: Placeholders<Omit<PayoutArgs, 'id'>>): SQL =>
  sql`${isPerson(userId)}
    and not exists (select 1 from ${ledger} where ${ledger.kind} = 'payout' and ${ledger.reference} = ${reference})
    and ${micros} <= (
      select coalesce(sum(${ledger.micros}) filter (where not ${isPending(now)}), 0) from ${ledger} where ${ledger.owner} = ${users.num})`

const selectPayoutAudit = prepare<PayoutArgs>()(
  (params) =>
    sql<AuditedChange>`select ${users.id}, null, json_object('id', ${params.id}, 'usd', ${params.micros} / 1e6)
      from ${users} where ${isPayable(params)}`,
)
const enqueuePayoutMail = prepare<PayoutArgs & MailText>()((params) =>
  insertOutboxEntries(
    {
      id: params.id,
      owner: users.num,
      channel: sql`'mail'`,
      recipient: addressOf(users.num),
      subject: params.subject,
      payload: params.text,
      createdAt: params.now,
    },
    sql`from ${users} where ${isPayable(params)} and ${addressOf(users.num)} is not null`,
  ),
)
const insertPayout = prepare<PayoutArgs>()((params) =>
  insertSelect(
    ledger,
    {
      ...noEntry,
      id: params.id,
      owner: users.num,
      kind: sql`'payout'`,
      reference: params.reference,
      micros: sql`-${params.micros}`,
      at: params.now,
      availableAt: params.now,
    },
    sql`from ${users} where ${isPayable(params)}`,
  ),
)
const selectPayout = prepare<{ userId: string; reference: string }>()(({ userId, reference }) =>
  build
    .select({ ...entryColumns, isOfPerson: sql<number | null>`${ledger.owner} = ${ownerNum(userId)}` })
    .from(ledger)
    .where(sql`${ledger.kind} = 'payout' and ${ledger.reference} = ${reference}`),
)
const selectPerson = prepare<{ userId: string }>()(({ userId }) =>
  build.select({ num: users.num }).from(users).where(isPerson(userId)),
)

interface CorrectionArgs {
  readonly id: string
  readonly userId: string
  readonly micros: number
  readonly reason: string
  readonly now: number
}
const isNewEntry = (id: SQLWrapper): SQL => sql`not exists (select 1 from ${ledger} where ${ledger.id} = ${id})`
const selectCorrectionChange = prepare<CorrectionArgs>()(
  ({ id, userId, micros }) =>
    sql<AuditedChange>`select ${users.id}, null, json_object('id', ${id}, 'usd', ${micros} / 1e6)
      from ${users} where ${isPerson(userId)} and ${isNewEntry(id)}`,
)
const insertCorrection = prepare<CorrectionArgs>()(({ id, userId, micros, reason, now }) =>
  insertSelect(
    ledger,
    {
      ...noEntry,
      id,
      owner: users.num,
      kind: sql`'correction'`,
      reference: id,
      micros,
      at: now,
      availableAt: now,
      reason,
    },
    sql`from ${users} where ${isPerson(userId)} and ${isNewEntry(id)}`,
  ),
)

/** Returns the id of the n-th row that a statement selects: `entryIdAt`. */
const nthId = (entryId: SQLWrapper): SQL => sql`substr(${entryId}, 1, 31) || printf('%05x', row_number() over ())`
/** Selects the entries with such an id. */
const isMadeFrom = (entryId: SQLWrapper): SQL =>
  sql`${ledger.id} between substr(${entryId}, 1, 31) || '00000' and substr(${entryId}, 1, 31) || 'fffff'`

/** Days that one call posts: it holds the write lock for some 20 ms. */
const maxDaysPerPost = 500

interface PostArgs {
  readonly today: number
  readonly now: number
  readonly share: number
  readonly entryId: string
}
const impressionReference = sql`(${adDays.device} || '/' || ${adDays.day})`
const isPosted = sql`exists (select 1 from ${ledger} where ${ledger.kind} = 'impressions' and ${ledger.reference} = ${impressionReference})`
/** Returns the days that are over and not in the ledger, oldest first. */
const unpostedDays = (today: SQLWrapper, posted: SQL): SQL =>
  sql`${adDays} where ${adDays.unposted} > 0 and ${adDays.outcome} = 'counted' and ${adDays.day} < ${today} and ${posted}`
// What is added and what is cleared have the same order and limit.
const someOf = sql`order by ${adDays.day}, ${adDays.owner}, ${adDays.device} limit ${sql.raw(String(maxDaysPerPost))}`

const addLateToToday = prepare<{ today: number }>()(({ today }) =>
  insertSelect(
    adDays,
    {
      owner: adDays.owner,
      device: adDays.device,
      day: today,
      outcome: sql`'counted'`,
      count: sql`0`,
      micros: sql`0`,
      unposted: adDays.unposted,
    },
    sql`from ${unpostedDays(today, isPosted)} ${someOf}
      on conflict do update set unposted = ${adDays.unposted} + excluded.unposted`,
  ),
)
const keyColumns = sql`${adDays.owner}, ${adDays.device}, ${adDays.day}, ${adDays.outcome}`
const clearUnposted = (days: SQL) =>
  build
    .update(adDays)
    .set({ unposted: 0 })
    .where(sql`(owner, device, day, outcome) in (select ${keyColumns} from ${days})`)
const clearLate = prepare<{ today: number }>()(({ today }) =>
  clearUnposted(sql`${unpostedDays(today, isPosted)} ${someOf}`),
)
const insertImpressions = prepare<PostArgs>()(({ today, now, share, entryId }) =>
  insertSelect(
    ledger,
    {
      ...noEntry,
      id: nthId(entryId),
      owner: sql`past.owner`,
      kind: sql`'impressions'`,
      reference: sql`past.reference`,
      micros: sql`cast(round(past.unposted * ${share}) as integer)`,
      at: now,
      availableAt: now,
      device: sql`past.device`,
      day: sql`past.day`,
    },
    sql`from (
      select ${keyColumns}, ${adDays.unposted}, ${impressionReference} as reference from ${unpostedDays(
        today,
        sql`not ${isPosted}
          and exists (select 1 from ${users} where ${users.num} = ${adDays.owner} and ${users.erasedAt} is null)`,
      )} ${someOf}) past`,
  ),
)
const clearNew = prepare<{ today: number; entryId: string }>()(({ today, entryId }) =>
  clearUnposted(
    unpostedDays(
      today,
      sql`exists (select 1 from ${ledger}
        where ${ledger.kind} = 'impressions' and ${ledger.reference} = ${impressionReference} and ${isMadeFrom(entryId)})`,
    ),
  ),
)

interface SaleEntriesArgs {
  readonly saleId: string
  readonly micros: number
  readonly entryId: string
  readonly soldAt: number
  readonly availableAt: number
}

/**
 * Adds one entry for each contributor of a sale, for the transaction that records it: `divideByTokens` in SQL. A sale
 * whose entries exist gets no others.
 */
export const insertSaleEntries = prepare<SaleEntriesArgs>()(({ saleId, micros, entryId, soldAt, availableAt }) =>
  insertSelect(
    ledger,
    {
      ...noEntry,
      id: nthId(entryId),
      owner: sql`share.owner`,
      kind: sql`'sale'`,
      reference: sql`${saleId} || '/' || share.person`,
      micros: sql`share.micros + iif(share.rank = 1, ${micros} - sum(share.micros) over (), 0)`,
      at: soldAt,
      availableAt,
      saleId,
      traces: sql`share.traces`,
    },
    sql`from (
      with part (owner, person, tokens, traces) as (
        select ${users.num}, ${users.id}, sum(${traces.tokenCount}), count(*) from ${saleItems}
        cross join ${traces} on ${traces.num} = ${saleItems.trace}
        cross join ${users} on ${users.num} = ${traces.owner} and ${users.erasedAt} is null
        where ${saleItems.sale} = (select ${sales.num} from ${sales} where ${sales.id} = ${saleId}) group by ${users.num}),
      weighed as (select owner, person, traces, iif(sum(tokens) over () > 0, tokens, traces) as weight from part),
      counted as (select *, sum(weight) over () as whole from weighed)
      select owner, person, traces,
        cast(cast(${micros} as integer) / whole * weight + cast(${micros} as integer) % whole * weight / whole as integer) as micros,
        row_number() over (order by weight desc, owner) as rank
      from counted) share
    where not exists (select 1 from ${ledger} where ${ledger.kind} = 'sale'
      and ${ledger.reference} > ${saleId} || '/' and ${ledger.reference} < ${saleId} || '0')
    order by share.owner`,
  ),
)

const earlier = alias(ledger, 'earlier')
/** Enqueues a mail to each person whose first sale is this one, for the transaction that recorded it. */
export const enqueueFirstSaleMails = prepare<MailText & { saleId: string; entryId: string; soldAt: number }>()(
  ({ saleId, entryId, subject, text, soldAt }) =>
    insertOutboxEntries(
      {
        id: ledger.id,
        owner: ledger.owner,
        channel: sql`'mail'`,
        recipient: addressOf(ledger.owner),
        subject,
        payload: text,
        createdAt: soldAt,
      },
      sql`from ${ledger} where ${isMadeFrom(entryId)}
        and ${ledger.saleId} = ${saleId} and ${addressOf(ledger.owner)} is not null
        and not exists (select 1 from ${ledger} ${earlier} where ${earlier.owner} = ${ledger.owner}
          and ${earlier.num} < ${ledger.num} and ${earlier.kind} = 'sale')`,
    ),
)

// A payout keeps its reference, which the accounts refer to; that of any other entry names the person or their device.
const disown = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build
    .update(ledger)
    .set({
      owner: null,
      device: null,
      reason: null,
      reference: sql`iif(${ledger.kind} = 'payout', ${ledger.reference}, ${ledger.id})`,
    })
    .where(
      sql`${ledger.num} in (select ${ledger.num} from ${ledger} where ${ledger.owner} = ${ownerNum(ownerId)}
        limit ${sql.raw(String(maxRowsPerWrite))})`,
    ),
)

/** Returns the ledger over libSQL; `ledger/store.ts` says what it guarantees. */
export function libsqlLedger(db: Database): LedgerStore {
  return {
    async listEntries({ ownerId, now, cursor, limit }) {
      const [rows, [balance]] = await db.readAll([
        selectPage({ ownerId, before: cursor ?? Number.MAX_SAFE_INTEGER, limit: limit + 1 }),
        selectBalance({ ownerId, now }),
      ])
      const page = rows.slice(0, limit)
      return {
        balance: balance!,
        items: page.map(({ num: _, ...entry }) => entry),
        next: rows.length > limit ? page.at(-1)!.num : null,
      }
    },
    listDayEarnings: (params) => db.read(selectDayEarnings(params)),
    async listBalances({ now, cursor, limit }) {
      const rows = await db.read(selectBalances({ now, before: cursor ?? Number.MAX_SAFE_INTEGER, limit: limit + 1 }))
      const page = rows.slice(0, limit)
      return {
        items: page.map(({ num: _, ...person }) => person),
        next: rows.length > limit ? page.at(-1)!.num : null,
      }
    },

    async recordPayout({ id, userId, micros, reference, mail, audit }): Promise<RecordPayoutResult> {
      const params = { id, userId, micros, reference, now: audit.at }
      const [, , , found, balances, people] = await db.write([
        recordAudit(audit, 'payout.record', selectPayoutAudit(params)),
        enqueuePayoutMail({ ...params, ...mail }),
        insertPayout(params),
        selectPayout({ userId, reference }),
        selectBalance({ ownerId: userId, now: audit.at }),
        selectPerson({ userId }),
      ])
      if (people.rows.length === 0) return { outcome: 'unknown' }
      if (found.rows.length === 0) return { outcome: 'insufficient_balance' }
      const { isOfPerson, ...entry } = found.rows[0]!
      if (isOfPerson !== 1 || entry.micros !== -micros) return { outcome: 'reference_used' }
      return { outcome: 'recorded', entry, balance: balances.rows[0]! }
    },
    async recordCorrection({ id, userId, micros, reason, audit }) {
      const params = { id, userId, micros, reason, now: audit.at }
      const [, , entries, balances, people] = await db.write([
        recordAudit(audit, 'correction.record', selectCorrectionChange(params)),
        insertCorrection(params),
        selectEntry({ id }),
        selectBalance({ ownerId: userId, now: audit.at }),
        selectPerson({ userId }),
      ])
      const [entry] = entries.rows
      return people.rows.length > 0 && entry ? { entry, balance: balances.rows[0]! } : null
    },

    async postImpressions(params) {
      const { today } = params
      const [late, , posted] = await db.write([
        addLateToToday({ today }),
        clearLate({ today }),
        insertImpressions(params),
        clearNew(params),
      ])
      return late.changed >= maxDaysPerPost || posted.changed >= maxDaysPerPost
    },

    export: ({ ownerId }) => db.read(selectEntriesOfOwner({ ownerId })),
    erase: ({ ownerId }) => writeOnce(db, [disown({ ownerId })]),
  }
}
