import type { SaleOfTrace, TraceFilter, TraceState, TraceStats, TraceStore } from '@tributary/core'
import { redactionCounts } from '@tributary/core/stores'
import { and, asc, count, desc, eq, gt, gte, inArray, isNull, lt, lte, ne, sql, type SQL } from 'drizzle-orm'
import { readFirst, type Database, type Postgres } from './database.ts'
import { enqueueEvent } from './effects.ts'
import { lockOwner, selectOwnerNum } from './owner.ts'
import {
  matchesDetails,
  readInGroups,
  selectStored,
  stateFields,
  titleFields,
  toSaleState,
  traceFields,
} from './stored-traces.ts'
import {
  contents,
  conversations,
  deletedSegments,
  knownHashes,
  outcomes,
  saleItems,
  sales,
  traces,
  users,
} from './tables.ts'

/** Traces that one transaction of an erasure works on. */
const maxTracesPerErase = 500
/** Rows that an export reads at once. */
const exportPage = 200

const isHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)
const matchOwner = (ownerId: string): SQL => eq(traces.owner, selectOwnerNum(ownerId))
const unsold = eq(traces.saleCount, 0)

const stateConditions: Readonly<Record<TraceState, SQL | undefined>> = {
  sold: gt(traces.saleCount, 0),
  excluded: and(unsold, traces.sellExcluded),
  for_sale: and(unsold, eq(traces.sellExcluded, false)),
}
const isFiltered = ({ state, source, from, to, saleId, words = [], ...details }: TraceFilter): SQL | undefined =>
  and(
    state && stateConditions[state],
    source === undefined ? undefined : eq(traces.source, source),
    matchesDetails(details),
    from === undefined ? undefined : gte(traces.createdAt, from),
    to === undefined ? undefined : lte(traces.createdAt, to),
    saleId === undefined
      ? undefined
      : sql`exists (select 1 from ${saleItems} join ${sales} on ${sales.num} = ${saleItems.sale}
          where ${saleItems.trace} = ${traces.num} and ${sales.id} = ${saleId} and ${sales.pending} is null)`,
    // In the collation "C" only ASCII letters have two cases.
    ...words.map((word) => sql`strpos(lower(${traces.title}), lower(${word} collate "C")) > 0`),
  )

