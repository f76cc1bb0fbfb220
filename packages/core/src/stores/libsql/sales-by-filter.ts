import { asc, sql, type SQL } from 'drizzle-orm'
import type { AuditContext } from '../../audit/store.ts'
import {
  maxSkippedTraces,
  nothingLeftOut,
  type DatasetFilter,
  type DatasetStore,
  type Sale,
} from '../../traces/dataset/store.ts'
import { jsonArgument, type Database } from './database.ts'
import { listBoughtOverlaps } from '../../traces/copies/rules.ts'
import { buyerKey } from '../../traces/dataset/rules.ts'
import {
  filterArguments,
  isBoughtBy,
  isBoughtSince,
  isForSale,
  isSellable,
  isUnique,
  listSaleCandidates,
  type Customer,
  type FilterArguments,
} from './sellable.ts'
import { build, insertSelect, selectJsonIntegers, prepare, type Param } from './statement.ts'
import { findLastPlace, isPlaceWithin } from './stored-traces.ts'
import { saleItems, sales, traces } from './tables/traces.ts'

/**
 * `sales.pending`: the row number up to which traces were considered, the last row number, and who requested the sale.
 */
interface Pending {
  readonly after: number
  readonly until: number
  readonly audit: AuditContext
}

const nothingCopied = { copiedTraces: sql`0`, copiedTokens: sql`0`, skipped: sql`'[]'` }
const insertPendingSale = prepare<Sale & { buyerKey: string; filter: string; pending: string }>()(
  ({ id, buyer, buyerKey, usd, soldAt, filter, pending }) =>
    insertSelect(
      sales,
      { id, buyer, buyerKey, usd, soldAt, filter: sql`${filter}`, pending: sql`${pending}`, ...nothingCopied },
      sql`where true on conflict (id) do nothing`,
    ),
)
const selectPendingSale = prepare<{ saleId: string }>()(({ saleId }) =>
  build
    .select({
      id: sales.id,
      buyer: sales.buyer,
      usd: sales.usd,
      soldAt: sales.soldAt,
      filter: sql<string>`${sales.filter}`,
      pending: sql<string>`${sales.pending}`,
    })
    .from(sales)
    .where(sql`${sales.id} = ${saleId} and ${sales.pending} is not null`),
)
interface StepParams extends FilterArguments, Customer {
  readonly after: number
  readonly next: number
  /** A JSON list of `SaleItem`, with the row number of each trace in `num`. */
  readonly items: string
  /** A JSON list of the row numbers of the overlapping traces that the buyer had when the candidates were read. */
  readonly known: string
  /** A JSON list of the row numbers of the candidates. */
  readonly candidates: string
  /** `AddSaleItemsParams.uniqueBuyerIds` as a JSON list. */
  readonly uniqueBuyerIds: string
  readonly boughtTraces: number
  readonly copiedTraces: number
  readonly copiedTokens: number
  /** A JSON list of `SkippedTrace`. */
  readonly skipped: string
}
/** Selects the number of the sale, unless another call has done this step. */
const saleAtStep = ({ saleId, after }: { readonly [Name in 'saleId' | 'after']: Param }) =>
  sql`(select ${sales.num} from ${sales} where ${sales.id} = ${saleId} and cast(${sales.pending}->>'after' as integer) = ${after})`
const insertStepItems = prepare<StepParams>()((params) =>
  insertSelect(
    saleItems,
    {
      sale: sql`sale.num`,
      trace: traces.num,
      buyerId: sql`item.value->>'buyerId'`,
      newTokens: sql`cast(item.value->>'newTokens' as integer)`,
    },
    sql`from ${saleAtStep(params)} sale cross join json_each(${params.items}) item
      cross join ${traces} on ${traces.num} = cast(item.value->>'num' as integer)
      where ${traces.id} = item.value->>'id' and ${isForSale} and not ${isBoughtSince(params)}`,
  ),
)
const insertUniqueItems = prepare<StepParams>()((params) =>
  insertSelect(
    saleItems,
    { sale: sql`sale.num`, trace: traces.num, buyerId: sql`given.value`, newTokens: sql`${traces.tokenCount}` },
    sql`from ${saleAtStep(params)} sale cross join json_each(${params.uniqueBuyerIds}) given
      cross join ${traces} on ${traces.num} = cast(${params.after} as integer) + 1 + given.key
      where ${isSellable(params)} and ${isUnique(params)} and ${traces.num} not in ${selectJsonIntegers(params.candidates)}`,
  ),
)
const isOfStep = ({ after, next }: { readonly [Name in 'after' | 'next']: Param }): SQL =>
  isPlaceWithin({ after, until: next })
