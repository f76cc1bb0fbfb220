import { buyerKey } from '../../traces/dataset/rules.ts'
import type { Buyer, BuyerStore, Removal, RemovalNotice, RemovalReason } from '../../traces/buyers/store.ts'
import { memoryAudit, type MemoryAudit } from './audit.ts'
import { memoryOutbox, type MemoryOutbox } from './outbox.ts'

type Row = { -readonly [Name in keyof Buyer]: Buyer[Name] } & { readonly num: number; tokenHash: string | null }
type RemovalRow = { -readonly [Name in keyof Removal]: Removal[Name] } & {
  readonly num: number
  readonly buyer: string
  erasure: string | null
}

/** A trace in a sale. */
export interface SoldItem {
  readonly saleId: string
  readonly buyer: string
  readonly buyerTraceId: string
}

/** The lookups in the store of traces that the store of buyers needs. */
export interface SoldTraces {
  /** Returns the sales of a trace, oldest first; null when there is no such trace. */
  readonly findSales: (traceId: string) => readonly SoldItem[] | null
  /** Withdraws a trace; false when it was withdrawn before. */
  readonly withdraw: (traceId: string, at: number) => boolean
  readonly listSold: (ownerId: string) => readonly SoldItem[][]
}

/** The store of buyers in Maps; the further methods are for the store of traces, in the same step as its change. */
export interface MemoryBuyers extends BuyerStore {
  addTraces(traces: SoldTraces): void
  recordRemovals(reason: RemovalReason, items: readonly SoldItem[], notice: RemovalNotice): void
}

