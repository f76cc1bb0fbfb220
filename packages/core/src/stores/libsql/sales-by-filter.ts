import { and, asc, sql } from 'drizzle-orm'
import type { AuditContext } from '../../audit/store.ts'
import { maxTracesPerSaleStep, type DatasetFilter, type DatasetStore, type Sale } from '../../traces/dataset/store.ts'
import { jsonArgument, type Database } from './database.ts'
import {
  filterArguments,
  findLastPlace,
  isForSale,
  isPlaceWithin,
  isSellable,
  placesPerRead,
  type FilterArguments,
} from './sellable.ts'
import { build, insertSelect, prepare, type Param } from './statement.ts'
import { saleItems, sales, traces } from './tables/traces.ts'

/** `sales.pending`: the place up to which traces were considered, the last one, and who asked. */
interface Pending {
  readonly after: number
  readonly until: number
  readonly audit: AuditContext
}

const insertPendingSale = prepare<Sale & { filter: string; pending: string }>()(
  ({ id, buyer, usd, soldAt, filter, pending }) =>
    insertSelect(
      sales,
      { id, buyer, usd, soldAt, filter: sql`${filter}`, pending: sql`${pending}` },
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
const selectCandidates = prepare<FilterArguments & { after: number; until: number }>()((params) =>
  build
    .select({ num: traces.num, id: traces.id })
    .from(traces)
    .where(and(isPlaceWithin(params), isSellable(params)))
    .orderBy(asc(traces.num))
    .limit(sql.raw(String(maxTracesPerSaleStep)) as never),
)

interface StepParams {
  readonly saleId: string
  readonly after: number
  readonly next: number
  /** A JSON list of `SaleItem`. */
  readonly items: string
}
/** Selects the number of the sale, unless another call did this step. */
const saleAtStep = ({ saleId, after }: { readonly [Name in 'saleId' | 'after']: Param }) =>
  sql`(select ${sales.num} from ${sales} where ${sales.id} = ${saleId} and ${sales.pending}->>'after' = ${after})`
const countStep = prepare<StepParams>()((params) =>
  build
    .update(traces)
    .set({ saleCount: sql`${traces.saleCount} + 1` })
    .where(
      sql`${traces.id} in (select value->>'id' from json_each(${params.items})) and ${isForSale}
        and exists ${saleAtStep(params)}`,
    ),
)
const insertStepItems = prepare<StepParams>()((params) =>
  insertSelect(
    saleItems,
    { sale: sql`sale.num`, trace: traces.num, buyerId: sql`item.value->>'buyerId'` },
    sql`from ${saleAtStep(params)} sale cross join json_each(${params.items}) item
      cross join ${traces} on ${traces.id} = item.value->>'id' where ${isForSale}`,
  ),
)
const moveStep = prepare<StepParams>()((params) =>
  build
    .update(sales)
    .set({ pending: sql`json_set(${sales.pending}, '$.after', ${params.next})` })
    .where(sql`${sales.num} = ${saleAtStep(params)}`),
)
/** Makes the sale visible; of a finished sale it changes nothing. */
export const clearPending = prepare<{ saleId: string }>()(({ saleId }) =>
  build
    .update(sales)
    .set({ pending: null })
    .where(sql`${sales.id} = ${saleId} and ${sales.pending}->>'after' >= ${sales.pending}->>'until'`),
)
const selectPendingIds = prepare<{ startedBefore: number }>()(({ startedBefore }) =>
  build
    .select({ id: sales.id })
    .from(sales)
    .where(sql`${sales.pending} is not null and ${sales.soldAt} < ${startedBefore}`)
    .orderBy(asc(sales.soldAt))
    .limit(100),
)

/** Returns the steps of a sale by filter over libSQL; `DatasetStore` says what they guarantee. */
export function salesByFilter(
  db: Database,
): Pick<DatasetStore, 'findLastPlace' | 'startSale' | 'readPendingSale' | 'addSaleItems' | 'listPendingSales'> {
  return {
    findLastPlace: () => findLastPlace(db),

    async startSale({ sale, filter, until, audit }) {
      const pending: Pending = { after: 0, until: until ?? (await findLastPlace(db)), audit }
      await db.write([insertPendingSale({ ...sale, filter: JSON.stringify(filter), pending: JSON.stringify(pending) })])
    },

    async readPendingSale({ saleId }) {
      const [row] = await db.read(selectPendingSale({ saleId }))
      if (!row) return null
      const { filter, pending, ...sale } = row
      const { after, until, audit } = JSON.parse(pending) as Pending
      const end = Math.min(after + placesPerRead, until)
      const found = await db.read(
        selectCandidates({ ...filterArguments(JSON.parse(filter) as DatasetFilter), after, until: end }),
      )
      const next = found.length === maxTracesPerSaleStep ? found.at(-1)!.num : end
      return { sale, audit, after, next, isDone: after >= until, ids: found.map(({ id }) => id) }
    },

    async addSaleItems({ items, ...step }) {
      const params = { ...step, items: jsonArgument(items) }
      await db.write([insertStepItems(params), countStep(params), moveStep(params)])
    },

    async listPendingSales(params) {
      return (await db.read(selectPendingIds(params))).map(({ id }) => id)
    },
  }
}
