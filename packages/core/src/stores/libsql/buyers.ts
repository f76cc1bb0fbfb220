import { and, asc, eq, gt, inArray, isNotNull, isNull, lte, sql, type SQL } from 'drizzle-orm'
import { firstOf, lastOf, pageOf } from '../../lists.ts'
import { buyerKey } from '../../traces/dataset/rules.ts'
import type { Buyer, BuyerStore } from '../../traces/buyers/store.ts'
import { recordAudit, type AuditedChange } from './audit.ts'
import { deleteSome } from './bounded-writes.ts'
import { jsonArgument, type Database, writeNamed } from './database.ts'
import { prepareRemovals } from './removals.ts'
import { listClauses, readList, type ListColumns } from './list.ts'
import { build, insertSelect, jsonValues, parenthesize, ownerNum, prepare, type Param } from './statement.ts'
import { buyers, buyerSessions, removals } from './tables/buyers.ts'
import { saleItems, sales, traces } from './tables/traces.ts'

const buyerFields = {
  id: buyers.id,
  name: buyers.name,
  email: buyers.email,
  createdAt: buyers.createdAt,
  isActive: sql<number>`${buyers.tokenHash} is not null`,
  tokenAt: buyers.tokenAt,
}
type BuyerRow = Omit<Buyer, 'isActive'> & { readonly isActive: number }
const toBuyer = ({ isActive, ...buyer }: BuyerRow): Buyer => ({ ...buyer, isActive: isActive === 1 })

interface InsertArgs {
  readonly id: string
  readonly name: string
  readonly key: string
  readonly email: string | null
  readonly tokenHash: string
  readonly now: number
}
const insertBuyer = prepare<InsertArgs>()(({ id, name, key, email, tokenHash, now }) =>
  insertSelect(
    buyers,
    { id, name, buyerKey: key, email, tokenHash, createdAt: now, tokenAt: now },
    sql`where true on conflict (buyer_key) do nothing`,
  ),
)
const selectNewBuyer = prepare<{ id: string }>()(
  ({ id }) =>
    sql<AuditedChange>`select ${buyers.id}, null, json_object('name', ${buyers.name}) from ${buyers} where ${buyers.id} = ${id}`,
)
const selectBuyer = prepare<{ id: string }>()(({ id }) =>
  build.select(buyerFields).from(buyers).where(eq(buyers.id, id)),
)
const buyerList: ListColumns<'createdAt' | 'name'> = {
  num: buyers.num,
  at: buyers.createdAt,
  sorts: { createdAt: buyers.num, name: buyers.buyerKey },
  ids: [buyers.id],
  addresses: [buyers.email],
  text: [buyers.id, buyers.name, buyers.email],
}
const selectBuyerOfToken = prepare<{ tokenHash: string }>()(({ tokenHash }) =>
  build.select(buyerFields).from(buyers).where(eq(buyers.tokenHash, tokenHash)),
)
const selectBuyerByKey = prepare<{ key: string }>()(({ key }) =>
  build.select(buyerFields).from(buyers).where(eq(buyers.buyerKey, key)),
)
const selectTokenChange = prepare<{ id: string; tokenHash: string | null }>()(
  ({ id, tokenHash }) => sql<AuditedChange>`select ${buyers.id}, null, null from ${buyers}
    where ${buyers.id} = ${id} and ${buyers.tokenHash} is not ${tokenHash}`,
)
const updateToken = prepare<{ id: string; tokenHash: string | null; now: number }>()(({ id, tokenHash, now }) =>
  build
    .update(buyers)
    .set({ tokenHash: sql`${tokenHash}`, tokenAt: sql`${now}` })
    .where(sql`${buyers.id} = ${id} and ${buyers.tokenHash} is not ${tokenHash}`),
)
const selectEmailChange = prepare<{ id: string; email: string | null }>()(
  ({
    id,
    email,
  }) => sql<AuditedChange>`select ${buyers.id}, json_object('email', ${buyers.email}), json_object('email', ${email})
    from ${buyers} where ${buyers.id} = ${id} and ${buyers.email} is not ${email}`,
)
const updateEmail = prepare<{ id: string; email: string | null }>()(({ id, email }) =>
  build
    .update(buyers)
    .set({ email: sql`${email}` })
    .where(eq(buyers.id, id)),
)
const deleteSessions = prepare<{ id: string }>()(({ id }) =>
  build
    .delete(buyerSessions)
    .where(eq(buyerSessions.buyer, sql`(select ${buyers.num} from ${buyers} where ${buyers.id} = ${id})`)),
)

