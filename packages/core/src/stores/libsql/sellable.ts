import { and, asc, sql, type SQL } from 'drizzle-orm'
import { firstOf } from '../../lists.ts'
import { buyerKey } from '../../traces/dataset/rules.ts'
import {
  maxTracesPerSaleStep,
  type CandidatePage,
  type DatasetFilter,
  type DatasetStore,
  type SkippedTrace,
} from '../../traces/dataset/store.ts'
import type { Overlap, SaleCandidate, TokenRanges } from '../../traces/copies/rules.ts'
import { jsonArgument, type Database } from './database.ts'
import { build, jsonValues, parenthesize, prepare, selectJsonIntegers, type Param } from './statement.ts'
import { isPlaceWithin, matchesDetails, placesPerRead } from './stored-traces.ts'
import { users } from './tables/sessions.ts'
import { overlaps, saleItems, sales, traces } from './tables/traces.ts'

/** Selects the row number of a sale. */
export const saleNum = (saleId: Param): SQL => sql`(select ${sales.num} from ${sales} where ${sales.id} = ${saleId})`

// A trace is not delivered after it was withdrawn, or after the erasure of its contributor has started.
export const isDeliverable = sql`${traces.withdrawnAt} is null and exists
  (select 1 from ${users} where ${users.num} = ${traces.owner} and ${users.erasedAt} is null)`
export const isForSale = sql`${traces.sellExcluded} = 0 and ${traces.withheld} is null and ${isDeliverable}`

/** The arguments of a filter; an absent condition is null. */
export interface FilterArguments {
  readonly source: string | null
  readonly agent: string | null
  readonly outcome: string | null
  readonly from: string | null
  readonly to: string | null
  readonly minTokens: number | null
  readonly model: string | null
  readonly neverSold: number | null
}
export const filterArguments = ({
  source,
  agent,
  outcome,
  from,
  to,
  minTokens,
  model,
  neverSold,
}: DatasetFilter): FilterArguments => ({
  source: source ?? null,
  agent: agent ?? null,
  outcome: outcome ?? null,
  from: from ?? null,
  to: to ?? null,
  minTokens: minTokens ?? null,
  model: model ?? null,
  neverSold: neverSold === true ? 1 : null,
})
/**
 * Returns the condition that a trace may be sold and matches a filter. A trace that is already part of the sale with
 * this ID also matches.
 */
export const isSellable = ({
  source,
  agent,
  outcome,
  from,
  to,
  minTokens,
  model,
  neverSold,
  saleId,
}: { readonly [Name in keyof FilterArguments | 'saleId']: Param }): SQL =>
  sql`${isForSale} and (${source} is null or ${traces.source} = ${source}) and ${matchesDetails({ agent, outcome })}
    and (${from} is null or ${traces.createdAt} >= ${from}) and (${to} is null or ${traces.createdAt} <= ${to})
    and (${minTokens} is null or ${traces.tokenCount} >= ${minTokens}) and (${model} is null or ${traces.model} = ${model})
    and (${neverSold} is null or not exists (select 1 from ${saleItems} cross join ${sales} on ${sales.num} = ${saleItems.sale}
      where ${saleItems.trace} = ${traces.num} and ${sales.id} <> ${saleId}))`

export const isBoughtBy = (buyer: Param, saleId: Param): SQL<number> =>
  parenthesize(sql`exists (select 1 from ${saleItems} cross join ${sales} on ${sales.num} = ${saleItems.sale}
    where ${saleItems.trace} = ${traces.num} and ${sales.buyerKey} = ${buyer} and ${sales.id} <> ${saleId})`)

/**
 * Returns the condition that the buyer bought the trace in another sale, or a trace that overlaps with it and is not in
 * `known`, the list of row numbers of the overlapping traces that the buyer had when the new tokens were counted.
 */
export const isBoughtSince = ({ buyerKey: buyer, saleId, known }: Record<keyof Customer | 'known', Param>): SQL =>
  sql`(${isBoughtBy(buyer, saleId)} or exists (select 1 from ${overlaps}
    cross join ${saleItems} on ${saleItems.trace} = ${overlaps.other} cross join ${sales} on ${sales.num} = ${saleItems.sale}
    where ${overlaps.trace} = ${traces.num} and ${overlaps.other} not in ${selectJsonIntegers(known)}
      and ${sales.buyerKey} = ${buyer} and ${sales.id} <> ${saleId}))`

