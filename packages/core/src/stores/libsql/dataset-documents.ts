import { and, asc, eq, isNull, sql, type SQL } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { firstOf, pageOf } from '../../lists.ts'
import type { DatasetStore } from '../../traces/dataset/store.ts'
import type { StoredTrace } from '../../traces/store.ts'
import { yieldToEventLoop, type Database } from './database.ts'
import { filterArguments, isDeliverable, isForSale, isSellable, saleNum, type FilterArguments } from './sellable.ts'
import { build, prepare, selectJsonIntegers, type Param } from './statement.ts'
import {
  contentFields,
  isPlaceWithin,
  messageBytes,
  placesPerRead,
  readDocuments,
  selectLastPlace,
  storedFields,
  type PieceRow,
} from './stored-traces.ts'
import { contents, saleItems, sales, traces } from './tables/traces.ts'

const selectRecordedSale = prepare<{ saleId: string }>()(({ saleId }) =>
  build
    .select({ id: sales.id })
    .from(sales)
    .where(and(eq(sales.id, saleId), isNull(sales.pending))),
)
/**
 * Returns the group of a trace in the index of a sale's traces: the first two characters of the buyer id. Traces of the
 * same group are sorted by their whole buyer ids.
 */
const selectGroup = (buyerId: Param | typeof saleItems.buyerId): SQL => sql`substr(${buyerId}, 1, 2)`
/**
 * Selects traces of a sale in the order of their buyer ids, including traces that are no longer delivered. A cursor may
 * be the id of such a trace.
 */
const selectSoldPieces = prepare<{ saleId: string; after: string; limit: number }>()(
  ({ saleId, after, limit }) => sql<PieceRow & { buyerId: string; isDelivered: number }>`
    select item.trace as "num", item.buyer_id as "buyerId", ${messageBytes} as "bytes", (${isDeliverable}) as "isDelivered"
    from (select trace, buyer_id from ${saleItems} where ${saleItems.sale} = ${saleNum(saleId)}
        and ${selectGroup(saleItems.buyerId)} >= ${selectGroup(after)} and ${saleItems.buyerId} > ${after}
      order by ${selectGroup(saleItems.buyerId)}, ${saleItems.buyerId} limit ${limit}) item
    left join ${traces} on ${traces.num} = item.trace
    left join ${contents} on ${contents.trace} = item.trace order by item.buyer_id`,
)
const sibling = alias(traces, 'sibling')
const siblingItem = alias(saleItems, 'sibling_item')
const leastBuyerId = (isPiece: SQL): SQL<string | null> =>
  sql`(select min(${siblingItem.buyerId}) from ${traces} ${sibling}
    cross join ${saleItems} ${siblingItem} on ${siblingItem.sale} = ${saleItems.sale} and ${siblingItem.trace} = ${sibling.num}
    where ${isPiece})`
/**
 * Returns the smallest buyer id among the pieces of a conversation that were sold in the same sale. Pieces that were
 * stored before conversations existed are recognized by their name.
 */
const soldName = (
  conversation: typeof traces.conversation | typeof traces.parent,
  name: typeof traces.sourceId | typeof traces.parentTraceId,
): SQL<string | null> =>
  sql`iif(${conversation} is not null, ${leastBuyerId(sql`${sibling.conversation} = ${conversation}`)},
    ${leastBuyerId(sql`${sibling.owner} = ${traces.owner} and ${sibling.source} = ${traces.source}
      and ${sibling.sourceId} = ${name} and ${sibling.conversation} is null`)})`
const selectSoldDocuments = prepare<{ saleId: string; nums: string }>()(({ saleId, nums }) =>
  build
    .select({
      ...storedFields,
      ...contentFields,
      buyerId: sql<string>`${saleItems.buyerId}`,
      buyerSourceId: soldName(traces.conversation, traces.sourceId),
      buyerParentId: soldName(traces.parent, traces.parentTraceId),
    })
    .from(saleItems)
    .innerJoin(traces, eq(traces.num, saleItems.trace))
    .leftJoin(contents, eq(contents.trace, traces.num))
    .where(
      sql`${saleItems.sale} = ${saleNum(saleId)} and ${saleItems.trace} in ${selectJsonIntegers(nums)} and ${isDeliverable}`,
    )
    .orderBy(asc(saleItems.buyerId)),
)
const selectSellablePieces = prepare<
  FilterArguments & { saleId: string; after: number; until: number; limit: number }
>()((params) =>
  build
    .select({ num: traces.num, id: traces.id, bytes: messageBytes })
    .from(traces)
    .leftJoin(contents, eq(contents.trace, traces.num))
    .where(and(isPlaceWithin(params), isSellable(params)))
    .orderBy(asc(traces.num))
    .limit(params.limit),
)
const selectSellableDocuments = prepare<{ nums: string }>()(({ nums }) =>
  build
    .select({ ...storedFields, ...contentFields })
    .from(traces)
    .leftJoin(contents, eq(contents.trace, traces.num))
    .where(sql`${traces.num} in ${selectJsonIntegers(nums)} and ${isForSale}`)
    .orderBy(asc(traces.num)),
)

interface SoldRow extends StoredTrace {
  readonly buyerId: string
  readonly buyerSourceId: string | null
  readonly buyerParentId: string | null
}

async function* forBuyer(rows: AsyncIterable<SoldRow>): AsyncGenerator<StoredTrace> {
  for await (const { buyerId, buyerSourceId, buyerParentId, ...trace } of rows) {
    yield { ...trace, id: buyerId, sourceId: buyerSourceId ?? buyerId, parentTraceId: buyerParentId }
  }
}

/** Returns the methods of the dataset store that read the documents of sold traces and of traces for sale. */
export function libsqlDatasetDocuments(db: Database): Pick<DatasetStore, 'readSoldTraces' | 'readSellableTraces'> {
  return {
    async readSoldTraces({ saleId, cursor, limit }) {
      const [sale, pieces] = await db.readAll([
        selectRecordedSale({ saleId }),
        selectSoldPieces({ saleId, after: cursor ?? '', limit: limit + 1 }),
      ])
      if (sale.length === 0) return null
      const { page, next } = pageOf(pieces, limit, ({ buyerId }) => buyerId)
      return {
        documents: forBuyer(readDocuments(db, page, (nums) => selectSoldDocuments({ saleId, nums }))),
        ids: page.filter(({ isDelivered }) => isDelivered === 1).map(({ buyerId }) => buyerId),
        next,
      }
    },

    async readSellableTraces({ cursor, limit, filter = {} }) {
      const selectPieces = (after: number, room: number) =>
        selectSellablePieces({
          ...filterArguments(filter),
          saleId: '',
          after,
          until: after + placesPerRead,
          limit: room,
        })
      let after = cursor ?? 0
      const [places, first] = await db.readAll([selectLastPlace({}), selectPieces(after, limit + 1)])
      const last = firstOf(places).num
      const pieces = [...first]
      while (pieces.length <= limit && (after += placesPerRead) < last) {
        await yieldToEventLoop()
        pieces.push(...(await db.read(selectPieces(after, limit + 1 - pieces.length))))
      }
      const { page, next } = pageOf(pieces, limit, ({ num }) => num)
      return {
        documents: readDocuments(db, page, (nums) => selectSellableDocuments({ nums })),
        ids: page.map(({ id }) => id),
        next,
      }
    },
  }
}