const deleteExpiredSessions = prepare<{ now: number }>()(({ now }) =>
  deleteSome(buyerSessions, lte(buyerSessions.expiresAt, now)),
)
const insertSession = prepare<{ tokenHash: string; hash: string; expiresAt: number }>()(
  ({ tokenHash, hash, expiresAt }) =>
    insertSelect(
      buyerSessions,
      { hash, buyer: buyers.num, expiresAt },
      sql`from ${buyers} where ${buyers.tokenHash} = ${tokenHash}`,
    ),
)
const selectSession = prepare<{ hash: string; now: number }>()(({ hash, now }) =>
  build
    .select(buyerFields)
    .from(buyerSessions)
    .innerJoin(buyers, eq(buyers.num, buyerSessions.buyer))
    .where(and(eq(buyerSessions.hash, hash), gt(buyerSessions.expiresAt, now))),
)
const deleteSession = prepare<{ hash: string }>()(({ hash }) =>
  build.delete(buyerSessions).where(eq(buyerSessions.hash, hash)),
)

const isNotWithdrawn = (id: Param): SQL => sql`${traces.id} = ${id} and ${traces.withdrawnAt} is null`
const recordWithdrawal = prepareRemovals<{ traceId: string }>(
  'withdrawn',
  ({ traceId }) => sql`(select ${traces.num} from ${traces} where ${isNotWithdrawn(traceId as Param)})`,
)
const removalCount = parenthesize<number>(sql`select count(*) from ${saleItems} cross join ${removals}
  on ${removals.sale} = ${saleItems.sale} and ${removals.buyerTraceId} = ${saleItems.buyerId}
  where ${saleItems.trace} = ${traces.num}`)
const selectWithdrawal = prepare<{ traceId: string }>()(
  ({ traceId }) => sql<AuditedChange>`select ${traces.id}, null,
    json_object('removals', ${removalCount}) from ${traces} where ${isNotWithdrawn(traceId)}`,
)
const withdraw = prepare<{ traceId: string; reason: string; now: number }>()(({ traceId, reason, now }) =>
  build
    .update(traces)
    .set({
      withdrawnAt: sql`${now}`,
      // Nothing would delete the reason of a trace whose contributor is erased.
      withdrawalReason: sql`iif(${traces.owner} is null, null, ${reason})`,
      // The trace becomes excluded, so that its contributor no longer sees it as for sale.
      sellExcluded: sql`iif(${traces.saleCount} = 0, 1, ${traces.sellExcluded})`,
    })
    .where(isNotWithdrawn(traceId)),
)
const selectRemovalCount = prepare<{ traceId: string }>()(({ traceId }) =>
  build.select({ count: removalCount }).from(traces).where(eq(traces.id, traceId)),
)

const selectTrace = prepare<{ id: string }>()(({ id }) =>
  build
    .select({
      title: traces.title,
      sales: traces.saleCount,
      isWithdrawn: sql<number>`${traces.withdrawnAt} is not null`,
    })
    .from(traces)
    .where(eq(traces.id, id)),
)

const selectWithdrawalReasons = prepare<{ ids: string }>()(({ ids }) =>
  build
    .select({ traceId: traces.id, reason: sql<string>`${traces.withdrawalReason}` })
    .from(traces)
    .where(and(inArray(traces.id, jsonValues(ids)), isNotNull(traces.withdrawalReason))),
)

const removalFields = {
  num: removals.num,
  id: removals.id,
  saleId: sales.id,
  buyerTraceId: removals.buyerTraceId,
  reason: removals.reason,
  at: removals.at,
  acknowledgedAt: removals.acknowledgedAt,
}
interface RemovalsArgs {
  readonly key: string
  readonly after: number
  readonly since: number
  readonly isOpen: number
  readonly limit: number
}
const selectRemovals = prepare<RemovalsArgs>()(({ key, after, since, isOpen, limit }) =>
  build
    .select(removalFields)
    .from(removals)
    .innerJoin(sales, eq(sales.num, removals.sale))
    .where(
      sql`${removals.num} > ${after} and ${removals.at} >= ${since} and ${sales.buyerKey} = ${key}
        and (${isOpen} = 0 or ${removals.acknowledgedAt} is null)`,
    )
    .orderBy(asc(removals.num))
    .limit(limit),
)
const isOfBuyer = ({ key, ids }: { readonly key: Param; readonly ids: Param }): SQL =>
  sql`${removals.id} in ${jsonValues(ids)}
    and exists (select 1 from ${sales} where ${sales.num} = ${removals.sale} and ${sales.buyerKey} = ${key})`
