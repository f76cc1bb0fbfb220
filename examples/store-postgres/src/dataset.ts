import {
  maxSkippedTraces,
  maxTracesPerSaleStep,
  nothingLeftOut,
  type CandidatePage,
  type DatasetFilter,
  type DatasetStore,
  type FinishSaleParams,
  type Sale,
  type SaleItem,
  type StoredTrace,
} from '@tributary/core'
import { and, asc, count, desc, eq, gt, gte, inArray, isNotNull, isNull, lt, lte, sql, type SQL } from 'drizzle-orm'
import { readFirst, type Database, type Postgres } from './database.ts'
import { addShares, enqueueEvent, recordAudit } from './effects.ts'
import { matchesDetails, readInGroups, selectStored } from './stored-traces.ts'
import { saleItems, sales, tracePlaces, traces, users } from './tables.ts'
import { sortByIds, isForSale } from './traces.ts'

const isSellable = ({ source, from, to, minTokens, ...details }: DatasetFilter): SQL | undefined =>
  and(
    isForSale,
    source === undefined ? undefined : eq(traces.source, source),
    matchesDetails(details),
    from === undefined ? undefined : gte(traces.createdAt, from),
    to === undefined ? undefined : lte(traces.createdAt, to),
    minTokens === undefined ? undefined : gte(traces.tokenCount, minTokens),
  )
const totals = { traces: count(), tokens: sql`coalesce(sum(${traces.tokenCount}), 0)`.mapWith(Number) }
const saleFields = { id: sales.id, buyer: sales.buyer, usd: sales.usd, soldAt: sales.soldAt }

/**
 * Adds those of the items to a sale that may be sold, and counts it on them. Locks the owners first, then the traces.
 */
async function addItems(tx: Postgres, sale: number, items: readonly SaleItem[]): Promise<void> {
  if (items.length === 0) return
  // Of a trace that is listed twice the first buyer id counts.
  const byId = new Map([...items].reverse().map((item) => [item.id, item]))
  const isListed = inArray(traces.id, [...byId.keys()])
  await tx
    .select({ num: users.num })
    .from(users)
    .where(
      inArray(
        users.num,
        tx
          .select({ owner: sql<number>`${traces.owner}` })
          .from(traces)
          .where(isListed),
      ),
    )
    .orderBy(asc(users.num))
    .for('no key update')
  await tx.select({ num: traces.num }).from(traces).where(isListed).orderBy(asc(traces.num)).for('update')
  const sold = await tx
    .update(traces)
    .set({ saleCount: sql`${traces.saleCount} + 1` })
    .where(and(isListed, isForSale))
    .returning({ id: traces.id, num: traces.num })
  if (sold.length === 0) return
  const rows = sold.flatMap(({ id, num }) => {
    const item = byId.get(id)
    return item ? [{ sale, trace: num, buyerId: item.buyerId, newTokens: item.newTokens ?? null }] : []
  })
  await tx.insert(saleItems).values(rows)
}

/** Does what follows from a sale that is complete. */
async function addEffects(tx: Postgres, num: number, recorded: FinishSaleParams): Promise<void> {
  const { sale, audit, event } = recorded
  const sold = await tx
    .select({
      owner: traces.owner,
      newTokens: sql`coalesce(${saleItems.newTokens}, ${traces.tokenCount})`.mapWith(Number),
    })
    .from(saleItems)
    .innerJoin(traces, eq(traces.num, saleItems.trace))
    .where(eq(saleItems.sale, num))
    .orderBy(asc(saleItems.trace))
  const { id: saleId, buyer, usd } = sale
  const after = { buyer, usd, traces: sold.length }
  await recordAudit(tx, audit, { action: 'sale.record', target: saleId, before: null, after })
  const data = { saleId, buyer, usd, traceCount: sold.length }
  await enqueueEvent(tx, event, { owner: null, subject: saleId, data })
  await addShares(tx, recorded, sold)
}

/** Returns a page of the traces of an offer. This store keeps no fingerprints, so that nothing is a copy. */
async function listCandidates(
  query: Postgres,
  { offer, buyer, saleId = '', cursor }: Parameters<DatasetStore['listSaleCandidates']>[0],
): Promise<CandidatePage> {
  const isOffered =
    'ids' in offer
      ? and(inArray(traces.id, [...offer.ids]), isForSale)
      : and(gt(traces.num, cursor ?? 0), lte(traces.num, offer.until), isSellable(offer.filter))
  const isBought = sql<boolean>`exists (select 1 from ${saleItems} join ${sales} on ${sales.num} = ${saleItems.sale}
    where ${saleItems.trace} = ${traces.num} and lower(trim(${sales.buyer})) = lower(trim(${buyer})) and ${sales.id} <> ${saleId})`
  const { num, id, tokenCount, saleCount } = traces
  const rows = await query
    .select({ num, id, owner: sql`${traces.owner}`.mapWith(Number), tokenCount, saleCount, isBought })
    .from(traces)
    .where(isOffered)
    .orderBy(asc(num))
    .limit('ids' in offer ? offer.ids.length : maxTracesPerSaleStep)
  const candidates = rows.map(({ saleCount: sold, ...row }) => ({ ...row, isSold: sold > 0, overlaps: [] }))
  const isFull = !('ids' in offer) && rows.length === maxTracesPerSaleStep
  return { candidates, next: isFull ? rows.at(-1)!.num : null }
}

