import { and, asc, desc, eq, isNull, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import { firstOf } from '../../lists.ts'
import type { LedgerStore, PayoutRequest } from '../../ledger/store.ts'
import type { MailText } from '../../outbox/store.ts'
import { recordAudit, type AuditedChange } from './audit.ts'
import { deleteSome } from './bounded-writes.ts'
import { type Database, writeNamed } from './database.ts'
import { isPending } from './ledger-entries.ts'
import { listClauses, readList, type ListColumns } from './list.ts'
import { selectAddress, insertOutboxEntries } from './outbox.ts'
import { build, insertSelect, ownerNum, prepare } from './statement.ts'
import { applications } from './tables/contributors.ts'
import { ledger, payoutRequests } from './tables/ledger.ts'
import { users } from './tables/sessions.ts'

type Placeholders<Args> = { readonly [Name in keyof Args]: SQLWrapper }

/** Returns the micro-dollars that can be paid out to the user of the row. */
export const payableBalance = (now: SQLWrapper): SQL<number> => sql<number>`(
  select coalesce(sum(${ledger.micros}) filter (where not ${isPending(now)}), 0) from ${ledger} where ${ledger.owner} = ${users.num})`
/** The condition that the user of the row is an approved contributor. */
export const isApproved = sql<number>`exists (
  select 1 from ${applications} where ${applications.owner} = ${users.num} and ${applications.status} = 'approved')`

interface RequestArgs {
  readonly ownerId: string
  readonly minMicros: number
  readonly now: number
}
const hasOpenRequest = sql<number>`exists (
  select 1 from ${payoutRequests} where ${payoutRequests.owner} = ${users.num} and ${payoutRequests.status} = 'open')`
const mayRequest = ({ ownerId, minMicros, now }: Placeholders<RequestArgs>): SQL =>
  sql`${users.id} = ${ownerId} and ${users.erasedAt} is null and ${isApproved} and not ${hasOpenRequest}
    and ${payableBalance(now)} >= max(${minMicros}, 1)`

const enqueueRequestMail = prepare<RequestArgs & MailText & { id: string; requestId: string | null }>()((params) =>
  insertOutboxEntries(
    {
      id: params.id,
      owner: users.num,
      channel: sql`'mail'`,
      recipient: selectAddress(users.num),
      subject: params.subject,
      payload: params.text,
      createdAt: params.now,
      requestId: params.requestId,
    },
    sql`from ${users} where ${mayRequest(params)} and ${selectAddress(users.num)} is not null`,
  ),
)
const insertRequest = prepare<RequestArgs & { id: string }>()((params) =>
  insertSelect(
    payoutRequests,
    {
      id: params.id,
      owner: users.num,
      micros: payableBalance(params.now),
      status: sql`'open'`,
      requestedAt: params.now,
      decidedAt: sql`null`,
      reason: sql`null`,
    },
    sql`from ${users} where ${mayRequest(params)}`,
  ),
)
const selectRequester = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build
    .select({ isApproved: sql<number>`${isApproved}`, hasOpen: sql<number>`${hasOpenRequest}` })
    .from(users)
    .where(sql`${users.id} = ${ownerId} and ${users.erasedAt} is null`),
)

const requestColumns = {
  id: payoutRequests.id,
  micros: payoutRequests.micros,
  status: payoutRequests.status,
  requestedAt: payoutRequests.requestedAt,
  decidedAt: payoutRequests.decidedAt,
  reason: payoutRequests.reason,
}
const selectRequest = prepare<{ id: string }>()(({ id }) =>
  build.select(requestColumns).from(payoutRequests).where(eq(payoutRequests.id, id)),
)
const selectRequestsOfOwner = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build
    .select(requestColumns)
    .from(payoutRequests)
    .where(eq(payoutRequests.owner, ownerNum(ownerId)))
    .orderBy(asc(payoutRequests.num)),
)
const selectLatestRequest = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build
    .select(requestColumns)
    .from(payoutRequests)
    .where(eq(payoutRequests.owner, ownerNum(ownerId)))
    .orderBy(desc(payoutRequests.num))
    .limit(1),
)
const requestList: ListColumns<'requestedAt'> = {
  num: payoutRequests.num,
  at: payoutRequests.requestedAt,
  sorts: { requestedAt: payoutRequests.num },
  ids: [payoutRequests.id],
  owner: payoutRequests.owner,
  text: [payoutRequests.id, payoutRequests.reason, users.id, users.email],
}