/** Returns the rows in the order of the ids, each once. */
export function sortByIds<Row extends { readonly id: string }>(ids: readonly string[], rows: readonly Row[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return [...new Set(ids)].flatMap((id) => byId.get(id) ?? [])
}

/** Locks traces of an owner in the order of their places, as every transaction does. */
const lockTraces = (tx: Postgres, owner: number, ids: readonly string[]) =>
  ids.length === 0
    ? Promise.resolve([])
    : tx
        .select()
        .from(traces)
        .where(and(inArray(traces.id, [...ids]), eq(traces.owner, owner)))
        .orderBy(asc(traces.num))
        .for('update')

async function readSales(query: Postgres, places: readonly number[]): Promise<Map<number, SaleOfTrace[]>> {
  const rows = await query
    .select({
      trace: saleItems.trace,
      sale: { saleId: sales.id, buyer: sales.buyer, buyerTraceId: saleItems.buyerId, soldAt: sales.soldAt },
    })
    .from(saleItems)
    .innerJoin(sales, and(eq(sales.num, saleItems.sale), isNull(sales.pending)))
    .where(inArray(saleItems.trace, [...places]))
    .orderBy(asc(sales.num))
  const salesOf = new Map<number, SaleOfTrace[]>()
  for (const { trace, sale } of rows) salesOf.set(trace, [...(salesOf.get(trace) ?? []), sale])
  return salesOf
}

/** Returns the trace store over Postgres; `TraceStore` says what it guarantees. */
export function postgresTraces(db: Database): TraceStore {
  /** Yields the hashes of a page after page, in their order. */
  async function* readHashes(read: (after: string) => Promise<{ hash: string }[]>): AsyncGenerator<string> {
    for (let after = ''; ;) {
      const rows = await read(after)
      for (const { hash } of rows) yield hash
      if (rows.length < exportPage) return
      after = rows.at(-1)!.hash
    }
  }

  return {
    findTrace: ({ ownerId, id }) =>
      db.run((query) =>
        readFirst(
          query
            .select(stateFields)
            .from(traces)
            .where(and(eq(traces.id, id), matchOwner(ownerId))),
        ),
      ),

    async setSellExcluded({ ownerId, ids, sellExcluded }) {
      const updated = await db.transact(async (tx) => {
        const owner = await lockOwner(tx, ownerId)
        const nums = owner ? (await lockTraces(tx, owner.num, ids)).map(({ num }) => num) : []
        if (nums.length === 0) return []
        const isChanged = and(inArray(traces.num, nums), unsold)
        return tx.update(traces).set({ sellExcluded }).where(isChanged).returning(stateFields)
      })
      return sortByIds(ids, updated)
    },

    // The counts of the operator's overview are in a store that this example does not have.
    async reportReplacement({ ownerId, id, placeholder }) {
      const reason = sql`${traces.replacements}::jsonb -> ${placeholder}::text`
      const marked = sql<string>`jsonb_set(${traces.replacements}::jsonb, array[${placeholder}::text, 'isReported'], 'true')::text`
      const isReportable = sql`${reason} ->> 'rule' is not null and ${reason} ->> 'isReported' is null`
      const isOwn = and(eq(traces.id, id), matchOwner(ownerId), isReportable)
      const updated = await db.run((query) =>
        query.update(traces).set({ replacements: marked }).where(isOwn).returning({ id: traces.id }),
      )
      return updated.length === 1
    },

    deleteUnsoldTraces: ({ ownerId, ids, makeEvent }) =>
      db.transact(async (tx) => {
        const user = await lockOwner(tx, ownerId)
        const locked = user ? sortByIds(ids, await lockTraces(tx, user.num, ids)) : []
        const sold = locked.filter(({ saleCount }) => saleCount > 0).map(({ id }) => id)
        const gone = locked.filter(({ saleCount }) => saleCount === 0)
        if (!user || gone.length === 0) return { deleted: [], sold }
        const owner = user.num
        const [deleted, nums] = [gone.map(({ id }) => id), gone.map(({ num }) => num)]
        await tx
          .update(knownHashes)
          .set({ trace: null })
          .where(and(eq(knownHashes.owner, owner), inArray(knownHashes.trace, nums)))
        const segments = gone.flatMap(({ conversation, segmentIndex }) =>
          conversation === null ? [] : [{ conversation, segment: segmentIndex ?? 0 }],
        )
        if (segments.length > 0) await tx.insert(deletedSegments).values(segments).onConflictDoNothing()
        await tx.update(outcomes).set({ sourceId: '' }).where(inArray(outcomes.traceId, deleted))
        await tx.delete(contents).where(inArray(contents.trace, nums))
        await tx.delete(traces).where(inArray(traces.num, nums))
        const data = { userId: ownerId, traceIds: deleted }
        await enqueueEvent(tx, makeEvent?.(), { owner, subject: ownerId, data })
        return { deleted, sold }
      }),

    // These stores never had traces without a conversation.
    listFormerNames: async () => [],

    async listTitles({ ownerId, ids }) {
      if (ids.length === 0) return []
      return db.run((query) =>
        query
          .select(titleFields)
          .from(traces)
          .leftJoin(users, eq(users.num, traces.owner))
          .where(and(inArray(traces.id, [...ids]), matchOwner(ownerId))),
      )
    },

    async findKnownHashes({ ownerId, hashes }) {
      const asked = hashes.filter(isHash)
      if (asked.length === 0) return []
      const isKnown = and(eq(knownHashes.owner, selectOwnerNum(ownerId)), inArray(knownHashes.hash, asked))
      const rows = await db.run((query) => query.select({ hash: knownHashes.hash }).from(knownHashes).where(isKnown))
      const found = new Set(rows.map(({ hash }) => hash))
      return hashes.filter((hash) => found.delete(hash))
    },

    async listTraces({ ownerId, cursor, limit, filter = {} }) {
      const isListed = and(
        matchOwner(ownerId),
        cursor === null ? undefined : lt(traces.num, cursor),
        isFiltered(filter),
      )
      const rows = await db.run((query) =>
        query
          .select({ num: traces.num, ...traceFields, ...titleFields, ...stateFields, storedAt: traces.storedAt })
          .from(traces)
          .leftJoin(users, eq(users.num, traces.owner))
          .where(isListed)
          .orderBy(desc(traces.num))
          .limit(limit + 1),
      )
      const page = rows.slice(0, limit)
      return { items: page.map(({ num: _, ...trace }) => trace), next: rows.length > limit ? page.at(-1)!.num : null }
    },

    getTraceStats: ({ ownerId, filter = {} }) =>
      db.run(async (query): Promise<TraceStats> => {
        const isCounted = and(matchOwner(ownerId), isFiltered(filter))
        const countOf = (state: TraceState) => sql`count(*) filter (where ${stateConditions[state]})`.mapWith(Number)
        const [counts] = await query
          .select({
            traces: count(),
            forSale: countOf('for_sale'),
            excluded: countOf('excluded'),
            sold: countOf('sold'),
            tokens: sql`coalesce(sum(${traces.tokenCount}), 0)`.mapWith(Number),
            estimatedUsd: sql`coalesce(sum(${traces.estimatedUsd}), 0)`.mapWith(Number),
          })
          .from(traces)
          .where(isCounted)
        // What is stored may be damaged, so it is read here and not by Postgres.
        const groups = await query
          .select({ redactions: traces.redactions, traces: count() })
          .from(traces)
          .where(isCounted)
          .groupBy(traces.redactions)
        const redactions: Record<string, number> = {}
        for (const group of groups) {
          for (const [category, each] of Object.entries(redactionCounts(group)))
            redactions[category] = (redactions[category] ?? 0) + each * group.traces
        }
        return { ...counts!, redactions }
      }),

    readTrace: ({ ownerId, id }) =>
      db.run(async (query) => {
        const row = await readFirst(selectStored(query).where(and(eq(traces.id, id), matchOwner(ownerId))))
        if (!row) return null
        const { num: _, ...trace } = row
        return trace
      }),

    async *exportTraces({ ownerId }) {
      for (let after = 0; ;) {
        const isNext = and(matchOwner(ownerId), gt(traces.num, after))
        const page = await db.run((query) =>
          query.select({ num: traces.num }).from(traces).where(isNext).orderBy(asc(traces.num)).limit(exportPage),
        )
        const places = page.map(({ num }) => num)
        yield* readInGroups(db, places, async (query, group) => {
          const rows = await selectStored(query)
            .where(and(inArray(traces.num, group), matchOwner(ownerId)))
            .orderBy(asc(traces.num))
          const salesOf = await readSales(query, group)
          return rows.map(({ num, ...trace }) => ({ ...trace, ...toSaleState(trace), sales: salesOf.get(num) ?? [] }))
        })
        if (places.length < exportPage) return
        after = places.at(-1)!
      }
    },
    exportDeletedHashes: ({ ownerId }) =>
      readHashes((after) => {
        const { owner, hash, trace } = knownHashes
        const isNext = and(eq(owner, selectOwnerNum(ownerId)), isNull(trace), gt(hash, after))
        return db.run((query) =>
          query.select({ hash }).from(knownHashes).where(isNext).orderBy(asc(hash)).limit(exportPage),
        )
      }),
    async *exportConversations({ ownerId }) {
      const { num, owner, hash } = conversations
      for (let after = ''; ;) {
        const isNext = and(eq(owner, selectOwnerNum(ownerId)), gt(hash, after))
        const rows = await db.run((query) =>
          query
            .select({
              hash,
              deletedSegments: sql<
                number[]
              >`array(select segment from ${deletedSegments} where conversation = ${num} order by segment)`,
            })
            .from(conversations)
            .where(isNext)
            .orderBy(asc(hash))
            .limit(exportPage),
        )
        yield* rows
        if (rows.length < exportPage) return
        after = rows.at(-1)!.hash
      }
    },
    async *exportDeletedNames() {},

    eraseTraces: ({ ownerId }) =>
      db.transact(async (tx) => {
        const user = await lockOwner(tx, ownerId)
        if (!user) return false
        const owned = await tx
          .select({ num: traces.num, saleCount: traces.saleCount })
          .from(traces)
          .where(eq(traces.owner, user.num))
          .orderBy(asc(traces.num))
          .limit(maxTracesPerErase)
          .for('update')
        const listPlaces = (isSold: boolean) =>
          owned.filter((one) => one.saleCount > 0 === isSold).map(({ num }) => num)
        const [gone, kept] = [listPlaces(false), listPlaces(true)]
        if (gone.length > 0) {
          await tx.delete(contents).where(inArray(contents.trace, gone))
          await tx.delete(traces).where(inArray(traces.num, gone))
        }
        if (kept.length > 0) {
          // What the person wanted replaced is erased with them: a trace that was not scrubbed of it is withheld from
          // then on.
          const isStale = ne(traces.identityRevision, user.identityRevision)
          await tx
            .update(traces)
            .set({
              owner: null,
              sourceId: sql`${traces.id}`,
              parentTraceId: null,
              conversation: null,
              parent: null,
              withheld: sql`case when ${isStale} then 'refused' else ${traces.withheld} end`,
            })
            .where(inArray(traces.num, kept))
        }
        if (owned.length === maxTracesPerErase) return true
        const ofOwner = tx
          .select({ num: conversations.num })
          .from(conversations)
          .where(eq(conversations.owner, user.num))
        await tx.delete(deletedSegments).where(inArray(deletedSegments.conversation, ofOwner))
        for (const table of [knownHashes, conversations]) await tx.delete(table).where(eq(table.owner, user.num))
        return false
      }),
  }
}

/**
 * The condition that a trace may be sold: nothing that is withheld, and nothing of an erased person from the start of
 * the erasure.
 */
export const isForSale = and(
  eq(traces.sellExcluded, false),
  isNull(traces.withheld),
  sql`exists (select 1 from ${users} owner where owner.num = ${traces.owner} and owner.erased_at is null)`,
)