const countStep = prepare<StepParams>()((params) =>
  build
    .update(traces)
    .set({ saleCount: sql`${traces.saleCount} + 1` })
    .where(
      sql`${isOfStep(params)} and exists (select 1 from ${saleItems} where ${saleItems.sale} = ${saleAtStep(params)}
        and ${saleItems.trace} = ${traces.num})`,
    ),
)
const moveStep = prepare<StepParams>()((params) =>
  build
    .update(sales)
    .set({
      pending: sql`json_set(${sales.pending}, '$.after', ${params.next})`,
      copiedTraces: sql`${sales.copiedTraces} + ${params.copiedTraces}`,
      copiedTokens: sql`${sales.copiedTokens} + ${params.copiedTokens}`,
      // A full list is not read and written again.
      skipped: sql`iif(json_array_length(${sales.skipped}) >= ${sql.raw(String(maxSkippedTraces))}, ${sales.skipped},
        (select json_group_array(json(value)) from (select value from json_each(${sales.skipped})
        union all select value from json_each(${params.skipped})
        union all select json_object('id', ${traces.id}, 'reason', 'copy') from ${traces}
          where ${params.boughtTraces} > 0 and ${isOfStep(params)} and ${isSellable(params)}
            and ${isBoughtBy(params.buyerKey, params.saleId)}
        limit ${sql.raw(String(maxSkippedTraces))})))`,
    })
    .where(sql`${sales.num} = ${saleAtStep(params)}`),
)
/** Makes the sale visible. It does not change a finished sale. */
export const clearPending = prepare<{ saleId: string }>()(({ saleId }) =>
  build
    .update(sales)
    .set({ pending: null })
    .where(
      sql`${sales.id} = ${saleId} and cast(${sales.pending}->>'after' as integer) >= cast(${sales.pending}->>'until' as integer)`,
    ),
)
const selectPendingIds = prepare<{ startedBefore: number }>()(({ startedBefore }) =>
  build
    .select({ id: sales.id })
    .from(sales)
    .where(sql`${sales.pending} is not null and ${sales.soldAt} < ${startedBefore}`)
    .orderBy(asc(sales.soldAt))
    .limit(100),
)

/** Returns the steps of a sale by filter over libSQL. `DatasetStore` describes the guarantees. */
export function salesByFilter(
  db: Database,
): Pick<DatasetStore, 'findLastPlace' | 'startSale' | 'readPendingSale' | 'addSaleItems' | 'listPendingSales'> {
  return {
    findLastPlace: () => findLastPlace(db),

    async startSale({ sale, filter, until, audit }) {
      const pending: Pending = { after: 0, until: until ?? (await findLastPlace(db)), audit }
      await db.write([
        insertPendingSale({
          ...sale,
          buyerKey: buyerKey(sale.buyer),
          filter: JSON.stringify(filter),
          pending: JSON.stringify(pending),
        }),
      ])
    },

    async readPendingSale({ saleId }) {
      const [row] = await db.read(selectPendingSale({ saleId }))
      if (!row) return null
      const { filter: given, pending, ...sale } = row
      const { after, until, audit } = JSON.parse(pending) as Pending
      const filter = JSON.parse(given) as DatasetFilter
      const offered = { offer: { filter, until }, buyer: sale.buyer, saleId, cursor: after }
      const { next, ...page } = await listSaleCandidates(db, offered)
      return { sale, filter, audit, after, next: next ?? until, isDone: after >= until, ...page }
    },

    async addSaleItems({ step, items, uniqueBuyerIds, leftOut: { copies, skipped } = nothingLeftOut }) {
      const { sale, filter, after, next, candidates, bought } = step
      // The traces are found by their row numbers, which are in order, unlike their random ids. The ids are compared
      // too, because after a deletion another trace may have the row number.
      const places = new Map(candidates.map(({ id, num }) => [id, num]))
      const params = {
        ...filterArguments(filter),
        buyerKey: buyerKey(sale.buyer),
        saleId: sale.id,
        after,
        next,
        items: jsonArgument(items.map((item) => ({ ...item, num: places.get(item.id) }))),
        known: jsonArgument(listBoughtOverlaps(candidates)),
        candidates: jsonArgument(candidates.map(({ num }) => num)),
        uniqueBuyerIds: jsonArgument(uniqueBuyerIds),
        boughtTraces: bought.traces,
        copiedTraces: copies.traces + bought.traces,
        copiedTokens: copies.tokens + bought.tokens,
        skipped: jsonArgument(skipped),
      }
      await db.write([insertStepItems(params), insertUniqueItems(params), countStep(params), moveStep(params)])
    },

    async listPendingSales(params) {
      return (await db.read(selectPendingIds(params))).map(({ id }) => id)
    },
  }
}
