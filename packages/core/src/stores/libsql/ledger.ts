import { accountList, listClauses, readList, type ListColumns } from './list.ts'
import { firstOf, pageOf } from '../../lists.ts'
import { and, asc, desc, eq, isNotNull, isNull, lt, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { LedgerStore } from '../../ledger/store.ts'
import type { MailText } from '../../outbox/store.ts'
import { maxRowsPerWrite, writeOnce } from './bounded-writes.ts'
import type { Database } from './database.ts'
import { selectAddress, insertOutboxEntries } from './outbox.ts'
import { selectDay } from './overview.ts'
import { build, insertSelect, ownerNum, prepare } from './statement.ts'
import { ledger } from './tables/ledger.ts'
import { users } from './tables/sessions.ts'
import { saleItems, sales, traces } from './tables/traces.ts'
import { balanceColumns, entryColumns, isMadeFrom, isPending, noEntry, makeRowId, sumIf } from './ledger-entries.ts'
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

const dayOfEntry = sql<number>`coalesce(${ledger.day}, ${selectDay(ledger.at)})`
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

const payoutColumns = {
  id: ledger.id,
  userId: users.id,
  email: users.email,
  micros: sql<number>`-${ledger.micros}`,
  at: ledger.at,
  reference: ledger.reference,
}
const balanceList: ListColumns<'signedUpAt' | 'unpaidUsd' | 'lifetimeUsd'> = {
  ...accountList,
  sorts: { ...accountList.sorts, unpaidUsd: users.unpaid, lifetimeUsd: users.lifetime },
}
const ofPayout = and(eq(users.num, ledger.owner), isNull(users.erasedAt))
const payoutList: ListColumns<'at' | 'usd'> = {
  num: ledger.num,
  at: ledger.at,
  sorts: { at: ledger.num, usd: sql`-${ledger.micros}` },
  ids: [ledger.id, ledger.reference],
  addresses: [users.email],
  owner: ledger.owner,
  text: [ledger.id, ledger.reference, users.id, users.email],
}
const selectLastPayout = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build
    .select(payoutColumns)
    .from(ledger)
    .leftJoin(users, ofPayout)
    .where(sql`${ledger.owner} = ${ownerNum(ownerId)} and ${ledger.kind} = 'payout'`)
    .orderBy(desc(ledger.num))
    .limit(1),
)

/** The share of a contributor in a sale. `owner` is `users.num`, or null for erased contributors together. */
export interface SalePart {
  readonly owner: number | null
  readonly newTokens: number
  readonly tokens: number
  readonly traces: number
}

interface SaleEntriesArgs {
  readonly saleId: string
  /**
   * A JSON list of `SalePart`, for a sale with more traces than one statement should read. Null means that the
   * statement reads the traces itself.
   */
  readonly parts: string | null
  readonly micros: number
  readonly entryId: string
  readonly soldAt: number
  readonly availableAt: number
}

/**
 * Adds one ledger entry for each contributor of a sale, in the transaction that records the sale. Implements
 * `divideByTokens` in SQL. Contributors who were erased during the sale have one entry without an owner, as if they had
 * been erased after it. Adds no entries to a sale that already has entries.
 */
