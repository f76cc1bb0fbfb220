import { desc, sql, type SQL } from 'drizzle-orm'
import { firstOf, pageOf } from '../../lists.ts'
import type { TraceFilter, TraceState, TraceStats, TraceStore } from '../../traces/store.ts'
import { yieldToEventLoop, type Database } from './database.ts'
import { build, ownerNum, prepare } from './statement.ts'
import { isExcluded, matchesDetails, stateFields, titleFields, toSaleState, traceFields } from './stored-traces.ts'
import { saleItems, sales, traces } from './tables/traces.ts'
import { hasWords, wordsArgument } from './words.ts'

interface PageParams {
  readonly ownerId: string
  /** The exclusive upper bound of `num`. */
  readonly before: number
}
interface FilterParams extends PageParams {
  readonly state: TraceState | null
  readonly source: string | null
  readonly agent: string | null
  readonly outcome: string | null
  readonly from: string | null
  readonly to: string | null
  readonly saleId: string | null
  /** The words, in the form that `wordsArgument` returns. */
  readonly words: string
}
type Counts = Omit<TraceStats, 'redactions'>
type Placeholders<Params> = { readonly [Name in keyof Params]: ReturnType<typeof sql.placeholder> }

const listedFields = {
  num: traces.num,
  ...traceFields,
  ...titleFields,
  ...stateFields,
  storedAt: traces.storedAt,
  withdrawnAt: traces.withdrawnAt,
}
const isBefore = ({ ownerId, before }: Placeholders<PageParams>): SQL =>
  sql`${traces.owner} = ${ownerNum(ownerId)} and ${traces.num} < ${before}`
const selectTraces = prepare<PageParams & { limit: number }>()((params) =>
  build.select(listedFields).from(traces).where(isBefore(params)).orderBy(desc(traces.num)).limit(params.limit),
)

/**
 * The maximum number of an owner's traces that one read filters or counts. With a local file, the read blocks the event
 * loop for at most about 10 ms.
 */
const maxTracesPerScan = 5_000
/** Returns the number of the last trace of a scan, or no row when the scan reaches the owner's first trace. */
const selectScanEnd = (page: Placeholders<PageParams>): SQL =>
  sql`select ${traces.num} from ${traces} where ${isBefore(page)}
    order by ${traces.num} desc limit 1 offset ${sql.raw(String(maxTracesPerScan - 1))}`
const selectLastOfScan = prepare<PageParams>()((page) => sql<{ num: number }>`${selectScanEnd(page)}`)
const stateOfTrace = sql`case when ${traces.saleCount} > 0 then 'sold' when ${isExcluded} = 1 then 'excluded' else 'for_sale' end`
const isInScan = (params: Placeholders<FilterParams>): SQL =>
  sql`${isBefore(params)} and ${traces.num} >= coalesce((${selectScanEnd(params)}), 0)
    and (${params.state} is null or ${stateOfTrace} = ${params.state})
    and (${params.source} is null or ${traces.source} = ${params.source})
    and ${matchesDetails(params)}
    and (${params.from} is null or ${traces.createdAt} >= ${params.from})
    and (${params.to} is null or ${traces.createdAt} <= ${params.to})
    and (${params.saleId} is null or exists (select 1 from ${saleItems} join ${sales} on ${sales.num} = ${saleItems.sale}
      where ${saleItems.trace} = ${traces.num} and ${sales.id} = ${params.saleId} and ${sales.pending} is null))
    and ${hasWords(sql`coalesce(${traces.title}, '')`, params.words)}`
const selectFilteredTraces = prepare<FilterParams & { limit: number }>()((params) =>
  build.select(listedFields).from(traces).where(isInScan(params)).orderBy(desc(traces.num)).limit(params.limit),
)
const selectStats = prepare<FilterParams>()(
  (params) =>
    sql<Counts>`select count(*) as traces,
      count(*) filter (where ${stateOfTrace} = 'for_sale') as "forSale",
      count(*) filter (where ${stateOfTrace} = 'excluded') as excluded,
      count(*) filter (where ${stateOfTrace} = 'sold') as sold,
      coalesce(sum(${traces.tokenCount}), 0) as tokens, coalesce(sum(${traces.estimatedUsd}), 0) as "estimatedUsd"
      from ${traces} where ${isInScan(params)}`,
)
const selectRedactionStats = prepare<FilterParams>()(
  (params) =>
    sql<{
      category: string
      count: number
    }>`select category.key as category, sum(cast(category.value as integer)) as count
      from ${traces} cross join json_each(iif(json_valid(${traces.redactions}), ${traces.redactions}, '{}'), '$') category
      where ${isInScan(params)} and category.type = 'integer' group by category.key`,
)

const filterParams = ({ state, source, agent, outcome, from, to, saleId, words }: TraceFilter) => ({
  state: state ?? null,
  source: source ?? null,
  agent: agent ?? null,
  outcome: outcome ?? null,
  from: from ?? null,
  to: to ?? null,
  saleId: saleId ?? null,
  words: wordsArgument(words),
})

type Params<Method extends keyof TraceStore> = Parameters<TraceStore[Method]>[0]

/** Reads a page of an owner's traces. With a filter, it reads one scan after another until the page is full. */
export async function listTraces(
  db: Database,
  { ownerId, cursor, limit, filter }: Params<'listTraces'>,
): ReturnType<TraceStore['listTraces']> {
  let before = cursor ?? Number.MAX_SAFE_INTEGER
  const rows = filter ? [] : await db.read(selectTraces({ ownerId, before, limit: limit + 1 }))
  for (let hasMore = true; filter && hasMore && rows.length <= limit;) {
    const params = { ...filterParams(filter), ownerId, before }
    const [found, [last]] = await db.readAll([
      selectFilteredTraces({ ...params, limit: limit + 1 - rows.length }),
      selectLastOfScan(params),
    ])
    rows.push(...found)
    hasMore = last !== undefined
    before = last?.num ?? 0
    if (hasMore) await yieldToEventLoop()
  }
  const { page, next } = pageOf(rows, limit, ({ num }) => num)
  return { items: page.map(({ num: _, ...row }) => ({ ...row, ...toSaleState(row) })), next }
}

/** Counts an owner's traces, one scan after another. */
export async function getTraceStats(
  db: Database,
  { ownerId, filter = {} }: Params<'getTraceStats'>,
): Promise<TraceStats> {
  const total = { traces: 0, forSale: 0, excluded: 0, sold: 0, tokens: 0, estimatedUsd: 0 }
  const redactions: Record<string, number> = {}
  let before = Number.MAX_SAFE_INTEGER
  for (let hasMore = true; hasMore;) {
    const params = { ...filterParams(filter), ownerId, before }
    const [counts, categories, [last]] = await db.readAll([
      selectStats(params),
      selectRedactionStats(params),
      selectLastOfScan(params),
    ])
    for (const name of Object.keys(total) as (keyof Counts)[]) total[name] += firstOf(counts)[name]
    for (const { category, count } of categories) redactions[category] = (redactions[category] ?? 0) + count
    hasMore = last !== undefined
    before = last?.num ?? 0
    if (hasMore) await yieldToEventLoop()
  }
  return { ...total, redactions }
}