export function memoryBuyers(
  outbox: Pick<MemoryOutbox, 'enqueueEvent' | 'enqueueNow'> = memoryOutbox(),
  audits: Pick<MemoryAudit, 'record'> = memoryAudit(),
): MemoryBuyers {
  const rows = new Map<string, Row>()
  const sessions = new Map<string, { readonly buyer: Row; readonly expiresAt: number }>()
  const removals: RemovalRow[] = []
  let traces: SoldTraces = { findSales: () => null, withdraw: () => false, listSold: () => [] }
  let lastNum = 0

  const toBuyer = ({ num: _, tokenHash, ...buyer }: Row): Buyer => ({ ...buyer, isActive: tokenHash !== null })
  const toRemoval = ({ num: _, buyer: __, erasure: ___, ...removal }: RemovalRow): Removal => ({ ...removal })
  const isOf = (removal: RemovalRow, buyer: string): boolean => buyerKey(removal.buyer) === buyerKey(buyer)
  const pageOf = <Item extends { readonly num: number }>(items: readonly Item[], limit: number) => ({
    page: items.slice(0, limit),
    next: items.length > limit ? items[limit - 1]!.num : null,
  })
  const findByToken = (tokenHash: string): Row | undefined =>
    [...rows.values()].find((row) => row.tokenHash === tokenHash)

  function recordRemovals(reason: RemovalReason, items: readonly SoldItem[], { id, at, event, mail }: RemovalNotice) {
    const erasure = reason === 'erased' ? id : null
    for (const { saleId, buyer, buyerTraceId } of items) {
      const earlier = removals.find((one) => one.saleId === saleId && one.buyerTraceId === buyerTraceId)
      if (earlier) {
        earlier.erasure ??= erasure
        continue
      }
      const time = at.toString(16).padStart(12, '0')
      const removal = `${time.slice(0, 8)}-${time.slice(8)}-7${buyerTraceId.slice(15)}`
      const num = removals.length + 1
      removals.push({ num, id: removal, saleId, buyer, buyerTraceId, reason, at, acknowledgedAt: null, erasure })
      const data = { id: removal, saleId, buyer, buyerTraceId, reason }
      outbox.enqueueEvent(event && { ...event, id: removal }, { ownerId: null, subject: saleId, data })
      const told = [...rows.values()].find((row) => buyerKey(row.name) === buyerKey(buyer))
      if (!told?.email) continue
      const mailId = `${id.slice(0, 14)}8${id.slice(15, 32)}${told.num.toString(16).padStart(4, '0')}`
      const entry = { id: mailId, channel: 'mail', recipient: told.email, subject: mail.subject } as const
      outbox.enqueueNow({ ...entry, payload: mail.text, createdAt: at })
    }
  }

  return {
    addTraces(given) {
      traces = given
    },
    recordRemovals,

    async createBuyer({ buyer, audit }) {
      if ([...rows.values()].some(({ name }) => buyerKey(name) === buyerKey(buyer.name))) return 'exists'
      const row: Row = { ...buyer, num: ++lastNum, isActive: true, createdAt: audit.at, tokenAt: audit.at }
      rows.set(row.id, row)
      audits.record(audit, 'buyer.create', row.id, null, { name: row.name })
      return toBuyer(row)
    },
    async listBuyers({ cursor, limit }) {
      const newest = [...rows.values()].reverse().filter(({ num }) => cursor === null || num < cursor)
      const { page, next } = pageOf(newest, limit)
      return { items: page.map(toBuyer), next }
    },
    async setEmail({ id, email, audit }) {
      const row = rows.get(id)
      if (!row) return null
      if (row.email !== email) audits.record(audit, 'buyer.set_email', id, { email: row.email }, { email })
      row.email = email
      return toBuyer(row)
    },
    async setToken({ id, tokenHash, audit }) {
      const row = rows.get(id)
      if (!row) return false
      const action = tokenHash === null ? 'buyer.revoke_token' : 'buyer.rotate_token'
      if (row.tokenHash !== tokenHash) {
        Object.assign(row, { tokenHash, tokenAt: audit.at })
        audits.record(audit, action, id, null, null)
      }
      for (const [hash, session] of sessions) if (session.buyer === row) sessions.delete(hash)
      return true
    },
    async findBuyer({ tokenHash }) {
      const found = findByToken(tokenHash)
      return found ? toBuyer(found) : null
    },

    async startSession({ tokenHash, hash, now, expiresAt }) {
      for (const [expired, session] of sessions) if (session.expiresAt <= now) sessions.delete(expired)
      const buyer = findByToken(tokenHash)
      if (buyer) sessions.set(hash, { buyer, expiresAt })
      return buyer !== undefined
    },
    async findSession({ hash, now }) {
      const session = sessions.get(hash)
      return session && session.expiresAt > now ? toBuyer(session.buyer) : null
    },
    async endSession({ hash }) {
      sessions.delete(hash)
    },

    async withdrawTrace({ id, reason, notice, audit }) {
      const items = traces.findSales(id)
      if (!items) return null
      const isWithdrawn = traces.withdraw(id, notice.at)
      if (isWithdrawn) recordRemovals('withdrawn', items, notice)
      const has = ({ saleId, buyerTraceId }: RemovalRow): boolean =>
        items.some((item) => item.saleId === saleId && item.buyerTraceId === buyerTraceId)
      const count = removals.filter(has).length
      if (isWithdrawn) audits.record(audit, 'trace.withdraw', id, null, { reason, removals: count })
      return count
    },
    async listRemovals({ buyer, since, cursor, limit, isOpen = false }) {
      const found = removals.filter(
        (one) =>
          isOf(one, buyer) && one.at >= since && one.num > (cursor ?? 0) && (!isOpen || one.acknowledgedAt === null),
      )
      const { page, next } = pageOf(found, limit)
      return { items: page.map(toRemoval), next }
    },
    async acknowledgeRemovals({ buyer, ids, now }) {
      const found = removals.filter((one) => ids.includes(one.id) && isOf(one, buyer))
      for (const one of found) one.acknowledgedAt ??= now
      return found.map(toRemoval)
    },
    async listOpenRemovals({ cursor, limit }) {
      const open = removals.filter(({ num, acknowledgedAt }) => acknowledgedAt === null && num > (cursor ?? 0))
      const { page, next } = pageOf(open, limit)
      return { items: page.map((one) => ({ ...toRemoval(one), buyer: one.buyer })), next }
    },
    async countSold({ ownerId }) {
      const sold = traces.listSold(ownerId)
      return { buyers: new Set(sold.flat().map(({ buyer }) => buyerKey(buyer))).size, traces: sold.length }
    },
    async findErasure({ id }) {
      const byBuyer = new Map<string, RemovalRow[]>()
      for (const one of removals.filter(({ erasure }) => erasure === id)) {
        const key = buyerKey(one.buyer)
        byBuyer.set(key, [...(byBuyer.get(key) ?? []), one])
      }
      return {
        buyers: [...byBuyer.values()].map((told) => {
          const times = told.flatMap(({ acknowledgedAt }) => acknowledgedAt ?? [])
          const isDone = times.length === told.length
          return {
            traces: told.length,
            acknowledged: times.length,
            acknowledgedAt: isDone ? Math.max(...times) : null,
          }
        }),
      }
    },
  }
}
