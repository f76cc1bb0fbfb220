import { and, sql, type SQL } from 'drizzle-orm'
import type { DatasetFilter, SellableTotals } from '../../traces/dataset/store.ts'
import { yieldToEventLoop } from './batching.ts'
import { jsonArgument, type Database } from './database.ts'
import { build, jsonValues, prepare, type Param } from './statement.ts'
import { users } from './tables/sessions.ts'
import { traces } from './tables/traces.ts'

// No trace of an erased person is for sale, from the start of the erasure, and none that is withheld.
export const isForSale = sql`${traces.sellExcluded} = 0 and ${traces.withheld} is null and exists
  (select 1 from ${users} where ${users.num} = ${traces.owner} and ${users.erasedAt} is null)`

/** The arguments of a filter; what it leaves out is null. */
export interface FilterArguments {
  readonly source: string | null
  readonly from: string | null
  readonly to: string | null
  readonly minTokens: number | null
}
export const filterArguments = ({ source, from, to, minTokens }: DatasetFilter): FilterArguments => ({
  source: source ?? null,
  from: from ?? null,
  to: to ?? null,
  minTokens: minTokens ?? null,
})
/** Returns the condition that a trace may be sold and matches a filter. */
export const isSellable = ({ source, from, to, minTokens }: { readonly [Name in keyof FilterArguments]: Param }): SQL =>
  sql`${isForSale} and (${source} is null or ${traces.source} = ${source})
    and (${from} is null or ${traces.createdAt} >= ${from}) and (${to} is null or ${traces.createdAt} <= ${to})
    and (${minTokens} is null or ${traces.tokenCount} >= ${minTokens})`

/** Returns the condition that the place of a trace is above `after` and at most `until`. */
export const isPlaceWithin = ({ after, until }: { readonly after: Param; readonly until: Param }): SQL =>
  sql`${traces.num} > ${after} and ${traces.num} <= ${until}`

/** How many places one statement looks at: it reads for some 5 ms, whatever the filter. */
export const placesPerRead = 5_000

export const selectLastPlace = prepare()(
  () => sql<{ num: number }>`select coalesce(max(${traces.num}), 0) as num from ${traces}`,
)

/** Returns the place of the trace that was stored last; 0 when there is none. */
export async function findLastPlace(db: Database): Promise<number> {
  return (await db.read(selectLastPlace({})))[0]!.num
}

const totals = {
  traces: sql<number>`count(*)`,
  tokens: sql<number>`coalesce(sum(${traces.tokenCount}), 0)`,
  soldBefore: sql<number>`count(*) filter (where ${traces.saleCount} > 0)`,
}
const selectTotals = prepare<FilterArguments & { after: number; until: number }>()((params) =>
  build
    .select(totals)
    .from(traces)
    .where(and(isPlaceWithin(params), isSellable(params))),
)
const selectListedTotals = prepare<{ ids: string }>()(({ ids }) =>
  build
    .select(totals)
    .from(traces)
    .where(sql`${traces.id} in ${jsonValues(ids)} and ${isForSale}`),
)

/** Counts what may be sold; `DatasetStore.countSellableTraces` says more. */
export async function countSellable(
  db: Database,
  params: { readonly filter: DatasetFilter; readonly until?: number | undefined } | { readonly ids: readonly string[] },
): Promise<SellableTotals> {
  if ('ids' in params) return (await db.read(selectListedTotals({ ids: jsonArgument(params.ids) })))[0]!
  const filter = filterArguments(params.filter)
  const last = params.until ?? (await findLastPlace(db))
  const sums = { traces: 0, tokens: 0, soldBefore: 0 }
  for (let after = 0; after < last; after += placesPerRead) {
    if (after > 0) await yieldToEventLoop()
    const [some] = await db.read(selectTotals({ ...filter, after, until: Math.min(after + placesPerRead, last) }))
    sums.traces += some!.traces
    sums.tokens += some!.tokens
    sums.soldBefore += some!.soldBefore
  }
  return sums
}
