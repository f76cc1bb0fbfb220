import { eq, sql, type SQL } from 'drizzle-orm'
import type { TraceStore } from '../../traces/store.ts'
import { deleteSome, writeOnce } from './bounded-writes.ts'
import { deleteFingerprintsOf, deleteOverlapsOf, deleteOverlapsWith } from './copies.ts'
import type { Database } from './database.ts'
import { prepareRemovals } from './removals.ts'
import { build, ownerNum, prepare, type Param } from './statement.ts'
import { contents, conversations, deletedNames, deletedSegments, seen, traces } from './tables/traces.ts'

/**
 * The maximum number of traces in one step. A step holds the write lock for about 5 ms. Without a database thread, it
 * also blocks the event loop for this time.
 */
const maxTracesPerErase = 200
const eraseLimit = sql.raw(String(maxTracesPerErase))
const unsoldOfOwner = (ownerId: Param): SQL =>
  sql`(select ${traces.num} from ${traces} where ${traces.owner} = ${ownerNum(ownerId)} and ${traces.saleCount} = 0
    order by ${traces.num} limit ${eraseLimit})`
/** All statements that a transaction runs before `disownSold` select the same traces. */
const soldOfOwner = (ownerId: Param): SQL =>
  sql`(select ${traces.num} from ${traces} where ${traces.owner} = ${ownerNum(ownerId)} and ${traces.saleCount} > 0
    order by ${traces.num} limit ${eraseLimit})`
const recordRemovals = prepareRemovals<{ ownerId: string }>('erased', ({ ownerId }) => soldOfOwner(ownerId as Param))
const eraseContents = [unsoldOfOwner, soldOfOwner].map((tracesOf) =>
  prepare<{ ownerId: string }>()(({ ownerId }) =>
    build.delete(contents).where(sql`${contents.trace} in ${tracesOf(ownerId)}`),
  ),
)
// The overlaps with other traces are kept, so that a buyer of this trace does not also get a copy of it.
const eraseSoldFingerprints = prepare<{ ownerId: string }>()(({ ownerId }) =>
  deleteFingerprintsOf(soldOfOwner(ownerId)),
)
const eraseCopies = [deleteFingerprintsOf, deleteOverlapsOf, deleteOverlapsWith].map((deleteOf) =>
  prepare<{ ownerId: string }>()(({ ownerId }) => deleteOf(unsoldOfOwner(ownerId))),
)
const eraseUnsold = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build.delete(traces).where(sql`${traces.num} in ${unsoldOfOwner(ownerId)}`),
)
const disownSold = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build
    .update(traces)
    .set({
      owner: null,
      sourceId: sql`${traces.id}`,
      parentTraceId: null,
      title: null,
      model: null,
      // A hash would show whether a known text was this conversation.
      hash: sql`unhex('')`,
      details: '{}',
      replacements: '{}',
      withdrawalReason: null,
      conversation: null,
      parent: null,
    })
    .where(sql`${traces.num} in ${soldOfOwner(ownerId)}`),
)
const eraseHashes = prepare<{ ownerId: string }>()(({ ownerId }) =>
  deleteSome(seen, eq(seen.owner, ownerNum(ownerId)), maxTracesPerErase),
)
const eraseNames = prepare<{ ownerId: string }>()(({ ownerId }) =>
  deleteSome(deletedNames, eq(deletedNames.owner, ownerNum(ownerId)), maxTracesPerErase),
)

const segmentsOfOwner = (ownerId: Param): SQL =>
  sql`(select ${deletedSegments.conversation}, ${deletedSegments.segment} from ${conversations}
    cross join ${deletedSegments} on ${deletedSegments.conversation} = ${conversations.num}
    where ${conversations.owner} = ${ownerNum(ownerId)} limit ${eraseLimit})`
const eraseSegments = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build.delete(deletedSegments).where(sql`(conversation, segment) in ${segmentsOfOwner(ownerId)}`),
)
const eraseConversations = prepare<{ ownerId: string }>()(({ ownerId }) =>
  deleteSome(
    conversations,
    sql`${conversations.owner} = ${ownerNum(ownerId)}
      and not exists (select 1 from ${deletedSegments} where ${deletedSegments.conversation} = ${conversations.num})`,
    maxTracesPerErase,
  ),
)

/** Erases some of an owner's traces and disowns some of the sold ones. Returns whether there may be more. */
export function eraseTraces(
  db: Database,
  { ownerId, notice }: Parameters<TraceStore['eraseTraces']>[0],
): ReturnType<TraceStore['eraseTraces']> {
  const queries = [
    ...eraseContents,
    ...eraseCopies,
    eraseUnsold,
    eraseSoldFingerprints,
    disownSold,
    eraseHashes,
    eraseSegments,
    eraseConversations,
    eraseNames,
  ].map((erase) => erase({ ownerId }))
  // The function returns true until nothing is left, so that traces that are stored meanwhile are erased too.
  return writeOnce(db, [...recordRemovals({ ownerId }, notice), ...queries], 1)
}