/** The buyer to whom traces are offered, and the sale. */
export interface Customer {
  readonly buyerKey: string
  readonly saleId: string
}
const hasOverlaps = parenthesize<number>(
  sql`exists (select 1 from ${overlaps} where ${overlaps.trace} = ${traces.num})`,
)
const candidateFields = ({ buyerKey, saleId }: { readonly [Name in keyof Customer]: Param }) => ({
  num: traces.num,
  id: traces.id,
  owner: sql<number>`${traces.owner}`,
  tokenCount: traces.tokenCount,
  isSold: sql<number>`${traces.saleCount} > 0`,
  isBought: isBoughtBy(buyerKey, saleId),
  hasOverlaps,
})
/** Returns the condition that a trace does not overlap with other traces, and that the buyer does not have it. */
export const isUnique = ({ buyerKey, saleId }: { readonly [Name in keyof Customer]: Param }): SQL =>
  sql`not ${isBoughtBy(buyerKey, saleId)} and not ${hasOverlaps}`
type PageParams = FilterArguments & Customer & { readonly after: number; readonly until: number }
interface PageTotals {
  readonly count: number
  readonly last: number
  readonly compared: number
  readonly uniqueTraces: number
  readonly uniqueTokens: number
  readonly soldBefore: number
  readonly boughtTraces: number
  readonly boughtTokens: number
}
const sumPage = (kind: 'unique' | 'bought' | 'compared', amount: string): SQL =>
  sql.raw(`coalesce(sum(iif(kind = '${kind}', ${amount}, 0)), 0)`)
/**
 * Counts the first traces in a range of row numbers. Returning a row for each trace instead would take most of the time
 * of a sale.
 */
const selectPageTotals = prepare<PageParams>()(
  (params) => sql<PageTotals>`select count(*) as "count", coalesce(max(num), 0) as "last",
      ${sumPage('compared', '1')} as "compared", ${sumPage('unique', '1')} as "uniqueTraces",
      ${sumPage('unique', 'tokens')} as "uniqueTokens", ${sumPage('unique', 'was_sold')} as "soldBefore",
      ${sumPage('bought', '1')} as "boughtTraces", ${sumPage('bought', 'tokens')} as "boughtTokens"
    from (select ${traces.num} as num, ${traces.tokenCount} as tokens, iif(${traces.saleCount} > 0, 1, 0) as was_sold,
        iif(${isBoughtBy(params.buyerKey, params.saleId)}, 'bought', iif(${hasOverlaps}, 'compared', 'unique')) as kind
      from ${traces} where ${isPlaceWithin(params)} and ${isSellable(params)}
      order by ${traces.num} limit ${sql.raw(String(maxTracesPerSaleStep))}) page`,
)
const selectCompared = prepare<PageParams>()((params) =>
  build
    .select(candidateFields(params))
    .from(traces)
    .where(
      and(
        isPlaceWithin(params),
        isSellable(params),
        sql`${hasOverlaps} and not ${isBoughtBy(params.buyerKey, params.saleId)}`,
      ),
    )
    .orderBy(asc(traces.num)),
)
const selectListed = prepare<Customer & { ids: string }>()((params) =>
  build
    .select(candidateFields(params))
    .from(traces)
    .where(sql`${traces.id} in ${jsonValues(params.ids)} and ${isForSale}`)
    .orderBy(asc(traces.num)),
)

interface OverlapRow {
  readonly trace: number
  readonly num: number
  readonly owner: number | null
  readonly tokenCount: number
  readonly isEarlier: number
  readonly isOffered: number
  readonly isBought: number
  readonly ranges: string
}
const selectOverlapsWith = (isOffered: SQL, nums: Param, { buyerKey, saleId }: Record<keyof Customer, Param>) =>
  sql<OverlapRow>`select ${overlaps.trace} as "trace", ${overlaps.other} as "num", ${traces.owner} as "owner",
      ${traces.tokenCount} as "tokenCount", ${overlaps.isEarlier} as "isEarlier", ${isOffered} as "isOffered",
      ${isBoughtBy(buyerKey, saleId)} as "isBought", ${overlaps.ranges} as "ranges"
    from json_each(${nums}) place cross join ${overlaps} on ${overlaps.trace} = cast(place.value as integer)
      cross join ${traces} on ${traces.num} = ${overlaps.other}`
