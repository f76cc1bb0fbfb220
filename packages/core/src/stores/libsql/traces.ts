import { and, asc, eq, gt, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import { lastOf } from '../../lists.ts'
import { alias } from 'drizzle-orm/sqlite-core'
import { utcDay } from '../../ids.ts'
import type { ExportedConversation, SaleOfTrace, TraceStore } from '../../traces/store.ts'
import { maxRowsPerWrite } from './bounded-writes.ts'
import { deleteFingerprintsOf, deleteOverlapsOf, deleteOverlapsWith } from './copies.ts'
import { jsonArgument, writeNamed, yieldToEventLoop, type Database } from './database.ts'
import { prepareEvent } from './events.ts'
import { prepareDailyCounts } from './overview.ts'
import {
  build,
  insertSelect,
  selectJsonIntegers,
  jsonValues,
  parenthesize,
  ownerNum,
  prepare,
  type Param,
} from './statement.ts'
import { outcomes } from './tables/ingest.ts'
import {
  contents,
  conversations,
  deletedNames,
  deletedSegments,
  saleItems,
  sales,
  seen,
  traces,
} from './tables/traces.ts'
import {
  messageBytes,
  contentFields,
  libsqlKnownHashes,
  readContent,
  readDocuments,
  sortByIds,
  stateFields,
  storedFields,
  titleFields,
  toSaleState,
} from './stored-traces.ts'
import { eraseTraces } from './trace-erasure.ts'
import { getTraceStats, listTraces } from './trace-list.ts'

/**
 * The maximum number of traces in one step. Scattered traces use six pages each, so a larger step would block the event
 * loop and hold the write lock for over 30 ms.
 */
const maxTracesPerDelete = 250

const selectHex = (hash: typeof seen.hash | typeof deletedNames.hash | typeof conversations.hash): SQL<string> =>
  parenthesize(sql`lower(hex(${hash}))`)

interface Listed<Ids = Param> {
  readonly ownerId: Param
  readonly ids: Ids
}
// The `+` makes SQLite search by the ids, not by the owner. With a million traces, this takes 30 ms instead of 200 ms.
const isListed = ({ ownerId, ids }: Listed): SQL =>
  sql`${traces.id} in ${jsonValues(ids)} and +${traces.owner} = ${ownerNum(ownerId)}`
const isUnsold = (listed: Listed): SQL => sql`${isListed(listed)} and ${traces.saleCount} = 0`
const named = alias(traces, 'named')
/** Returns the outcomes that name one of the listed unsold traces. */
const namingOutcomes = (listed: Listed): SQL =>
  sql`${traces} ${named} cross join ${outcomes} on ${outcomes.traceId} = ${named.id}
    where ${named.num} in (select ${traces.num} from ${traces} where ${isUnsold(listed)}) and ${outcomes.sourceId} <> ''`
// A trace is deleted in the transaction that removes its last name from the outcomes. Until then, it is not deletable.
const isDeletable = (listed: Listed): SQL =>
  sql`${isUnsold(listed)} and not exists (select 1 from ${namingOutcomes(listed)})`

interface ListedParams {
  readonly ownerId: string
  readonly ids: string
}
const selectState = prepare<{ ownerId: string; id: string }>()(({ ownerId, id }) =>
  build
    .select(stateFields)
    .from(traces)
    .where(sql`${traces.id} = ${id} and +${traces.owner} = ${ownerNum(ownerId)}`),
)
const updateExcluded = prepare<ListedParams & { sellExcluded: boolean }>()((params) =>
  build
    .update(traces)
    .set({ sellExcluded: sql`${params.sellExcluded}` })
    .where(isUnsold(params))
    .returning(stateFields),
)
const selectSoldListed = prepare<ListedParams>()((params) =>
  build
    .select({ id: traces.id })
    .from(traces)
    .where(sql`${isListed(params)} and ${traces.saleCount} > 0`),
)
// The name in an outcome is from this trace, or from another trace that had the same content.
const clearNames = prepare<ListedParams>()((params) =>
  build.update(outcomes).set({ sourceId: '' }).where(sql`(job, idx) in
    (select ${outcomes.job}, ${outcomes.idx} from ${namingOutcomes(params)} limit ${sql.raw(String(maxRowsPerWrite))})`),
)
const keepHashes = prepare<ListedParams>()((params) =>
  insertSelect(
    seen,
    { owner: traces.owner, hash: traces.hash, trace: sql`null` },
    sql`from ${traces} where ${isDeletable(params)} on conflict (owner, hash) do update set trace = null`,
  ),
)
const keepSegments = prepare<ListedParams>()((params) =>
  insertSelect(
    deletedSegments,
    { conversation: traces.conversation, segment: sql`coalesce(${traces.segmentIndex}, 0)` },
    sql`from ${traces} where ${isDeletable(params)} and ${traces.conversation} is not null
      on conflict (conversation, segment) do nothing`,
  ),
)
/** `formerNameHashes` is a JSON object that maps ids to keyed hashes. */
const keepNames = prepare<ListedParams & { formerNameHashes: string }>()((params) => {
  const nameHash = sql`json_extract(${params.formerNameHashes}, '$."' || ${traces.id} || '"')`
  return insertSelect(
    deletedNames,
    { owner: traces.owner, hash: sql`unhex(${nameHash})` },
    sql`from ${traces} where ${isDeletable(params)} and ${traces.conversation} is null and ${nameHash} is not null
      on conflict (owner, hash) do nothing`,
  )
})
const deleteContents = prepare<ListedParams>()((params) =>
  build
    .delete(contents)
    .where(sql`${contents.trace} in (select ${traces.num} from ${traces} where ${isDeletable(params)})`),
)
const deletable = (params: Listed): SQL => sql`(select ${traces.num} from ${traces} where ${isDeletable(params)})`
const deleteFingerprints = prepare<ListedParams>()((params) => deleteFingerprintsOf(deletable(params)))
const deleteOverlaps = prepare<ListedParams>()((params) => deleteOverlapsOf(deletable(params)))
const deleteOthers = prepare<ListedParams>()((params) => deleteOverlapsWith(deletable(params)))
const deleteTraces = prepare<ListedParams>()((params) =>
  build.delete(traces).where(isDeletable(params)).returning({ id: traces.id }),
)
/** This statement must run before `deleteTraces`, because it lists the traces that `deleteTraces` deletes. */
const enqueueDeleted = prepareEvent<ListedParams>((params) => ({
  owner: ownerNum(params.ownerId),
  subject: params.ownerId,
  data: sql`json_object('userId', ${params.ownerId}, 'traceIds', json(deleted.ids))`,
  from: sql`from (select json_group_array(${traces.id}) as ids, count(*) as traces from ${traces}
    where ${isDeletable(params as Listed)}) deleted
    where deleted.traces > 0`,
}))
const selectFormerNames = prepare<ListedParams>()((params) =>
  build
    .select({ id: traces.id, source: traces.source, sourceId: traces.sourceId, segmentIndex: traces.segmentIndex })
    .from(traces)
    .where(sql`${isUnsold(params)} and ${traces.conversation} is null`),
)
const selectTitles = prepare<ListedParams>()((params) => build.select(titleFields).from(traces).where(isListed(params)))

const selectTrace = prepare<{ ownerId: string; id: string }>()(({ ownerId, id }) =>
  build
    .select({ ...storedFields, ...stateFields, storedAt: traces.storedAt, ...contentFields })
    .from(traces)
    .leftJoin(contents, eq(contents.trace, traces.num))
    .where(sql`${traces.id} = ${id} and +${traces.owner} = ${ownerNum(ownerId)}`),
)
interface ReportArgs {
  readonly ownerId: string
  readonly id: string
  /** The JSON path of the placeholder. */
  readonly path: string
  readonly day: number
}
/** Returns the condition that the trace has a replacement with this placeholder that was not reported yet. */
const isReportable = ({
  ownerId,
  id,
  path,
}: { readonly [Name in Exclude<keyof ReportArgs, 'day'>]: SQLWrapper }): SQL =>
  sql`${traces.id} = ${id} and ${traces.owner} = ${ownerNum(ownerId)} and json_valid(${traces.replacements})
    and json_extract(${traces.replacements}, ${path} || '.rule') is not null
    and json_extract(${traces.replacements}, ${path} || '.isReported') is null`
/** This statement must run before `markReported`, because it reads the row that `markReported` changes. */
const countReported = prepareDailyCounts<ReportArgs>(
  (params) => sql`select ${params.day},
    'wrongReplacements.' || json_extract(${traces.replacements}, ${params.path} || '.rule'), 1
    from ${traces} where ${isReportable(params)}`,
)
const markReported = prepare<Omit<ReportArgs, 'day'>>()((params) =>
  build
    .update(traces)
    .set({ replacements: sql`json_set(${traces.replacements}, ${params.path} || '.isReported', json('true'))` })
    .where(isReportable(params)),
)
const selectOwnPieces = prepare<{ ownerId: string; after: number; limit: number }>()(({ ownerId, after, limit }) =>
  build
    .select({ num: traces.num, bytes: messageBytes })
    .from(traces)
    .leftJoin(contents, eq(contents.trace, traces.num))
    .where(and(eq(traces.owner, ownerNum(ownerId)), gt(traces.num, after)))
    .orderBy(asc(traces.num))
    .limit(limit),
)
/** The sales of a trace, oldest first, as a JSON list of `SaleOfTrace`. */
const salesOfTrace = sql<string>`iif(${traces.saleCount} = 0, '[]', (
  select json_group_array(json_object('saleId', ${sales.id}, 'buyer', ${sales.buyer}, 'buyerTraceId', item.buyer_id,
    'soldAt', ${sales.soldAt}))
  from (select sale, buyer_id from ${saleItems} where trace = ${traces.num} order by sale) item
    cross join ${sales} on ${sales.num} = item.sale and ${sales.pending} is null))`
const selectOwnDocuments = prepare<{ ownerId: string; nums: string }>()(({ ownerId, nums }) =>
  build
    .select({ ...storedFields, ...stateFields, storedAt: traces.storedAt, ...contentFields, sales: salesOfTrace })
    .from(traces)
    .leftJoin(contents, eq(contents.trace, traces.num))
    .where(sql`${traces.num} in ${selectJsonIntegers(nums)} and +${traces.owner} = ${ownerNum(ownerId)}`)
    .orderBy(asc(traces.num)),
)
const selectDeletedHashes = prepare<{ ownerId: string; after: string; limit: number }>()(({ ownerId, after, limit }) =>
  build
    .select({ hash: selectHex(seen.hash) })
    .from(seen)
    .where(sql`${seen.owner} = ${ownerNum(ownerId)} and ${seen.trace} is null and ${seen.hash} > unhex(${after})`)
    .orderBy(asc(seen.hash))
    .limit(limit),
)
const selectDeletedNames = prepare<{ ownerId: string; after: string; limit: number }>()(({ ownerId, after, limit }) =>
  build
    .select({ hash: selectHex(deletedNames.hash) })
    .from(deletedNames)
    .where(sql`${deletedNames.owner} = ${ownerNum(ownerId)} and ${deletedNames.hash} > unhex(${after})`)
    .orderBy(asc(deletedNames.hash))
    .limit(limit),
)

const selectConversations = prepare<{ ownerId: string; after: string; limit: number }>()(({ ownerId, after, limit }) =>
  build
    .select({
      hash: selectHex(conversations.hash),
      deletedSegments:
        parenthesize<string>(sql`select json_group_array(${deletedSegments.segment}) from ${deletedSegments}
        where ${deletedSegments.conversation} = ${conversations.num}`),
    })
    .from(conversations)
    .where(sql`${conversations.owner} = ${ownerNum(ownerId)} and ${conversations.hash} > unhex(${after})`)
    .orderBy(asc(conversations.hash))
    .limit(limit),
)

/**
 * The number of rows that an export reads at a time. It is small, because a local store answers within a millisecond
 * without yielding to the event loop.
 */
const exportPage = 100
/** Returns the trace store over libSQL. `traces/store.ts` describes the guarantees. */
export function libsqlTraces(db: Database): TraceStore {
  async function* readHashes(
    select: typeof selectDeletedHashes | typeof selectDeletedNames,
    ownerId: string,
  ): AsyncGenerator<string> {
    for (let after = ''; ;) {
      const rows = await db.read(select({ ownerId, after, limit: exportPage }))
      for (const { hash } of rows) yield hash
      if (rows.length < exportPage) return
      after = lastOf(rows).hash
    }
  }

  return {
    async findTrace(params) {
      const [row] = await db.read(selectState(params))
      return row ? toSaleState(row) : null
    },

    async reportReplacement({ ownerId, id, placeholder, now }) {
      const args = { ownerId, id, path: `$."${placeholder}"` }
      const [, marked] = await db.write([countReported({ ...args, day: utcDay(now) }), markReported(args)])
      return marked.changed === 1
    },

    async setSellExcluded({ ownerId, ids, sellExcluded }) {
      const [updated] = await db.write([updateExcluded({ ownerId, ids: jsonArgument(ids), sellExcluded })])
      return sortByIds(ids, updated.rows).map(toSaleState)
    },

    async deleteUnsoldTraces({ ownerId, ids, formerNameHashes = {}, makeEvent }) {
      const unique = [...new Set(ids)]
      const [deleted, sold]: [string[], string[]] = [[], []]
      for (let start = 0; start < unique.length; start += maxTracesPerDelete) {
        if (start > 0) await yieldToEventLoop()
        const some = unique.slice(start, start + maxTracesPerDelete)
        const listed = { ownerId, ids: jsonArgument(some) }
        const hashes = Object.fromEntries(some.map((id) => [id, formerNameHashes[id] ?? null]))
        for (let hasMore = true; hasMore;) {
          const { soldRows, cleared, deletedRows } = await writeNamed(db, {
            soldRows: selectSoldListed(listed),
            cleared: clearNames(listed),
            hashes: keepHashes(listed),
            segments: keepSegments(listed),
            names: keepNames({ ...listed, formerNameHashes: jsonArgument(hashes) }),
            contents: deleteContents(listed),
            fingerprints: deleteFingerprints(listed),
            overlaps: deleteOverlaps(listed),
            others: deleteOthers(listed),
            deleted: enqueueDeleted({ ...listed, event: makeEvent?.() }),
            deletedRows: deleteTraces(listed),
          })
          for (const { id } of sortByIds(some, deletedRows.rows)) deleted.push(id)
          hasMore = cleared.changed === maxRowsPerWrite
          if (hasMore) await yieldToEventLoop()
          else for (const { id } of sortByIds(some, soldRows.rows)) sold.push(id)
        }
      }
      return { deleted, sold }
    },

    listFormerNames: ({ ownerId, ids }) => db.read(selectFormerNames({ ownerId, ids: jsonArgument(ids) })),
    listTitles: ({ ownerId, ids }) => db.read(selectTitles({ ownerId, ids: jsonArgument(ids) })),

    ...libsqlKnownHashes(db),

    listTraces: (params) => listTraces(db, params),

    getTraceStats: (params) => getTraceStats(db, params),

    async readTrace(params) {
      const [row] = await db.read(selectTrace(params))
      return row ? { ...(await readContent(db, row)), ...toSaleState(row) } : null
    },

    async *exportTraces({ ownerId }) {
      for (let after = 0; ;) {
        const pieces = await db.read(selectOwnPieces({ ownerId, after, limit: exportPage }))
        const documents = readDocuments(db, pieces, (nums) => selectOwnDocuments({ ownerId, nums }))
        // The new object has only keys of the row. For each object with an additional key, V8 would create a hidden
        // class and free it late.
        for await (const row of documents) {
          yield { ...row, sellExcluded: row.sellExcluded !== 0, sales: JSON.parse(row.sales) as SaleOfTrace[] }
        }
        if (pieces.length < exportPage) return
        after = lastOf(pieces).num
      }
    },

    exportDeletedHashes: ({ ownerId }) => readHashes(selectDeletedHashes, ownerId),
    async *exportConversations({ ownerId }): AsyncGenerator<ExportedConversation> {
      for (let after = ''; ;) {
        const rows = await db.read(selectConversations({ ownerId, after, limit: exportPage }))
        for (const { hash, deletedSegments: segments } of rows)
          yield { hash, deletedSegments: JSON.parse(segments) as number[] }
        if (rows.length < exportPage) return
        after = lastOf(rows).hash
      }
    },
    exportDeletedNames: ({ ownerId }) => readHashes(selectDeletedNames, ownerId),

    eraseTraces: (params) => eraseTraces(db, params),
  }
}