const acknowledge = prepare<{ key: string; ids: string; now: number }>()(({ key, ids, now }) =>
  build
    .update(removals)
    .set({ acknowledgedAt: sql`${now}` })
    .where(and(isNull(removals.acknowledgedAt), isOfBuyer({ key, ids }))),
)
const selectAcknowledged = prepare<{ key: string; ids: string }>()((params) =>
  build
    .select(removalFields)
    .from(removals)
    .innerJoin(sales, eq(sales.num, removals.sale))
    .where(isOfBuyer(params))
    .orderBy(asc(removals.num)),
)
/**
 * The address of the buyer of a sale. With a join, PostgreSQL would begin a search by address with the buyers, and read
 * all sales.
 */
const emailOfBuyer = parenthesize<string | null>(
  sql`select ${buyers.email} from ${buyers} where ${buyers.buyerKey} = ${sales.buyerKey}`,
)
const removalList: ListColumns<'at'> = {
  num: removals.num,
  at: removals.at,
  sorts: { at: removals.num },
  ids: [removals.id, removals.buyerTraceId, sales.id],
  addresses: [emailOfBuyer],
  text: [removals.id, removals.buyerTraceId, removals.reason, sales.id, sales.buyer, emailOfBuyer],
}
const countOfSale = prepare<{ saleId: string }>()(({ saleId }) =>
  build
    .select({ all: sql<number>`count(*)`, acknowledged: sql<number>`count(${removals.acknowledgedAt})` })
    .from(removals)
    .innerJoin(sales, eq(sales.num, removals.sale))
    .where(eq(sales.id, saleId)),
)
const selectSold = prepare<{ ownerId: string }>()(
  ({ ownerId }) => sql<{ buyers: number; traces: number }>`select count(distinct ${sales.buyerKey}) as "buyers",
    count(distinct ${saleItems.trace}) as "traces" from ${traces}
    cross join ${saleItems} on ${saleItems.trace} = ${traces.num} cross join ${sales} on ${sales.num} = ${saleItems.sale}
    where ${traces.owner} = ${ownerNum(ownerId)} and ${traces.saleCount} > 0`,
)
const selectErasure = prepare<{ id: string }>()(({ id }) =>
  build
    .select({
      traces: sql<number>`count(*)`,
      acknowledged: sql<number>`count(${removals.acknowledgedAt})`,
      acknowledgedAt: sql<
        number | null
      >`iif(count(*) = count(${removals.acknowledgedAt}), max(${removals.acknowledgedAt}), null)`,
    })
    .from(removals)
    .innerJoin(sales, eq(sales.num, removals.sale))
    .where(and(isNotNull(removals.erasure), eq(removals.erasure, id)))
    .groupBy(sales.buyerKey)
    .orderBy(sql`min(${removals.num})`),
)

/** Returns a page of removals without their row numbers. */
function removalPage<Row extends { readonly num: number }>(rows: readonly Row[], limit: number) {
  const { page, next } = pageOf(rows, limit, ({ num }) => num)
  return { items: page.map(({ num: _, ...item }) => item), next }
}