export const insertSaleEntries = prepare<SaleEntriesArgs>()(({ saleId, parts, micros, entryId, soldAt, availableAt }) =>
  insertSelect(
    ledger,
    {
      ...noEntry,
      id: makeRowId(entryId),
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
        select ${users.num}, coalesce(${users.id}, 'erased'), sum(coalesce(${saleItems.newTokens}, ${traces.tokenCount})),
          sum(${traces.tokenCount}), count(*) from ${saleItems}
        cross join ${traces} on ${traces.num} = ${saleItems.trace}
        left join ${users} on ${users.num} = ${traces.owner} and ${users.erasedAt} is null
        where ${parts} is null and ${saleItems.sale} = (select ${sales.num} from ${sales} where ${sales.id} = ${saleId})
        group by ${users.num}
        union all select ${users.num}, coalesce(${users.id}, 'erased'), sum(cast(item.value->>'newTokens' as integer)),
          sum(cast(item.value->>'tokens' as integer)), sum(cast(item.value->>'traces' as integer))
        from json_each(${parts}) item
        left join ${users} on ${users.num} = cast(item.value->>'owner' as integer) and ${users.erasedAt} is null
        group by ${users.num}),
      weighed as (select *, iif(sum(new_tokens) over () > 0, new_tokens, traces) as weight from part),
      counted as (select *, cast(sum(weight) over () as integer) as whole from weighed)
      select owner, person, traces, new_tokens, tokens,
        cast(cast(${micros} as integer) / whole * weight + cast(${micros} as integer) % whole * weight / whole as integer) as micros,
        row_number() over (order by weight desc, owner is null, owner) as rank
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
/** Enqueues a mail to each person whose first sale is this sale, in the transaction that records the sale. */
export const enqueueFirstSaleMails = prepare<
  MailText & { saleId: string; entryId: string; soldAt: number; requestId: string }
>()(({ saleId, entryId, subject, text, soldAt, requestId }) =>
  insertOutboxEntries(
    {
      id: ledger.id,
      owner: ledger.owner,
      channel: sql`'mail'`,
      recipient: selectAddress(ledger.owner),
      subject,
      payload: text,
      createdAt: soldAt,
      requestId,
    },
    sql`from ${ledger} where ${isMadeFrom(entryId)}
        and ${ledger.saleId} = ${saleId} and ${selectAddress(ledger.owner)} is not null
        and not exists (select 1 from ${ledger} ${earlier} where ${earlier.owner} = ${ledger.owner}
          and ${earlier.num} < ${ledger.num} and ${earlier.kind} = 'sale')`,
  ),
)

// A payout or a correction keeps its reference, which the bookkeeping uses. The reference of any other entry names the
// person or a device, so the id of the entry replaces it.
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

/** Returns the ledger over libSQL. `ledger/store.ts` describes the guarantees. */
export function libsqlLedger(db: Database): LedgerStore {
  return {
    async listEntries({ ownerId, now, cursor, limit }) {
      const before = cursor ?? Number.MAX_SAFE_INTEGER
      const [rows, totals] = await db.readAll([
        selectPage({ ownerId, before, limit: limit + 1 }),
        selectTotals({ ownerId, before, now }),
      ])
      const { newer, ...balance } = firstOf(totals)
      const { page, next } = pageOf(rows, limit, ({ num }) => num)
      return {
        balance,
        items: page.map(({ num: _, ...entry }) => entry),
        newer,
        next,
      }
    },
    listDayEarnings: (params) => db.read(selectDayEarnings(params)),
    listPayouts(params) {
      const { place, where, order, limit } = listClauses(payoutList, params, sql`${ledger.kind} = 'payout'`)
      const query = build
        .select({ ...place, ...payoutColumns })
        .from(ledger)
        .leftJoin(users, ofPayout)
        .where(where)
        .orderBy(...order)
        .limit(limit)
      return readList(db, payoutList, params, query, (payout) => payout)
    },
    async findLastPayout(params) {
      const [payout] = await db.read(selectLastPayout(params))
      return payout ?? null
    },
    async findSaleShare({ saleId }) {
      const [share] = await db.read(selectSaleShare({ saleId }))
      return share && share.people > 0 ? share : null
    },
    listBalances({ now, ...params }) {
      const { place, where, order, limit } = listClauses(
        balanceList,
        params,
        isNull(users.erasedAt),
        isNotNull(users.unpaid),
      )
      const pendingEntries = build
        .select({ sum: sql`coalesce(cast(sum(${ledger.micros}) as real), 0)` })
        .from(ledger)
        .where(and(eq(ledger.owner, users.num), isPending(sql`${now}`)))
      const query = build
        .select({
          ...place,
          userId: users.id,
          email: users.email,
          unpaid: sql<number>`cast(${users.unpaid} as real)`,
          pending: sql<number>`(${pendingEntries})`,
          lifetime: sql<number>`cast(${users.lifetime} as real)`,
        })
        .from(users)
        .where(where)
        .orderBy(...order)
        .limit(limit)
      return readList(db, balanceList, params, query, ({ unpaid, ...person }) => ({
        ...person,
        balance: unpaid - person.pending,
      }))
    },
    ...libsqlLedgerChanges(db),
    ...libsqlPayoutRequests(db),
    ...libsqlLedgerImpressions(db),

    export: ({ ownerId }) => db.read(selectEntriesOfOwner({ ownerId })),
    erase: ({ ownerId }) => writeOnce(db, [disown({ ownerId }), deleteRequests({ ownerId })]),
  }
}
