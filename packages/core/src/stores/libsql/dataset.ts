import { listClauses, readList, type ListColumns } from './list.ts'
import { lastOf } from '../../lists.ts'
import { timestamp } from '../../ids.ts'
import { and, desc, eq, gte, isNull, lte, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import {
  nothingLeftOut,
  type DatasetFilter,
  type DatasetStore,
  type DatasetTotals,
  type FindSimilarSaleParams,
  type FinishSaleParams,
  type Sale,
  type SkippedTrace,
} from '../../traces/dataset/store.ts'
import { buyerKey } from '../../traces/dataset/rules.ts'
import { isNotAudited, recordAudit, type AuditedChange } from './audit.ts'
import { jsonArgument, yieldToEventLoop, type Database } from './database.ts'
import { prepareEvent } from './events.ts'
import { enqueueFirstSaleMails, insertSaleEntries, type SalePart } from './ledger.ts'
import { countName, selectDay, prepareDailyCounts } from './overview.ts'
import { libsqlDatasetDocuments } from './dataset-documents.ts'
import { clearPending, salesByFilter } from './sales-by-filter.ts'
import { isBoughtSince, isForSale, listSaleCandidates, listSkipReasons, saleNum, type Customer } from './sellable.ts'
import { build, insertSelect, parenthesize, prepare, type Param } from './statement.ts'
import { users } from './tables/sessions.ts'
import { saleItems, sales, traces } from './tables/traces.ts'
import { placesPerRead, sortByIds, titleFields } from './stored-traces.ts'

const tracesOfSale = (saleId: Param): SQL =>
  sql`select ${saleItems.trace} from ${saleItems} where ${saleItems.sale} = ${saleNum(saleId)}`

interface SaleParams extends Customer {
  /** A JSON list of `SaleItem`. */
  readonly items: string
  /** `RecordSaleParams.boughtOverlaps` as a JSON list. */
  readonly known: string
}
// If a sale is recorded again, it keeps the traces of the first call, even if the first call sold none. Nothing is
// counted or added.
interface ListedSale extends Sale {
  readonly buyerKey: string
  readonly copiedTraces: number
  readonly copiedTokens: number
  /** A JSON list of `SkippedTrace`. */
  readonly skipped: string
}
const insertSale = prepare<ListedSale>()(
  ({ id, buyer, buyerKey: key, usd, soldAt, copiedTraces, copiedTokens, skipped }) =>
    insertSelect(
      sales,
      {
        id,
        buyer,
        buyerKey: key,
        usd,
        soldAt,
        copiedTraces,
        copiedTokens,
        skipped,
        filter: sql`null`,
        pending: sql`null`,
      },
      sql`where true on conflict (id) do nothing`,
    ),
)
// Meanwhile the buyer may have bought a chosen trace, or a copy of it, in another sale. If a trace is listed twice, the
// first buyer id counts.
const insertSaleItems = prepare<SaleParams>()((params) =>
  insertSelect(
    saleItems,
    {
      sale: saleNum(params.saleId),
      trace: traces.num,
      buyerId: sql`item.value->>'buyerId'`,
      newTokens: sql`cast(item.value->>'newTokens' as integer)`,
    },
    sql`from json_each(${params.items}) item cross join ${traces} on ${traces.id} = item.value->>'id'
      where ${isForSale} and not ${isBoughtSince(params)} and ${isNotAudited('sale.record', params.saleId)}
      order by item.key on conflict (sale, trace) do nothing`,
  ),
)
const countSale = prepare<{ saleId: string }>()(({ saleId }) =>
  build
    .update(traces)
    .set({ saleCount: sql`${traces.saleCount} + 1` })
    .where(sql`${traces.num} in (${tracesOfSale(saleId)}) and ${isNotAudited('sale.record', saleId)}`),
)
const itemCount = parenthesize<number>(sql`select count(*) from ${saleItems} where ${saleItems.sale} = ${sales.num}`)
interface NewSale {
  readonly saleId: string
  /** Null means that the statement counts the traces. */
  readonly traceCount: number | null
}
const selectCount = ({ traceCount }: { readonly traceCount: SQLWrapper }): SQL =>
  sql`coalesce(cast(${traceCount} as integer), ${itemCount})`
/** Removes the price of a sale that sold nothing, before the price is counted. A recorded sale keeps its price. */
const clearPriceOfNothing = prepare<NewSale>()(({ saleId, traceCount }) =>
  build
    .update(sales)
    .set({ usd: 0 })
    .where(
      sql`${sales.id} = ${saleId} and ${selectCount({ traceCount })} = 0 and ${isNotAudited('sale.record', sales.id)}`,
    ),
)
const selectNewSale = prepare<NewSale>()(
  ({ saleId, traceCount }) =>
    sql<AuditedChange>`select ${sales.id}, null,
      json_object('buyer', ${sales.buyer}, 'usd', ${sales.usd}, 'traces', ${selectCount({ traceCount })})
      from ${sales} where ${sales.id} = ${saleId} and ${isNotAudited('sale.record', sales.id)}`,
)
const countSoldUsd = prepareDailyCounts<{ saleId: string }>(
  ({ saleId }) =>
    sql`select ${selectDay(sales.soldAt)}, ${countName('salesMicros')}, cast(round(${sales.usd} * 1000000) as integer)
      from ${sales} where ${sales.id} = ${saleId} and ${isNotAudited('sale.record', sales.id)}`,
)
/**
 * This statement must run before the audit entry is inserted, because the entry means that the sale was already
 * recorded.
 */
const enqueueRecorded = prepareEvent<NewSale>(({ saleId, traceCount }) => ({
  owner: sql`null`,
  subject: sales.id,
  data: sql`json_object('saleId', ${sales.id}, 'buyer', ${sales.buyer}, 'usd', ${sales.usd}, 'traceCount', ${selectCount({ traceCount })})`,
  from: sql`from ${sales} where ${sales.id} = ${saleId} and ${isNotAudited('sale.record', sales.id)}`,
}))
const selectSoldIds = prepare<{ saleId: string }>()(
  ({ saleId }) =>
    sql<{
      id: string
    }>`select ${traces.id} from (${tracesOfSale(saleId)}) sold cross join ${traces} on ${traces.num} = sold.trace`,
)
const saleList: ListColumns<'soldAt' | 'buyer' | 'usd'> = {
  num: sales.num,
  at: sales.soldAt,
  sorts: { soldAt: sales.num, buyer: sales.buyer, usd: sales.usd },
  ids: [sales.id],
  addresses: [sales.buyer],
  text: [sales.id, sales.buyer],
}
const soldNewTokens = sql<number>`coalesce(${saleItems.newTokens}, ${traces.tokenCount})`
const soldTraceList: ListColumns<'stored' | 'createdAt' | 'tokens' | 'newTokens'> = {
  num: saleItems.trace,
  at: traces.storedAt,
  sorts: {
    stored: saleItems.trace,
    createdAt: traces.createdAt,
    tokens: traces.tokenCount,
    newTokens: soldNewTokens,
  },
  ids: [traces.id, saleItems.buyerId],
  owner: traces.owner,
  text: [traces.id, saleItems.buyerId, traces.source, traces.model],
}
const selectSale = prepare<{ saleId: string }>()(({ saleId }) =>
  build
    .select({
      id: sales.id,
      buyer: sales.buyer,
      usd: sales.usd,
      soldAt: sales.soldAt,
      filter: sql<string | null>`${sales.filter}`,
      copiedTraces: sales.copiedTraces,
      copiedTokens: sales.copiedTokens,
      skipped: sales.skipped,
    })
    .from(sales)
    .where(and(eq(sales.id, saleId), isNull(sales.pending))),
)
const selectSimilarSale = prepare<FindSimilarSaleParams>()(({ buyer, traceCount, since, exceptId }) =>
  build
    .select({ soldAt: sales.soldAt })
    .from(sales)
    .where(
      sql`${sales.buyerKey} = ${buyer} and ${sales.soldAt} > ${since} and ${sales.pending} is null
        and ${sales.id} is not ${exceptId} and ${itemCount} = ${traceCount}`,
    )
    .orderBy(desc(sales.num))
    .limit(1),
)
/**
 * Selects some of the traces of a sale in the order of their row numbers, and sums them by owner. Traces of erased
 * people have no owner.
 */
const selectSaleParts = prepare<{ saleId: string; after: number }>()(
  ({ saleId, after }) => sql<Omit<SalePart, 'owner'> & { owner: number | null; last: number }>`
    select ${traces.owner} as "owner", sum(coalesce(item.new_tokens, ${traces.tokenCount})) as "newTokens",
      sum(${traces.tokenCount}) as "tokens", count(*) as "traces", max(item.trace) as "last"
    from (select trace, new_tokens from ${saleItems} where sale = ${saleNum(saleId)} and trace > ${after}
      order by trace limit ${sql.raw(String(placesPerRead))}) item
    cross join ${traces} on ${traces.num} = item.trace group by ${traces.owner}`,
)

/** Sums the traces of a sale by contributor in several steps, and yields to the event loop between them. */
async function readSaleParts(db: Database, saleId: string): Promise<DatasetTotals & { readonly parts: SalePart[] }> {
  const parts = new Map<number | null, Omit<SalePart, 'owner'>>()
  const totals = { traces: 0, tokens: 0 }
  for (let after = 0; ;) {
    const rows = await db.read(selectSaleParts({ saleId, after }))
    if (rows.length === 0) break
    for (const { owner, last, ...part } of rows) {
      const sum = parts.get(owner) ?? { newTokens: 0, tokens: 0, traces: 0 }
      parts.set(owner, {
        newTokens: sum.newTokens + part.newTokens,
        tokens: sum.tokens + part.tokens,
        traces: sum.traces + part.traces,
      })
      totals.traces += part.traces
      totals.tokens += part.tokens
      after = Math.max(after, last)
    }
    await yieldToEventLoop()
  }
  return { ...totals, parts: [...parts].map(([owner, part]) => ({ owner, ...part })) }
}
/** Returns the statements that run once all traces of a sale are stored. Each statement takes effect only once. */
const saleEffects = (
  { sale: { id: saleId, soldAt }, shares, audit, event }: FinishSaleParams,
  { traceCount, parts }: { readonly traceCount: number | null; readonly parts: string | null },
) => [
  clearPriceOfNothing({ saleId, traceCount }),
  countSoldUsd({ saleId }),
  enqueueRecorded({ saleId, traceCount, event }),
  recordAudit(audit, 'sale.record', selectNewSale({ saleId, traceCount })),
  insertSaleEntries({ saleId, parts, soldAt, ...shares }),
  enqueueFirstSaleMails({ saleId, soldAt, ...shares, ...shares.firstSaleMail, requestId: audit.requestId }),
]

/** Returns the dataset store over libSQL. `traces/dataset/store.ts` describes the guarantees. */
export function libsqlDataset(db: Database): DatasetStore {
  return {
    listSales({ buyer, ...params }) {
      const isOfBuyer = buyer === undefined ? undefined : eq(sales.buyerKey, buyerKey(buyer))
      const { place, where, order, limit } = listClauses(saleList, params, isNull(sales.pending), isOfBuyer)
      const fields = { id: sales.id, buyer: sales.buyer, usd: sales.usd, soldAt: sales.soldAt, traceCount: itemCount }
      const query = build
        .select({ ...place, ...fields })
        .from(sales)
        .where(where)
        .orderBy(...order)
        .limit(limit)
      return readList(db, saleList, params, query, (sale) => sale)
    },

    async findSimilarSale({ buyer, ...params }) {
      const [sale] = await db.read(selectSimilarSale({ ...params, buyer: buyerKey(buyer) }))
      return sale ?? null
    },

    listSoldTraces({ saleId, source, withdrawn, from, to, ...params }) {
      const isWithdrawn = sql<number>`${traces.withdrawnAt} is not null`
      const { place, where, order, limit } = listClauses(
        soldTraceList,
        params,
        from === undefined ? undefined : gte(traces.createdAt, timestamp(from)),
        to === undefined ? undefined : lte(traces.createdAt, timestamp(to)),
        withdrawn === undefined ? undefined : withdrawn ? isWithdrawn : sql`not (${isWithdrawn})`,
        sql`${saleItems.sale} = (select ${sales.num} from ${sales} where ${sales.id} = ${saleId} and ${sales.pending} is null)`,
        source === undefined ? undefined : eq(traces.source, source),
      )
      const query = build
        .select({
          ...place,
          ...titleFields,
          buyerTraceId: saleItems.buyerId,
          userId: parenthesize<string | null>(
            sql`select ${users.id} from ${users} where ${users.num} = ${traces.owner} and ${users.erasedAt} is null`,
          ),
          source: traces.source,
          model: traces.model,
          createdAt: traces.createdAt,
          tokens: traces.tokenCount,
          newTokens: soldNewTokens,
          withdrawn: isWithdrawn,
        })
        .from(saleItems)
        .innerJoin(traces, eq(traces.num, saleItems.trace))
        .where(where)
        .orderBy(...order)
        .limit(limit)
      return readList(db, soldTraceList, params, query, ({ withdrawn, ...trace }) => ({
        ...trace,
        withdrawn: withdrawn === 1,
      }))
    },

    ...salesByFilter(db),

    async finishSale(recorded) {
      const saleId = recorded.sale.id
      const { traces: traceCount, parts } = await readSaleParts(db, saleId)
      await db.write([clearPending({ saleId }), ...saleEffects(recorded, { traceCount, parts: jsonArgument(parts) })])
    },

    listSaleCandidates: (params) => listSaleCandidates(db, params),
    listSkipReasons: ({ ids }) => listSkipReasons(db, ids),

    async findSale({ saleId }) {
      const [sale] = await db.read(selectSale({ saleId }))
      if (!sale) return null
      const { traces, tokens } = await readSaleParts(db, saleId)
      const { copiedTraces, copiedTokens, skipped, filter, ...rest } = sale
      return {
        ...rest,
        traces,
        tokens,
        copies: { traces: copiedTraces, tokens: copiedTokens },
        skipped: JSON.parse(skipped) as SkippedTrace[],
        filter: filter === null ? null : (JSON.parse(filter) as DatasetFilter),
      }
    },

    async recordSale({ items, boughtOverlaps = [], leftOut: { copies, skipped } = nothingLeftOut, ...recorded }) {
      const { sale } = recorded
      const listed = {
        ...sale,
        buyerKey: buyerKey(sale.buyer),
        copiedTraces: copies.traces,
        copiedTokens: copies.tokens,
        skipped: jsonArgument(skipped),
      }
      const params = {
        saleId: sale.id,
        buyerKey: listed.buyerKey,
        items: jsonArgument(items),
        known: jsonArgument(boughtOverlaps),
      }
      const sold = lastOf(
        await db.write([
          insertSale(listed),
          insertSaleItems(params),
          countSale(params),
          ...saleEffects(recorded, { traceCount: null, parts: null }),
          selectSoldIds({ saleId: sale.id }),
        ]),
      )
      // A sale that was recorded before may contain other traces than this call lists.
      const rows = sold.rows as { id: string }[]
      return sortByIds(
        [...items, ...rows].map(({ id }) => id),
        rows,
      ).map(({ id }) => id)
    },

    ...libsqlDatasetDocuments(db),
  }
}
