import { eq, sql, type SQL } from 'drizzle-orm'
import type { CopyStore, SimilarTrace } from '../../traces/copies/store.ts'
import { commonOwners, commonTraces } from '../../traces/copies/rules.ts'
import { jsonArgument, type Database } from './database.ts'
import { build, insertSelect, prepare } from './statement.ts'
import { contents, fingerprintBatches, fingerprints, overlaps, traces } from './tables/traces.ts'

/** Rows of one fingerprint: text that more traces have is common or of one team, and its first traces stand for it. */
const mostTracesPerFingerprint = 64

/** How many batches stored fingerprints. */
export const fingerprintBatchCount = sql`(select coalesce(max(${fingerprintBatches.count}), 0) from ${fingerprintBatches})`
export const selectFingerprintBatches = prepare()(
  () => sql<{ count: number }>`select ${fingerprintBatchCount} as "count"`,
)
export const countFingerprintBatch = prepare()(
  () =>
    sql`insert into ${fingerprintBatches} (num, count) values (1, 1)
      on conflict (num) do update set count = ${fingerprintBatches.count} + 1`,
)

/** Selects those of the shingles that are common text. */
const selectCommon = prepare<{ shingles: string }>()(
  ({ shingles }) => sql<{ hash: number }>`select ${fingerprints.hash} as "hash" from json_each(${shingles}) shingle
    cross join ${fingerprints} on ${fingerprints.hash} = cast(shingle.value as integer)
    cross join ${traces} on ${traces.num} = ${fingerprints.trace}
    group by ${fingerprints.hash}
    having count(*) >= ${sql.raw(String(commonTraces))} and count(distinct ${traces.owner}) >= ${sql.raw(String(commonOwners))}`,
)
/** `lists`: a JSON list of lists of shingles; `at` of a row is the place of its list. */
const selectSimilar = prepare<{ lists: string; limit: number }>()(
  ({ lists, limit }) => sql<SimilarTrace & { at: number }>`
    select hit.at as "at", ${traces.num} as "num", ${traces.id} as "id", hit.hits as "hits",
      (select count(*) from ${fingerprints} where ${fingerprints.trace} = hit.trace) as "fingerprints"
    from (select list.key as at, ${fingerprints.trace} as trace, count(*) as hits,
        row_number() over (partition by list.key order by count(*) desc, ${fingerprints.trace}) as place
      from json_each(${lists}) list cross join json_each(list.value) shingle
        cross join ${fingerprints} on ${fingerprints.hash} = cast(shingle.value as integer)
      group by list.key, ${fingerprints.trace}) hit
    cross join ${traces} on ${traces.num} = hit.trace where hit.place <= ${limit} order by hit.at, hit.place`,
)

/** Inserts the fingerprints of traces: `rows` joins them to `print`, whose values are hashes. */
export const insertFingerprints = (rows: SQL): SQL =>
  insertSelect(
    fingerprints,
    { hash: sql`cast(print.value as integer)`, trace: traces.num },
    sql`from ${rows} where (select count(*) from (select 1 from ${fingerprints} other
      where other.hash = cast(print.value as integer) limit ${sql.raw(String(mostTracesPerFingerprint))}))
      < ${sql.raw(String(mostTracesPerFingerprint))} on conflict do nothing`,
  )

/** Deletes the fingerprints and overlaps of traces, given by a condition on their places. */
export const deleteFingerprintsOf = (places: SQL): SQL =>
  sql`delete from ${fingerprints} where ${fingerprints.trace} in ${places}`
export const deleteOverlapsOf = (places: SQL): SQL => sql`delete from ${overlaps} where ${overlaps.trace} in ${places}`
export const deleteOverlapsWith = (places: SQL): SQL =>
  sql`delete from ${overlaps} where ${overlaps.other} in ${places}`

const selectMessages = prepare<{ id: string }>()(({ id }) =>
  build
    .select({ messages: contents.messages })
    .from(traces)
    .innerJoin(contents, eq(contents.trace, traces.num))
    .where(eq(traces.id, id)),
)

/** Returns the store of copies over libSQL; `traces/copies/store.ts` says what it guarantees. */
export function libsqlCopies(db: Database): CopyStore {
  return {
    async findSimilarTraces({ lists, limit }) {
      const shingles = jsonArgument([...new Set(lists.flat())])
      const [[batches], common] = await db.readAll([selectFingerprintBatches({}), selectCommon({ shingles })])
      const isCommon = new Set(common.map(({ hash }) => hash))
      const rare = lists.map((list) => list.filter((shingle) => !isCommon.has(shingle)))
      const rows = await db.read(selectSimilar({ lists: jsonArgument(rare), limit }))
      const similar: SimilarTrace[][] = lists.map(() => [])
      for (const { at, ...trace } of rows) similar[at]?.push(trace)
      return { version: batches?.count ?? 0, common: [...isCommon], similar }
    },
    async readMessages(params) {
      return (await db.read(selectMessages(params)))[0]?.messages ?? null
    },
  }
}