/** Returns the dataset store over Postgres; `DatasetStore` says what it guarantees. */
export function postgresDataset(db: Database): DatasetStore {
  const findVisible = (query: Postgres, saleId: string) =>
    readFirst(
      query
        .select()
        .from(sales)
        .where(and(eq(sales.id, saleId), isNull(sales.pending))),
    )
  const lockPending = (tx: Postgres, saleId: string) =>
    readFirst(
      tx
        .select()
        .from(sales)
        .where(and(eq(sales.id, saleId), isNotNull(sales.pending)))
        .for('update'),
    )
  /** Inserts a sale; null when there is one with its id. */
  const insertSale = async (tx: Postgres, sale: typeof sales.$inferInsert): Promise<number | null> =>
    (await tx.insert(sales).values(sale).onConflictDoNothing().returning({ num: sales.num }))[0]?.num ?? null

  const lastPlace = async (query: Postgres): Promise<number> =>
    (await readFirst(query.select().from(tracePlaces)))?.last ?? 0

  return {
    recordSale: ({ items, leftOut = nothingLeftOut, ...recorded }) =>
      db.transact(async (tx) => {
        const { id, buyer, usd, soldAt } = recorded.sale
        const num = await insertSale(tx, {
          id,
          buyer,
          usd,
          soldAt,
          copies: leftOut.copies,
          skipped: [...leftOut.skipped],
        })
        if (num !== null) {
          await addItems(tx, num, items)
          await addEffects(tx, num, recorded)
        }
        const sold = await tx
          .select({ id: traces.id })
          .from(saleItems)
          .innerJoin(sales, eq(sales.num, saleItems.sale))
          .innerJoin(traces, eq(traces.num, saleItems.trace))
          .where(eq(sales.id, id))
        const ids = items.map((item) => item.id)
        return sortByIds(ids, sold).map((trace) => trace.id)
      }),

    findLastPlace: () => db.run(lastPlace),
    async startSale({ sale, filter, until, audit }) {
      await db.transact(async (tx) => {
        const pending = { after: 0, until: until ?? (await lastPlace(tx)), audit }
        await insertSale(tx, { ...sale, filter, pending })
      })
    },
    readPendingSale: ({ saleId }) =>
      db.run(async (query) => {
        const row = await readFirst(query.select().from(sales).where(eq(sales.id, saleId)))
        if (!row?.pending) return null
        const { after, until, audit } = row.pending
        const sale: Sale = { id: row.id, buyer: row.buyer, usd: row.usd, soldAt: row.soldAt }
        const offer = { filter: row.filter ?? {}, until }
        const page = await listCandidates(query, { offer, buyer: row.buyer, saleId, cursor: after })
        return { sale, audit, after, next: page.next ?? until, isDone: after >= until, candidates: page.candidates }
      }),
    addSaleItems: ({ saleId, after, next, items, leftOut = nothingLeftOut }) =>
      db.transact(async (tx) => {
        const sale = await lockPending(tx, saleId)
        if (sale?.pending?.after !== after) return
        await addItems(tx, sale.num, items)
        await tx
          .update(sales)
          .set({
            pending: { ...sale.pending, after: next },
            copies: {
              traces: sale.copies.traces + leftOut.copies.traces,
              tokens: sale.copies.tokens + leftOut.copies.tokens,
            },
            skipped: [...sale.skipped, ...leftOut.skipped].slice(0, maxSkippedTraces),
          })
          .where(eq(sales.num, sale.num))
      }),
    finishSale: (recorded) =>
      db.transact(async (tx) => {
        const sale = await lockPending(tx, recorded.sale.id)
        if (!sale?.pending || sale.pending.after < sale.pending.until) return
        await tx.update(sales).set({ pending: null }).where(eq(sales.num, sale.num))
        await addEffects(tx, sale.num, recorded)
      }),
    async listPendingSales({ startedBefore }) {
      const isOld = and(isNotNull(sales.pending), lt(sales.soldAt, startedBefore))
      const rows = await db.run((query) =>
        query.select({ id: sales.id }).from(sales).where(isOld).orderBy(asc(sales.soldAt)).limit(100),
      )
      return rows.map(({ id }) => id)
    },

    findSale: ({ saleId }) =>
      db.run(async (query) => {
        const sale = await findVisible(query, saleId)
        if (!sale) return null
        const [sold] = await query
          .select(totals)
          .from(saleItems)
          .innerJoin(traces, eq(traces.num, saleItems.trace))
          .where(eq(saleItems.sale, sale.num))
        const { id, buyer, usd, soldAt, filter, copies, skipped } = sale
        return { id, buyer, usd, soldAt, filter, copies, skipped, ...sold! }
      }),
    listSaleCandidates: (params) => db.run((query) => listCandidates(query, params)),
    listSkipReasons: ({ ids }) =>
      db.run(async (query) => {
        const rows = await query
          .select({ id: traces.id, owner: traces.owner, isForSale: sql<boolean>`${isForSale}` })
          .from(traces)
          .where(inArray(traces.id, [...ids]))
        return ids.flatMap((id) => {
          const row = rows.find((one) => one.id === id)
          if (row?.isForSale) return []
          return [{ id, reason: row?.owner == null ? ('gone' as const) : ('excluded' as const) }]
        })
      }),
    async listSales({ cursor, limit }) {
      const traceCount = sql`(select count(*) from ${saleItems} where ${saleItems.sale} = ${sales.num})`.mapWith(Number)
      const rows = await db.run((query) =>
        query
          .select({ num: sales.num, sale: { ...saleFields, traceCount } })
          .from(sales)
          .where(and(isNull(sales.pending), cursor === null ? undefined : lt(sales.num, cursor)))
          .orderBy(desc(sales.num))
          .limit(limit + 1),
      )
      return {
        items: rows.slice(0, limit).map(({ sale }) => sale),
        next: rows.length > limit ? rows[limit - 1]!.num : null,
      }
    },

    async readSoldTraces({ saleId, cursor, limit }) {
      const sale = await db.run((query) => findVisible(query, saleId))
      if (!sale) return null
      const { trace, buyerId } = saleItems
      const isNext = and(eq(saleItems.sale, sale.num), cursor === null ? undefined : gt(buyerId, cursor))
      const rows = await db.run((query) =>
        query
          .select({ trace, buyerId })
          .from(saleItems)
          .where(isNext)
          .orderBy(asc(buyerId))
          .limit(limit + 1),
      )
      const page = rows.slice(0, limit)
      const places = page.map((row) => row.trace)
      const documents = readInGroups(db, places, (query, group) => readForBuyer(query, sale.num, group))
      return { documents, next: rows.length > limit ? page.at(-1)!.buyerId : null }
    },
    async readSellableTraces({ cursor, limit, filter = {} }) {
      const rows = await db.run((query) =>
        query
          .select({ num: traces.num })
          .from(traces)
          .where(and(gt(traces.num, cursor ?? 0), isSellable(filter)))
          .orderBy(asc(traces.num))
          .limit(limit + 1),
      )
      const places = rows.slice(0, limit).map(({ num }) => num)
      const documents = readInGroups(db, places, (query, group) =>
        selectStored(query)
          .where(and(inArray(traces.num, group), isForSale))
          .orderBy(asc(traces.num)),
      )
      return { documents, next: rows.length > limit ? places.at(-1)! : null }
    },
  }
}

