import type { OutcomeName, PreparedTrace, WriteBatchParams } from '@tributary/core'
import { decideOutcome, hasReplacedDuplicate } from '@tributary/core/stores'
import { and, asc, eq, getTableColumns, inArray, sql } from 'drizzle-orm'
import { readFirst, type Postgres } from './database.ts'
import { contents, deletedNames, jobs, knownHashes, outcomes, tracePlaces, traces } from './tables.ts'
import { lockOwner } from './owner.ts'

type Trace = typeof traces.$inferSelect

const nameOf = (trace: Pick<Trace, 'source' | 'sourceId' | 'segmentIndex'>): string =>
  JSON.stringify([trace.source, trace.sourceId, trace.segmentIndex ?? 0])

/** What an owner has of the traces of a batch. */
interface Stored {
  /** The id of the trace by content hash; null: the owner deleted it. */
  readonly byHash: ReadonlyMap<string, string | null>
  readonly byName: ReadonlyMap<string, Trace>
  readonly deletedNames: ReadonlySet<string>
}

/** Reads it, and locks the traces that have a name of the batch. */
async function readStored(tx: Postgres, owner: number, prepared: readonly PreparedTrace[]): Promise<Stored> {
  const hashes = prepared.map(({ contentHash }) => contentHash)
  const scrubbed = prepared.filter((one) => one.kind === 'scrubbed')
  const sourceIds = scrubbed.map(({ trace }) => trace.sourceId)
  const nameHashes = scrubbed.flatMap((one) => one.nameHashes ?? [])
  const known = await tx
    .select({ hash: knownHashes.hash, id: traces.id })
    .from(knownHashes)
    .leftJoin(traces, eq(traces.num, knownHashes.trace))
    .where(and(eq(knownHashes.owner, owner), inArray(knownHashes.hash, hashes)))
  const named =
    sourceIds.length === 0
      ? []
      : await tx
          .select()
          .from(traces)
          .where(and(eq(traces.owner, owner), inArray(traces.sourceId, sourceIds)))
          .orderBy(asc(traces.num))
          .for('update')
  const deleted =
    nameHashes.length === 0
      ? []
      : await tx
          .select({ hash: deletedNames.hash })
          .from(deletedNames)
          .where(and(eq(deletedNames.owner, owner), inArray(deletedNames.hash, nameHashes)))
  return {
    byHash: new Map(known.map(({ hash, id }) => [hash, id])),
    byName: new Map(named.map((trace) => [nameOf(trace), trace])),
    deletedNames: new Set(deleted.map(({ hash }) => hash)),
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
function decideTrace(prepared: PreparedTrace, { byHash, byName, deletedNames: deleted }: Stored): Decided | null {
  const { kind, isRepeated, contentHash } = prepared
  const contentId = byHash.get(contentHash)
  const isScrubbed = prepared.kind === 'scrubbed'
  const named = isScrubbed ? byName.get(nameOf(prepared.trace)) : undefined
  const outcome = decideOutcome({
    kind,
    isRepeated,
    content: contentId === undefined ? 'unknown' : contentId === null ? 'deleted' : 'stored',
    isNameDeleted: isScrubbed && (prepared.nameHashes ?? []).some((hash) => deleted.has(hash)),
    named: !named ? 'none' : named.saleCount > 0 ? 'sold' : 'unsold',
  })
  if (outcome === null) return null
  const traceId =
    outcome === 'stored' && isScrubbed
      ? prepared.trace.id
      : outcome === 'updated' || outcome === 'already_sold'
        ? named!.id
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

async function storeTraces(tx: Postgres, owner: number, kept: readonly Decided[], now: number): Promise<void> {
  if (kept.length === 0) return
  const oldHashes = kept.flatMap(({ named }) => (named ? [named.contentHash] : []))
  if (oldHashes.length > 0)
    await tx.delete(knownHashes).where(and(eq(knownHashes.owner, owner), inArray(knownHashes.hash, oldHashes)))
  let place = await takePlaces(tx, kept.filter(({ named }) => !named).length)
  const rows = kept.flatMap(({ prepared, named }) => {
    if (prepared.kind !== 'scrubbed') return []
    const { messages, ...trace } = prepared.trace
    const { id, num, sellExcluded, saleCount } = named ?? { ...trace, num: place++, sellExcluded: false, saleCount: 0 }
    return [{ messages, row: { ...trace, id, num, sellExcluded, saleCount, owner, withheld: null, storedAt: now } }]
  })
  await tx
    .insert(traces)
    .values(rows.map(({ row }) => row))
    .onConflictDoUpdate({ target: traces.num, set: updatedColumns })
  await tx.insert(knownHashes).values(rows.map(({ row }) => ({ owner, hash: row.contentHash, trace: row.num })))
  await tx
    .insert(contents)
    .values(rows.map(({ row, messages }) => ({ trace: row.num, messages })))
    .onConflictDoUpdate({ target: contents.trace, set: { messages: sql`excluded.messages` } })
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
  const stored = await readStored(tx, user.num, prepared)
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
  await storeTraces(tx, user.num, all.filter(isKept), now)
  return 'written'
}