const selectMatchingOverlaps = prepare<FilterArguments & Customer & { until: number; nums: string }>()((params) =>
  selectOverlapsWith(sql`(${isSellable(params)} and ${traces.num} <= ${params.until})`, params.nums, params),
)
const selectListedOverlaps = prepare<Customer & { ids: string; nums: string }>()((params) =>
  selectOverlapsWith(sql`(${traces.id} in ${jsonValues(params.ids)} and ${isForSale})`, params.nums, params),
)

const nothing = { traces: 0, tokens: 0 }

/** Returns a page of the traces of an offer, as `DatasetStore.listSaleCandidates` describes. */
export async function listSaleCandidates(
  db: Database,
  { offer, buyer, saleId = '', cursor }: Parameters<DatasetStore['listSaleCandidates']>[0],
): Promise<CandidatePage> {
  const customer = { buyerKey: buyerKey(buyer), saleId }
  if ('ids' in offer) {
    const ids = jsonArgument(offer.ids)
    const rows = await db.read(selectListed({ ...customer, ids }))
    const found = await readOverlaps(rows, (nums) => db.read(selectListedOverlaps({ ...customer, ids, nums })))
    return { candidates: found, unique: { ...nothing, soldBefore: 0 }, bought: nothing, next: null }
  }
  const { until } = offer
  const params = { ...filterArguments(offer.filter), ...customer }
  const after = cursor ?? 0
  const end = Math.min(after + placesPerRead, until)
  const totals = firstOf(await db.read(selectPageTotals({ ...params, after, until: end })))
  const last = totals.count === maxTracesPerSaleStep ? totals.last : end
  const rows = totals.compared === 0 ? [] : await db.read(selectCompared({ ...params, after, until: last }))
  return {
    candidates: await readOverlaps(rows, (nums) => db.read(selectMatchingOverlaps({ ...params, until, nums }))),
    unique: { traces: totals.uniqueTraces, tokens: totals.uniqueTokens, soldBefore: totals.soldBefore },
    bought: { traces: totals.boughtTraces, tokens: totals.boughtTokens },
    next: last < until ? last : null,
  }
}

type CandidateRow = Omit<SaleCandidate, 'overlaps' | 'isSold' | 'isBought'> &
  Readonly<Record<'isSold' | 'isBought' | 'hasOverlaps', number>>

/** Reads the overlaps of candidates with other traces. Skips candidates without overlaps. */
async function readOverlaps(
  rows: readonly CandidateRow[],
  read: (nums: string) => Promise<OverlapRow[]>,
): Promise<SaleCandidate[]> {
  const nums = rows.filter(({ hasOverlaps }) => hasOverlaps === 1).map(({ num }) => num)
  const byTrace = new Map(rows.map(({ num }): [number, Overlap[]] => [num, []]))
  for (const row of nums.length === 0 ? [] : await read(jsonArgument(nums)))
    byTrace.get(row.trace)?.push(toOverlap(row))
  return rows.map(({ hasOverlaps: _, isSold, isBought, ...row }) => ({
    ...row,
    isSold: isSold === 1,
    isBought: isBought === 1,
    overlaps: byTrace.get(row.num) ?? [],
  }))
}

const toOverlap = ({ trace: _, ranges, ...row }: OverlapRow): Overlap => ({
  ...row,
  isEarlier: row.isEarlier === 1,
  isOffered: row.isOffered === 1,
  isBought: row.isBought === 1,
  ranges: JSON.parse(ranges) as TokenRanges,
})

const selectSkipped = prepare<{ ids: string }>()(
  ({ ids }) => sql<{ id: string; isGone: number; isForSale: number }>`
    select listed.value as "id", ${traces.owner} is null as "isGone", ${isForSale} as "isForSale"
    from json_each(${ids}) listed left join ${traces} on ${traces.id} = listed.value order by listed.key`,
)

/** Returns the reasons why traces are not for sale, as `DatasetStore.listSkipReasons` describes. */
export async function listSkipReasons(db: Database, ids: readonly string[]): Promise<SkippedTrace[]> {
  const rows = await db.read(selectSkipped({ ids: jsonArgument(ids) }))
  return rows
    .filter((row) => row.isForSale !== 1)
    .map(({ id, isGone }) => ({ id, reason: isGone === 1 ? 'gone' : 'excluded' }))
}
