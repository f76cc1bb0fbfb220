import type { ConversationName, OutcomeName, PreparedTrace, WriteBatchParams } from '@tributary/core'
import { decideOutcome, hasReplacedDuplicate } from '@tributary/core/stores'
import { and, asc, eq, getTableColumns, gt, inArray, sql } from 'drizzle-orm'
import { readFirst, type Postgres } from './database.ts'
import { contents, conversations, deletedSegments, jobs, knownHashes, outcomes, tracePlaces, traces } from './tables.ts'
import { lockOwner } from './owner.ts'

type Trace = typeof traces.$inferSelect

const pieceOf = (conversation: number, segment: number | null): string => `${conversation}/${segment ?? 0}`

/** What an owner has of the traces of a batch. */
interface Stored {
  /** The id of the trace by content hash; null: the owner deleted it. */
  readonly byHash: ReadonlyMap<string, string | null>
  /** `conversations.num` by the newest keyed hash of its name. */
  readonly conversations: ReadonlyMap<string, number>
  readonly byPiece: ReadonlyMap<string, Trace>
  readonly deletedPieces: ReadonlySet<string>
  /** The ids of traces that a later job stored. */
  readonly superseded: ReadonlySet<string>
}

/** Finds or makes the conversations, which have their newest hashes from then on. */
async function openConversations(
  tx: Postgres,
  owner: number,
  names: readonly ConversationName[],
): Promise<Map<string, number>> {
  const hashes = names.flatMap((name) => name.hashes)
  if (hashes.length === 0) return new Map()
  const isListed = and(eq(conversations.owner, owner), inArray(conversations.hash, hashes))
  const found = new Map((await tx.select().from(conversations).where(isListed)).map(({ num, hash }) => [hash, num]))
  const opened = new Map<string, number>()
  for (const name of names) {
    const [hash = ''] = name.hashes
    if (opened.has(hash)) continue
    const old = name.hashes.find((one) => found.has(one))
    if (old === undefined) {
      const [made] = await tx.insert(conversations).values({ owner, hash }).returning({ num: conversations.num })
      opened.set(hash, made!.num)
      continue
    }
    const num = found.get(old)!
    if (old !== hash) await tx.update(conversations).set({ hash }).where(eq(conversations.num, num))
    opened.set(hash, num)
  }
  return opened
}

/** Reads it, and locks the traces that are pieces of the batch's conversations. */
async function readStored(
  tx: Postgres,
  { owner, id: jobId }: { readonly owner: number; readonly id: string },
  prepared: readonly PreparedTrace[],
): Promise<Stored> {
  const hashes = prepared.map(({ contentHash }) => contentHash)
  const scrubbed = prepared.filter((one) => one.kind === 'scrubbed')
  const opened = await openConversations(
    tx,
    owner,
    scrubbed.flatMap(({ conversation, parent }) => (parent ? [conversation, parent] : [conversation])),
  )
  const nums = [...opened.values()]
  const known = await tx
    .select({ hash: knownHashes.hash, id: traces.id })
    .from(knownHashes)
    .leftJoin(traces, eq(traces.num, knownHashes.trace))
    .where(and(eq(knownHashes.owner, owner), inArray(knownHashes.hash, hashes)))
  const isPiece = inArray(traces.conversation, nums)
  const pieces =
    nums.length === 0 ? [] : await tx.select().from(traces).where(isPiece).orderBy(asc(traces.num)).for('update')
  const isDeleted = inArray(deletedSegments.conversation, nums)
  const deleted = nums.length === 0 ? [] : await tx.select().from(deletedSegments).where(isDeleted)
  const ids = pieces.map(({ id }) => id)
  // The ids of jobs sort by time.
  const isLater = and(
    inArray(outcomes.traceId, ids),
    gt(outcomes.job, jobId),
    inArray(outcomes.outcome, ['stored', 'updated']),
  )
  const later = ids.length === 0 ? [] : await tx.select({ id: outcomes.traceId }).from(outcomes).where(isLater)
  return {
    byHash: new Map(known.map(({ hash, id }) => [hash, id])),
    conversations: opened,
    byPiece: new Map(pieces.map((trace) => [pieceOf(trace.conversation!, trace.segmentIndex), trace])),
    deletedPieces: new Set(deleted.map(({ conversation, segment }) => pieceOf(conversation, segment))),
    superseded: new Set(later.map(({ id }) => id!)),
  }
}

interface Decided {
  readonly prepared: PreparedTrace
  readonly outcome: OutcomeName
  /** The trace that the outcome names. */
  readonly traceId: string | null
  /** The trace to update. */
  readonly named: Trace | undefined
}

