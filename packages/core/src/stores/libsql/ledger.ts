import { and, asc, desc, eq, isNull, lt, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { LedgerStore } from '../../ledger/store.ts'
import type { MailText } from '../../outbox/store.ts'
import { maxRowsPerWrite, writeOnce } from './bounded-writes.ts'
import type { Database } from './database.ts'
import { addressOf, insertOutboxEntries } from './outbox.ts'
import { dayOf } from './overview.ts'
import { build, insertSelect, ownerNum, prepare } from './statement.ts'
import { ledger } from './tables/ledger.ts'
import { users } from './tables/sessions.ts'
import { saleItems, sales, traces } from './tables/traces.ts'
import { balanceColumns, entryColumns, isMadeFrom, isPending, noEntry, nthId, sumIf } from './ledger-entries.ts'
import { libsqlLedgerImpressions } from './ledger-impressions.ts'
import { libsqlLedgerChanges } from './ledger-changes.ts'
import { deleteRequests, libsqlPayoutRequests } from './payout-requests.ts'

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
const selectTotals = prepare<Omit<PageArgs, 'limit'> & { now: number }>()(({ ownerId, before, now }) =>
  build
    .select({
      ...balanceColumns(now),
      newer: sumIf(sql`${ledger.num} >= ${before} and ${ledger.kind} <> 'payout' and not ${isPending(now)}`),
    })
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
    .select({ num: users.num, userId: users.id, email: users.email, ...balanceColumns(now) })
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

// Sorted by `+num`, so that the index of kinds finds the payouts, which are few among the entries.
const selectPayouts = prepare<{ before: number; limit: number }>()(({ before, limit }) =>
  build
    .select({
      num: ledger.num,
      id: ledger.id,
      userId: users.id,
      email: users.email,
      micros: sql<number>`-${ledger.micros}`,
      at: ledger.at,
      reference: ledger.reference,
    })
    .from(ledger)
    .leftJoin(users, and(eq(users.num, ledger.owner), isNull(users.erasedAt)))
    .where(sql`${ledger.kind} = 'payout' and +${ledger.num} < ${before}`)
    .orderBy(sql`+${ledger.num} desc`)
    .limit(limit),
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
      newTokens: sql`share.new_tokens`,
      tokens: sql`share.tokens`,
    },
    sql`from (
      with part (owner, person, new_tokens, tokens, traces) as (
        select ${users.num}, ${users.id}, sum(coalesce(${saleItems.newTokens}, ${traces.tokenCount})),
          sum(${traces.tokenCount}), count(*) from ${saleItems}
        cross join ${traces} on ${traces.num} = ${saleItems.trace}
        cross join ${users} on ${users.num} = ${traces.owner} and ${users.erasedAt} is null
        where ${saleItems.sale} = (select ${sales.num} from ${sales} where ${sales.id} = ${saleId}) group by ${users.num}),
      weighed as (select *, iif(sum(new_tokens) over () > 0, new_tokens, traces) as weight from part),
      counted as (select *, cast(sum(weight) over () as integer) as whole from weighed)
      select owner, person, traces, new_tokens, tokens,
        cast(cast(${micros} as integer) / whole * weight + cast(${micros} as integer) % whole * weight / whole as integer) as micros,
        row_number() over (order by weight desc, owner) as rank
      from counted) share
    where not exists (select 1 from ${ledger} where ${ledger.kind} = 'sale'
      and ${ledger.reference} > ${saleId} || '/' and ${ledger.reference} < ${saleId} || '0')
    order by share.owner`,
  ),
)

const selectSaleShare = prepare<{ saleId: string }>()(({ saleId }) =>
  build
    .select({
      micros: sql<number>`cast(sum(${ledger.micros}) as real)`,
      people: sql<number>`count(*)`,
      availableAt: sql<number>`max(${ledger.availableAt})`,
    })
    .from(ledger)
    .where(
      sql`${ledger.kind} = 'sale' and ${ledger.reference} > ${saleId} || '/' and ${ledger.reference} < ${saleId} || '0'`,
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

// A payout or a correction keeps its reference, which the accounts refer to; that of any other entry names the person or their device.
const disown = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build
    .update(ledger)
    .set({
      owner: null,
      device: null,
      reason: null,
      reference: sql`iif(${ledger.kind} in ('payout', 'correction'), ${ledger.reference}, ${ledger.id})`,
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
      const before = cursor ?? Number.MAX_SAFE_INTEGER
      const [rows, [totals]] = await db.readAll([
        selectPage({ ownerId, before, limit: limit + 1 }),
        selectTotals({ ownerId, before, now }),
      ])
      const { newer, ...balance } = totals!
      const page = rows.slice(0, limit)
      return {
        balance,
        items: page.map(({ num: _, ...entry }) => entry),
        newer,
        next: rows.length > limit ? page.at(-1)!.num : null,
      }
    },
    listDayEarnings: (params) => db.read(selectDayEarnings(params)),
    async listPayouts({ cursor, limit }) {
      const rows = await db.read(selectPayouts({ before: cursor ?? Number.MAX_SAFE_INTEGER, limit: limit + 1 }))
      const page = rows.slice(0, limit)
      return {
        items: page.map(({ num: _, ...payout }) => payout),
        next: rows.length > limit ? page.at(-1)!.num : null,
      }
    },
    async findSaleShare({ saleId }) {
      const [share] = await db.read(selectSaleShare({ saleId }))
      return share && share.people > 0 ? share : null
    },
    async listBalances({ now, cursor, limit }) {
      const rows = await db.read(selectBalances({ now, before: cursor ?? Number.MAX_SAFE_INTEGER, limit: limit + 1 }))
      const page = rows.slice(0, limit)
      return {
        items: page.map(({ num: _, ...person }) => person),
        next: rows.length > limit ? page.at(-1)!.num : null,
      }
    },
    ...libsqlLedgerChanges(db),
    ...libsqlPayoutRequests(db),
    ...libsqlLedgerImpressions(db),

    export: ({ ownerId }) => db.read(selectEntriesOfOwner({ ownerId })),
    erase: ({ ownerId }) => writeOnce(db, [disown({ ownerId }), deleteRequests({ ownerId })]),
  }
}
