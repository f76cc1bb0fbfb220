import { and, eq, gt, lte, sql, type SQL } from 'drizzle-orm'
import { firstOf, lastOf } from '../../lists.ts'
import type { CopyStore, TraceWithCopies } from '../../traces/copies/store.ts'
import { leastCopierTraces, rankSimilar } from '../../traces/copies/rules.ts'
import { jsonArgument, type Database } from './database.ts'
import { onJobs } from './jobs.ts'
import { accountList, listClauses, readList } from './list.ts'
import { build, insertSelect, selectJsonIntegers, parenthesize, ownerNum, prepare, type Param } from './statement.ts'
import { users } from './tables/sessions.ts'
import { contents, fingerprintIndex, fingerprints, fingerprintState, overlaps, traces } from './tables/traces.ts'

/** The version of the fingerprints. It changes whenever fingerprints are stored. */
export const fingerprintVersion = sql`(select ${fingerprintState.version} from ${fingerprintState})`
export const selectFingerprintVersion = prepare()(
  () => sql<{ version: number }>`select ${fingerprintVersion} as "version"`,
)

/** Selects the traces that have the shingles, as a JSON list for each shingle. */
const selectHits = prepare<{ shingles: string }>()(
  ({ shingles }) => sql<{ hash: number; places: string }>`
    select ${fingerprintIndex.hash} as "hash", json_group_array(${fingerprintIndex.trace}) as "places"
    from json_each(${shingles}) shingle cross join ${fingerprintIndex} on ${fingerprintIndex.hash} = cast(shingle.value as integer)
    group by ${fingerprintIndex.hash}`,
)
const selectPlaces = prepare<{ places: string }>()(({ places }) =>
  build
    .select({
      num: traces.num,
      id: traces.id,
      owner: traces.owner,
      tokenCount: traces.tokenCount,
      copiedTokens: traces.copiedTokens,
      fingerprints: parenthesize<number>(sql`json_array_length(${fingerprints.hashes})`),
    })
    .from(traces)
    .innerJoin(fingerprints, eq(fingerprints.trace, traces.num))
    .where(sql`${traces.num} in ${selectJsonIntegers(places)}`),
)

/** Deletes the fingerprints and overlaps of the traces whose numbers are in `places`. */
export const deleteFingerprintsOf = (places: SQL): SQL =>
  sql`delete from ${fingerprints} where ${fingerprints.trace} in ${places}`
export const deleteOverlapsOf = (places: SQL): SQL => sql`delete from ${overlaps} where ${overlaps.trace} in ${places}`
export const deleteOverlapsWith = (places: SQL): SQL =>
  sql`delete from ${overlaps} where ${overlaps.other} in ${places}`

/**
 * The last clause of an insert of overlaps. For a known pair, the shared words still belong to the trace that was
 * earlier.
 */
export const onKnownOverlap = sql`on conflict (trace, other) do update set ranges = excluded.ranges, compared_at = excluded.compared_at`

const selectMessages = prepare<{ id: string }>()(({ id }) =>
  build
    .select({ messages: contents.messages })
    .from(traces)
    .innerJoin(contents, eq(contents.trace, traces.num))
    .where(eq(traces.id, id)),
)

/** The condition that less than a fifth of the trace is new. The index `traces_copies` has the same condition. */
export const isCopy = sql`${traces.copiedTokens} * 5 > ${traces.tokenCount} * 4`
const fromCopies = (owner: Param): SQL => sql`from ${traces} where ${traces.owner} = ${owner} and ${isCopy}`
const selectStats = prepare<{ ownerId: string }>()(
  ({ ownerId }) => sql<{ copiedTraces: number; copiedTokens: number }>`
    select (select count(*) ${fromCopies(ownerNum(ownerId))}) as "copiedTraces",
      (select coalesce(sum(${traces.copiedTokens}), 0) from ${traces}
        where ${traces.owner} = ${ownerNum(ownerId)}) as "copiedTokens"`,
)
const traceCount = parenthesize<number>(sql`select count(*) from ${traces} where ${traces.owner} = ${users.num}`)
const copyCount = parenthesize<number>(sql`select count(*) ${fromCopies(sql`${users.num}`)}`)
const isCopier = sql`${users.num} in (select ${traces.owner} from ${traces} where ${isCopy} group by ${traces.owner}
    having count(*) * 2 >= ${sql.raw(String(leastCopierTraces))})
  and ${traceCount} >= ${sql.raw(String(leastCopierTraces))} and ${copyCount} * 2 >= ${traceCount}`

/**
 * Selects one row without a trace when all traces are filled, and no row in a database that was restored without the
 * state.
 */
const selectUnfilled = prepare<{ limit: number }>()(({ limit }) =>
  build
    .select({ num: traces.num, id: traces.id, filled: fingerprintState.filled })
    .from(fingerprintState)
    .leftJoin(traces, and(gt(traces.num, fingerprintState.filled), lte(traces.num, fingerprintState.fillUntil)))
    .orderBy(traces.num)
    .limit(limit),
)
const insertMissingState = prepare()(
  () => sql<never>`insert into ${fingerprintState} (num, version, filled, fill_until)
    select 1, 0, 0, coalesce(max(${traces.num}), 0) from ${traces} where true on conflict do nothing`,
)
interface FillParams {
  readonly after: number
  readonly version: number | null
}
const isVersion = (version: Param): SQL =>
  sql`(cast(${version} as integer) is null or ${fingerprintState.version} = cast(${version} as integer))`