/** Returns null for a trace that came as known and is known no longer. */
function decideTrace(prepared: PreparedTrace, stored: Stored): Decided | null {
  const { kind, isRepeated, contentHash } = prepared
  const contentId = stored.byHash.get(contentHash)
  const isScrubbed = prepared.kind === 'scrubbed'
  const piece = isScrubbed
    ? pieceOf(stored.conversations.get(prepared.conversation.hashes[0]!)!, prepared.trace.segmentIndex)
    : ''
  const named = stored.byPiece.get(piece)
  const outcome = decideOutcome({
    kind,
    isRepeated,
    content: contentId === undefined ? 'unknown' : contentId === null ? 'deleted' : 'stored',
    isNameDeleted: stored.deletedPieces.has(piece),
    named: !named ? 'none' : named.saleCount > 0 ? 'sold' : 'unsold',
    isSuperseded: named !== undefined && stored.superseded.has(named.id),
  })
  if (outcome === null) return null
  const traceId =
    outcome === 'stored' && isScrubbed
      ? prepared.trace.id
      : outcome === 'updated' || outcome === 'already_sold'
        ? named!.id
        : outcome === 'duplicate'
          ? (contentId ?? named?.id ?? null)
          : (contentId ?? null)
  return { prepared, outcome, traceId, named }
}

/** Gives `count` places out, in the order of the commits; see `tracePlaces`. Returns the first one. */
async function takePlaces(tx: Postgres, count: number): Promise<number> {
  const [{ last } = { last: count }] = await tx
    .insert(tracePlaces)
    .values({ num: 1, last: count })
    .onConflictDoUpdate({ target: tracePlaces.num, set: { last: sql`${tracePlaces.last} + ${count}` } })
    .returning({ last: tracePlaces.last })
  return last - count + 1
}

const { num: _, ...columnsBesideNum } = getTableColumns(traces)
/** The columns that an update of a trace takes from the new one. */
const updatedColumns = Object.fromEntries(
  Object.entries(columnsBesideNum).map(([name, column]) => [name, sql`excluded.${sql.identifier(column.name)}`]),
)

async function storeTraces(
  tx: Postgres,
  owner: number,
  kept: readonly Decided[],
  opened: Stored['conversations'],
  now: number,
): Promise<void> {
  if (kept.length === 0) return
  const oldHashes = kept.flatMap(({ named }) => (named ? [named.contentHash] : []))
  if (oldHashes.length > 0)
    await tx.delete(knownHashes).where(and(eq(knownHashes.owner, owner), inArray(knownHashes.hash, oldHashes)))
  let place = await takePlaces(tx, kept.filter(({ named }) => !named).length)
  const rows = kept.flatMap(({ prepared, named }) => {
    if (prepared.kind !== 'scrubbed') return []
    const { messages, tools, ...trace } = prepared.trace
    const { id, num, sellExcluded, saleCount } = named ?? { ...trace, num: place++, sellExcluded: false, saleCount: 0 }
    const names = {
      conversation: opened.get(prepared.conversation.hashes[0]!)!,
      parent: prepared.parent && opened.get(prepared.parent.hashes[0]!)!,
    }
    const state = { sellExcluded, saleCount, withheld: null, storedAt: now }
    return [{ content: { messages, tools }, row: { ...trace, ...names, ...state, id, num, owner } }]
  })
  await tx
    .insert(traces)
    .values(rows.map(({ row }) => row))
    .onConflictDoUpdate({ target: traces.num, set: updatedColumns })
  await tx.insert(knownHashes).values(rows.map(({ row }) => ({ owner, hash: row.contentHash, trace: row.num })))
  await tx
    .insert(contents)
    .values(rows.map(({ row, content }) => ({ trace: row.num, ...content })))
    .onConflictDoUpdate({
      target: contents.trace,
      set: { messages: sql`excluded.messages`, tools: sql`excluded.tools` },
    })
}

/** Works as `IngestStore.writeBatch`, in one transaction that locks the owner first. */
export async function writeBatch(
  tx: Postgres,
  { claim, traces: prepared, now, leaseUntil }: Readonly<WriteBatchParams>,
): Promise<'written' | 'lost' | 'unknown'> {
  const user = await lockOwner(tx, claim.ownerId)
  const isHeld = and(eq(jobs.id, claim.jobId), eq(jobs.lease, claim.lease))
  const job = await readFirst(tx.select().from(jobs).where(isHeld).for('update'))
  if (!job || job.owner !== user?.num) return 'lost'
  const stored = await readStored(tx, { owner: user.num, id: job.id }, prepared)
  const decided = prepared.map((one) => decideTrace(one, stored))
  const all = decided.filter((one) => one !== null)
  if (all.length < decided.length || hasReplacedDuplicate(all)) return 'unknown'
  const isKept = ({ outcome }: Decided): boolean => outcome === 'stored' || outcome === 'updated'
  await tx.insert(outcomes).values(
    all.map((one) => {
      const { prepared: trace, outcome, traceId } = one
      const counts =
        isKept(one) && trace.kind === 'scrubbed'
          ? { redactions: trace.redactions, tokens: trace.trace.tokenCount }
          : { redactions: 0, tokens: 0 }
      return { job: job.id, index: trace.index, sourceId: trace.sourceId, outcome, traceId, ...counts }
    }),
  )
  await tx.update(jobs).set({ status: 'ingesting', leaseUntil }).where(eq(jobs.id, job.id))
  await storeTraces(tx, user.num, all.filter(isKept), stored.conversations, now)
  return 'written'
}