/** Reads traces of a sale under the ids and names that the buyer knows them by, in the order of those ids. */
async function readForBuyer(query: Postgres, sale: number, group: readonly number[]): Promise<StoredTrace[]> {
  const selectSoldName = (conversation: typeof traces.conversation | typeof traces.parent) =>
    sql<string | null>`(select min(item.buyer_id) from ${traces} sibling
      join ${saleItems} item on item.sale = ${sale} and item.trace = sibling.num
      where sibling.conversation = ${conversation})`
  const rows = await selectStored(query).where(inArray(traces.num, [...group]))
  const names = await query
    .select({
      num: traces.num,
      id: saleItems.buyerId,
      sourceId: selectSoldName(traces.conversation),
      parentTraceId: selectSoldName(traces.parent),
    })
    .from(saleItems)
    .innerJoin(traces, eq(traces.num, saleItems.trace))
    .where(and(eq(saleItems.sale, sale), inArray(saleItems.trace, [...group])))
    .orderBy(asc(saleItems.buyerId))
  const rowOf = new Map(rows.map((row) => [row.num, row]))
  return names.map(({ num, id, sourceId, parentTraceId }) => ({
    ...rowOf.get(num)!,
    id,
    sourceId: sourceId ?? id,
    parentTraceId,
  }))
}