/** Returns the store of buyers over libSQL. `traces/buyers/store.ts` describes the guarantees. */
export function libsqlBuyers(db: Database): BuyerStore {
  return {
    async createBuyer({ buyer: { id, name, email, tokenHash }, audit }) {
      const { inserted, found } = await writeNamed(db, {
        inserted: insertBuyer({ id, name, key: buyerKey(name), email, tokenHash, now: audit.at }),
        audit: recordAudit(audit, 'buyer.create', selectNewBuyer({ id })),
        found: selectBuyer({ id }),
      })
      return inserted.changed === 1 ? toBuyer(firstOf(found.rows)) : 'exists'
    },
    listBuyers(params) {
      const { place, where, order, limit } = listClauses(buyerList, params)
      const query = build
        .select({ ...buyerFields, ...place })
        .from(buyers)
        .where(where)
        .orderBy(...order)
        .limit(limit)
      return readList(db, buyerList, params, query, toBuyer)
    },
    async setEmail({ id, email, audit }) {
      const { found } = await writeNamed(db, {
        audit: recordAudit(audit, 'buyer.set_email', selectEmailChange({ id, email })),
        updated: updateEmail({ id, email }),
        found: selectBuyer({ id }),
      })
      return found.rows[0] ? toBuyer(found.rows[0]) : null
    },
    async setToken({ id, tokenHash, audit }) {
      const action = tokenHash === null ? 'buyer.revoke_token' : 'buyer.rotate_token'
      const { found } = await writeNamed(db, {
        audit: recordAudit(audit, action, selectTokenChange({ id, tokenHash })),
        updated: updateToken({ id, tokenHash, now: audit.at }),
        sessions: deleteSessions({ id }),
        found: selectBuyer({ id }),
      })
      return found.rows.length === 1
    },
    async findBuyer({ tokenHash }) {
      const [row] = await db.read(selectBuyerOfToken({ tokenHash }))
      return row ? toBuyer(row) : null
    },
    async findBuyerByName({ name }) {
      const [row] = await db.read(selectBuyerByKey({ key: buyerKey(name) }))
      return row ? toBuyer(row) : null
    },

    async startSession({ tokenHash, hash, now, expiresAt }) {
      const [, inserted] = await db.write([
        deleteExpiredSessions({ now }),
        insertSession({ tokenHash, hash, expiresAt }),
      ])
      return inserted.changed === 1
    },
    async findSession({ hash, now }) {
      const [row] = await db.read(selectSession({ hash, now }))
      return row ? toBuyer(row) : null
    },
    async endSession({ hash }) {
      await db.write([deleteSession({ hash })])
    },

    async withdrawTrace({ id: traceId, reason, notice, audit }) {
      const count = lastOf(
        await db.write([
          ...recordWithdrawal({ traceId }, notice),
          recordAudit(audit, 'trace.withdraw', selectWithdrawal({ traceId })),
          withdraw({ traceId, reason, now: notice.at }),
          selectRemovalCount({ traceId }),
        ]),
      )
      return (count.rows as { count: number }[])[0]?.count ?? null
    },
    async findWithdrawal({ id }) {
      const [found] = await db.read(selectTrace({ id }))
      return found ? { ...found, isWithdrawn: found.isWithdrawn === 1 } : null
    },
    listWithdrawalReasons: ({ ids }) => db.read(selectWithdrawalReasons({ ids: jsonArgument(ids) })),
    async listRemovals({ buyer, since, cursor, limit, isOpen = false }) {
      const key = buyerKey(buyer)
      const args = { key, after: cursor ?? 0, since, isOpen: Number(isOpen), limit: limit + 1 }
      return removalPage(await db.read(selectRemovals(args)), limit)
    },
    async acknowledgeRemovals({ buyer, ids, now }) {
      const args = { key: buyerKey(buyer), ids: jsonArgument(ids) }
      const [, found] = await db.write([acknowledge({ ...args, now }), selectAcknowledged(args)])
      return removalPage(found.rows, ids.length).items
    },
    listAllRemovals({ status, buyer, ...params }) {
      const isListed = and(
        buyer === undefined ? undefined : eq(sales.buyerKey, buyerKey(buyer)),
        (status === 'open' ? isNull : isNotNull)(removals.acknowledgedAt),
      )
      const { place, where, order, limit } = listClauses(removalList, params, isListed)
      const query = build
        .select({ ...removalFields, ...place, buyer: sales.buyer, email: emailOfBuyer })
        .from(removals)
        .innerJoin(sales, eq(sales.num, removals.sale))
        .where(where)
        .orderBy(...order)
        .limit(limit)
      return readList(db, removalList, params, query, (removal) => removal)
    },
    async countRemovals({ saleId }) {
      const { all, acknowledged } = firstOf(await db.read(countOfSale({ saleId })))
      return { all, open: all - acknowledged }
    },
    async countSold({ ownerId }) {
      return firstOf(await db.read(selectSold({ ownerId })))
    },
    async findErasure({ id }) {
      return { buyers: await db.read(selectErasure({ id })) }
    },
  }
}