const isOpenRequest = (id: SQLWrapper): SQL => sql`${payoutRequests.id} = ${id} and ${payoutRequests.status} = 'open'`
const selectRejection = prepare<{ id: string }>()(
  ({ id }) => sql<AuditedChange>`select ${users.id}, json_object('status', 'open'),
    json_object('status', 'rejected', 'id', ${payoutRequests.id}, 'usd', ${payoutRequests.micros} / 1e6)
    from ${payoutRequests} join ${users} on ${users.num} = ${payoutRequests.owner} where ${isOpenRequest(id)}`,
)
const enqueueRejectionMail = prepare<MailText & { id: string; mailId: string; requestId: string; now: number }>()(
  (params) =>
    insertOutboxEntries(
      {
        id: params.mailId,
        owner: payoutRequests.owner,
        channel: sql`'mail'`,
        recipient: selectAddress(payoutRequests.owner),
        subject: params.subject,
        payload: params.text,
        createdAt: params.now,
        requestId: params.requestId,
      },
      sql`from ${payoutRequests} where ${isOpenRequest(params.id)} and ${selectAddress(payoutRequests.owner)} is not null`,
    ),
)
const rejectRequest = prepare<{ id: string; reason: string; now: number }>()(({ id, reason, now }) =>
  build
    .update(payoutRequests)
    .set({ status: 'rejected', reason: sql`${reason}`, decidedAt: sql`${now}` })
    .where(isOpenRequest(id)),
)

/** Closes the open payout request of a person, in the transaction that records their payout. */
export const closeRequest = prepare<{ id: string; userId: string; now: number }>()(({ id, userId, now }) =>
  build
    .update(payoutRequests)
    .set({ status: 'paid', decidedAt: sql`${now}` })
    .where(
      sql`${payoutRequests.owner} = ${ownerNum(userId)} and ${payoutRequests.status} = 'open'
        and exists (select 1 from ${ledger} where ${ledger.id} = ${id})`,
    ),
)

/** Deletes the requests of a person, at most `maxRowsPerWrite` of them. */
export const deleteRequests = prepare<{ ownerId: string }>()(({ ownerId }) =>
  deleteSome(payoutRequests, eq(payoutRequests.owner, ownerNum(ownerId))),
)

type RequestMethods = 'requestPayout' | 'findPayoutRequest' | 'listPayoutRequests' | 'rejectPayoutRequest'

/** Returns the methods of the ledger store that manage requests of payouts. */
export function libsqlPayoutRequests(db: Database): Pick<LedgerStore, RequestMethods | 'exportPayoutRequests'> {
  return {
    async requestPayout({ id, ownerId, minMicros, mail, now }) {
      const args = { ownerId, minMicros, now }
      // The requester is read before the request is inserted.
      const { found, inserted, stored } = await writeNamed(db, {
        found: selectRequester({ ownerId }),
        requestMail: enqueueRequestMail({ ...args, id, ...mail, requestId: mail.requestId ?? null }),
        inserted: insertRequest({ ...args, id }),
        stored: selectRequest({ id }),
      })
      if (inserted.changed === 1) return { outcome: 'requested', request: firstOf(stored.rows) }
      const [requester] = found.rows
      if (!requester) return { outcome: 'unknown' }
      if (requester.hasOpen === 1) return { outcome: 'payout_request_open' }
      return { outcome: requester.isApproved === 1 ? 'insufficient_balance' : 'contributor_not_approved' }
    },
    async findPayoutRequest({ ownerId }) {
      const [request] = await db.read(selectLatestRequest({ ownerId }))
      return request ?? null
    },
    listPayoutRequests({ status, ...params }) {
      const hasStatus = status === undefined ? undefined : eq(payoutRequests.status, status)
      const { place, where, order, limit } = listClauses(requestList, params, hasStatus)
      const query = build
        .select({ ...place, ...requestColumns, userId: users.id, email: users.email })
        .from(payoutRequests)
        .innerJoin(users, and(eq(users.num, payoutRequests.owner), isNull(users.erasedAt)))
        .where(where)
        .orderBy(...order)
        .limit(limit)
      return readList(db, requestList, params, query, (request) => request)
    },
    async rejectPayoutRequest({ id, reason, mail, audit }) {
      const { rejected, stored } = await writeNamed(db, {
        audit: recordAudit(audit, 'payout_request.reject', selectRejection({ id })),
        rejectionMail: enqueueRejectionMail({
          id,
          mailId: audit.id,
          requestId: audit.requestId,
          ...mail,
          now: audit.at,
        }),
        rejected: rejectRequest({ id, reason, now: audit.at }),
        stored: selectRequest({ id }),
      })
      const [request] = stored.rows
      if (!request) return { outcome: 'unknown' }
      return rejected.changed === 1 ? { outcome: 'rejected', request } : { outcome: 'already_decided' }
    },
    exportPayoutRequests: ({ ownerId }): Promise<PayoutRequest[]> => db.read(selectRequestsOfOwner({ ownerId })),
  }
}