const isAtFill = ({ after, version }: { readonly [Name in keyof FillParams]: Param }): SQL =>
  sql`exists (select 1 from ${fingerprintState} where ${fingerprintState.filled} = ${after}
    and ${isVersion(version)})`
/** `filled`: a JSON list of objects with `num` and `fingerprints`. */
const fillFingerprints = prepare<FillParams & { filled: string }>()((params) =>
  insertSelect(
    fingerprints,
    { trace: traces.num, hashes: sql`item.value->>'fingerprints'` },
    sql`from json_each(${params.filled}) item cross join ${traces} on ${traces.num} = cast(item.value->>'num' as integer)
      where ${isAtFill(params)} on conflict do nothing`,
  ),
)
/** `pairs`: a JSON list of rows of `overlaps`. */
const fillOverlaps = prepare<FillParams & { pairs: string; now: number }>()((params) =>
  insertSelect(
    overlaps,
    {
      trace: traces.num,
      other: sql`other.num`,
      isEarlier: sql`iif(other.num < ${traces.num}, 1, 0)`,
      ranges: sql`pair.value->>'ranges'`,
      comparedAt: params.now,
    },
    sql`from json_each(${params.pairs}) pair cross join ${traces} on ${traces.num} = cast(pair.value->>'trace' as integer)
      cross join ${traces} other on other.num = cast(pair.value->>'other' as integer) where ${isAtFill(params)} ${onKnownOverlap}`,
  ),
)
const moveFill = prepare<FillParams & { next: number }>()(({ after, version, next }) =>
  build
    .update(fingerprintState)
    .set({ filled: sql`cast(${next} as integer)`, version: sql`${fingerprintState.version} + 1` })
    .where(and(eq(fingerprintState.filled, after), isVersion(version))),
)

/** Returns both rows of each overlap of a trace. */
const listPairs = ({ num, copies }: TraceWithCopies) =>
  copies.overlaps.flatMap(({ other, ranges, otherRanges }) =>
    'num' in other
      ? [
          { trace: num, other: other.num, ranges },
          { trace: other.num, other: num, ranges: otherRanges },
        ]
      : [],
  )

/** Returns the numbers of all lists in ascending order, without repetitions. A batch has about 20,000 numbers. */
function sortOnce(lists: readonly (readonly number[])[]): number[] {
  const all = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0))
  let end = 0
  for (const list of lists) {
    all.set(list, end)
    end += list.length
  }
  const once: number[] = []
  for (const number of all.sort()) if (number !== once.at(-1)) once.push(number)
  return once
}

/** Returns the store of copies over libSQL. `traces/copies/store.ts` describes the guarantees. */
export function libsqlCopies(db: Database): CopyStore {
  return {
    async findSimilarTraces({ lists, system, limit }) {
      const shingles = sortOnce([system, ...lists])
      const [states, hits] = await db.readAll([
        selectFingerprintVersion({}),
        selectHits({ shingles: jsonArgument(shingles) }),
      ])
      const placesOf = new Map(hits.map(({ hash, places }) => [hash, JSON.parse(places) as number[]]))
      const places = jsonArgument([...new Set([...placesOf.values()].flat())])
      const rows = placesOf.size === 0 ? [] : await db.read(selectPlaces({ places }))
      const found = new Map(
        rows.map(({ owner, copiedTokens, ...trace }) => [trace.num, { trace, owner, copiedTokens }]),
      )
      return { version: firstOf(states).version, ...rankSimilar(lists, placesOf, found, limit) }
    },

    async readMessages(params) {
      return (await db.read(selectMessages(params)))[0]?.messages ?? null
    },

    async getCopyStats({ ownerId }) {
      return firstOf(await db.read(selectStats({ ownerId })))
    },

    listCopiers(params) {
      const { place, where, order, limit } = listClauses(accountList, params, isCopier)
      const query = build
        .select({ ...place, userId: users.id, email: users.email, traces: traceCount, copiedTraces: copyCount })
        .from(users)
        .where(where)
        .orderBy(...order)
        .limit(limit)
      return readList(db, accountList, params, query, (copier) => copier)
    },

    async listUnfilledTraces({ limit }) {
      let rows = await db.read(selectUnfilled({ limit }))
      if (rows.length === 0) {
        await db.write([insertMissingState({})], onJobs)
        rows = await db.read(selectUnfilled({ limit }))
      }
      const unfilled = rows.flatMap(({ num, id }) => (num === null || id === null ? [] : { num, id }))
      return { after: rows[0]?.filled ?? 0, traces: unfilled }
    },

    async fillCopies({ after, next, version, traces: filled, now }) {
      const at = { after, version: version ?? null }
      const items = filled.map(({ num, copies }) => ({ num, fingerprints: copies.fingerprints }))
      const results = await db.write(
        [
          fillFingerprints({ ...at, filled: jsonArgument(items) }),
          fillOverlaps({ ...at, pairs: jsonArgument(filled.flatMap(listPairs)), now }),
          moveFill({ ...at, next }),
        ],
        onJobs,
      )
      return lastOf(results).changed > 0
    },
  }
}
