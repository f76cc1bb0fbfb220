import { listPage, type MemoryList } from './list.ts'
import { utcDay } from '../../ids.ts'
import { divideByTokens, entryIdAt } from '../../ledger/rules.ts'
import type { Balance, LedgerEntry, LedgerStore, PayoutRequest } from '../../ledger/store.ts'
import type { MailText } from '../../outbox/store.ts'
import type { RecordSaleParams } from '../../traces/dataset/store.ts'
import type { MemoryAds } from './ads.ts'
import { memoryAudit, type MemoryAudit } from './audit.ts'
import type { MemoryOutbox } from './outbox.ts'

interface StoredEntry {
  readonly num: number
  ownerId: string | null
  entry: LedgerEntry
  /** The reference of a correction; its id without one given. */
  readonly correction?: string
}

export interface MemoryLedgerOptions {
  /** Returns whether there is such a user. */
  readonly known: (ownerId: string) => Promise<boolean>
  /** Returns the number of a user's sign-up, or null. */
  readonly findSignUp: (ownerId: string) => number | null
  /** Returns when a person signed up, in milliseconds. */
  readonly signedUpAt: (ownerId: string) => number
  /** Returns the address that a user's mails go to, or null. */
  readonly addressOf: (ownerId: string) => Promise<string | null>
  /** Returns the verified address of a user's account, or null. */
  readonly verifiedAddressOf: (ownerId: string) => Promise<string | null>
  /** Returns whether a user is an approved contributor. */
  readonly isApproved: (ownerId: string) => boolean
  readonly ads: Pick<MemoryAds, 'listUnposted' | 'countedDay'>
  readonly outbox: Pick<MemoryOutbox, 'enqueueNow'>
  readonly audit?: Pick<MemoryAudit, 'record'>
}

/** A sale with the traces that were sold in it. */
export interface SoldTraces extends Pick<RecordSaleParams, 'sale' | 'shares'> {
  readonly sold: readonly { readonly ownerId: string; readonly tokens: number; readonly newTokens: number }[]
}

/** The ledger, and the step by which the trace store beside it adds the entries of a sale. */
export interface MemoryLedger extends LedgerStore {
  addSale(sold: SoldTraces): Promise<void>
}

const noEntry = {
  saleId: null,
  traces: null,
  tokens: null,
  newTokens: null,
  device: null,
  day: null,
  reference: null,
  reason: null,
}

/** Returns the ledger in memory. */
export function memoryLedger({
  known,
  findSignUp,
  signedUpAt,
  addressOf,
  verifiedAddressOf,
  isApproved,
  ads,
  outbox,
  audit: audits = memoryAudit(),
}: MemoryLedgerOptions): MemoryLedger {
  const stored: StoredEntry[] = []
  const requests: (PayoutRequest & { readonly ownerId: string })[] = []
  const requestView = ({ ownerId: _, ...request }: (typeof requests)[number]): PayoutRequest => request
  const findOpen = (ownerId: string) => requests.find((one) => one.ownerId === ownerId && one.status === 'open')
  const entriesOf = (ownerId: string): LedgerEntry[] =>
    stored.filter((one) => one.ownerId === ownerId).map(({ entry }) => entry)
  const sum = (entries: readonly LedgerEntry[]): number => entries.reduce((total, { micros }) => total + micros, 0)

  function add(ownerId: string, entry: LedgerEntry): void {
    stored.push({ num: stored.length + 1, ownerId, entry })
  }

  function balanceOf(ownerId: string, now: number): Balance {
    const entries = entriesOf(ownerId)
    const pending = sum(entries.filter(({ kind, availableAt }) => kind === 'sale' && availableAt > now))
    return {
      balance: sum(entries) - pending,
      pending,
      lifetime: sum(entries.filter(({ kind }) => kind !== 'payout')),
    }
  }

  /** Returns the payouts, oldest first; the person of an erased account is left out. */
  const allPayouts = () =>
    Promise.all(
      stored
        .filter(({ entry }) => entry.kind === 'payout')
        .map(async ({ num, ownerId, entry: { id, micros, at, reference } }) => {
          const userId = ownerId !== null && (await known(ownerId)) ? ownerId : null
          const email = userId === null ? null : await verifiedAddressOf(userId)
          return { num, id, userId, email, micros: -micros, at, reference: reference! }
        }),
    )

  async function enqueueMail(id: string, ownerId: string, { subject, text }: MailText, at: number): Promise<void> {
    const recipient = await addressOf(ownerId)
    if (recipient === null) return
    outbox.enqueueNow({ id, channel: 'mail', recipient, subject, payload: text, createdAt: at }, ownerId)
  }

  return {
    async addSale({ sale: { id: saleId, soldAt: at }, shares: { micros, entryId, availableAt, firstSaleMail }, sold }) {
      if (sold.length === 0 || stored.some(({ entry }) => entry.saleId === saleId)) return
      const owners = [...new Set(sold.map(({ ownerId }) => ownerId))]
      const parts = owners.map((ownerId) => {
        const own = sold.filter((one) => one.ownerId === ownerId)
        const sumOf = (field: 'tokens' | 'newTokens'): number => own.reduce((total, one) => total + one[field], 0)
        return { tokens: sumOf('tokens'), newTokens: sumOf('newTokens'), traces: own.length }
      })
      const weights = parts.map(({ newTokens, traces }) => ({ tokens: newTokens, traces }))
      const first = owners.filter((ownerId) => entriesOf(ownerId).every(({ kind }) => kind !== 'sale'))
      for (const [at0, share] of divideByTokens(micros, weights).entries()) {
        const id = entryIdAt(entryId, at0 + 1)
        add(owners[at0]!, { ...noEntry, ...parts[at0]!, id, kind: 'sale', micros: share, at, availableAt, saleId })
      }
      for (const ownerId of first) {
        await enqueueMail(entryIdAt(entryId, owners.indexOf(ownerId) + 1), ownerId, firstSaleMail, at)
      }
    },

    async listEntries({ ownerId, now, cursor, limit }) {
      const older = stored.filter((one) => one.ownerId === ownerId && (cursor === null || one.num < cursor)).reverse()
      const newer = stored.filter((one) => one.ownerId === ownerId && cursor !== null && one.num >= cursor)
      const isEarned = ({ kind, availableAt }: LedgerEntry): boolean =>
        kind !== 'payout' && (kind !== 'sale' || availableAt <= now)
      const page = older.slice(0, limit)
      return {
        balance: balanceOf(ownerId, now),
        items: page.map(({ entry }) => entry),
        newer: sum(newer.map(({ entry }) => entry).filter(isEarned)),
        next: older.length > limit ? page.at(-1)!.num : null,
      }
    },
    async listDayEarnings({ ownerId, fromDay }) {
      const days = new Map<number, number>()
      for (const { kind, micros, at, day } of entriesOf(ownerId)) {
        const earned = day ?? utcDay(at)
        if ((kind === 'sale' || kind === 'impressions') && earned >= fromDay)
          days.set(earned, (days.get(earned) ?? 0) + micros)
      }
      return [...days].map(([day, micros]) => ({ day, micros })).sort((a, b) => b.day - a.day)
    },
    async listBalances({ now, ...params }) {
      const people = await Promise.all(
        [...new Set(stored.flatMap(({ ownerId }) => ownerId ?? []))].map(async (userId) => ({
          num: findSignUp(userId) ?? 0,
          userId,
          email: await verifiedAddressOf(userId),
        })),
      )
      const list: MemoryList<(typeof people)[number], 'signedUpAt'> = {
        num: ({ num }) => num,
        at: ({ userId }) => signedUpAt(userId),
        sorts: { signedUpAt: ({ num }) => num },
        whole: ({ userId, email }) => [userId, email],
        text: ({ userId, email }) => [userId, email],
      }
      const { items, next } = listPage(people, list, params)
      return { items: items.map(({ num, ...person }) => ({ ...person, ...balanceOf(person.userId, now) })), next }
    },
    async findSaleShare({ saleId }) {
      const entries = stored.map(({ entry }) => entry).filter((entry) => entry.saleId === saleId)
      const [first] = entries
      return first ? { micros: sum(entries), people: entries.length, availableAt: first.availableAt } : null
    },
    async listPayouts(params) {
      const payouts = await allPayouts()
      const list: MemoryList<(typeof payouts)[number], 'at' | 'usd'> = {
        num: ({ num }) => num,
        at: ({ at }) => at,
        sorts: { at: ({ num }) => num, usd: ({ micros }) => micros },
        whole: ({ id, userId, email, reference }) => [id, userId, email, reference],
        text: ({ id, userId, email, reference }) => [id, userId, email, reference],
      }
      const { items, next } = listPage(payouts, list, params)
      return { items: items.map(({ num, ...payout }) => payout), next }
    },
    async findLastPayout({ ownerId }) {
      const last = (await allPayouts()).findLast(({ userId }) => userId === ownerId)
      if (!last) return null
      const { num, ...payout } = last
      return payout
    },

    async recordPayout({ id, userId, micros, reference, mail, audit }) {
      if (!(await known(userId))) return { outcome: 'unknown' }
      const made = stored.find(({ entry }) => entry.kind === 'payout' && entry.reference === reference)
      if (made) {
        if (made.ownerId !== userId || made.entry.micros !== -micros) return { outcome: 'reference_used' }
        return { outcome: 'recorded', entry: made.entry, balance: balanceOf(userId, audit.at) }
      }
      if (!isApproved(userId)) return { outcome: 'contributor_not_approved' }
      if (balanceOf(userId, audit.at).balance < micros) return { outcome: 'insufficient_balance' }
      const times = { at: audit.at, availableAt: audit.at }
      const entry: LedgerEntry = { ...noEntry, id, kind: 'payout', micros: -micros, reference, ...times }
      add(userId, entry)
      audits.record(audit, 'payout.record', userId, null, { id, usd: micros / 1e6, reference })
      Object.assign(findOpen(userId) ?? {}, { status: 'paid', decidedAt: audit.at })
      await enqueueMail(id, userId, mail, audit.at)
      return { outcome: 'recorded', entry, balance: balanceOf(userId, audit.at) }
    },
    async requestPayout({ id, ownerId, minMicros, mail, now }) {
      if (!(await known(ownerId))) return { outcome: 'unknown' }
      if (findOpen(ownerId)) return { outcome: 'payout_request_open' }
      if (!isApproved(ownerId)) return { outcome: 'contributor_not_approved' }
      const { balance: micros } = balanceOf(ownerId, now)
      if (micros < Math.max(minMicros, 1)) return { outcome: 'insufficient_balance' }
      const request: PayoutRequest = { id, micros, status: 'open', requestedAt: now, decidedAt: null, reason: null }
      requests.push({ ...request, ownerId })
      await enqueueMail(id, ownerId, mail, now)
      return { outcome: 'requested', request }
    },
    async findPayoutRequest({ ownerId }) {
      const found = requests.findLast((one) => one.ownerId === ownerId)
      return found ? requestView(found) : null
    },
    async listPayoutRequests({ status, cursor, limit }) {
      const rows = requests.map((request, at) => ({ num: at + 1, ...request }))
      const older = rows
        .filter((one) => (status === null || one.status === status) && (cursor === null || one.num < cursor))
        .toReversed()
      const page = older.slice(0, limit)
      const items = await Promise.all(
        page.map(async ({ num: _, ownerId: userId, ...request }) => ({
          ...request,
          userId,
          email: await verifiedAddressOf(userId),
        })),
      )
      return { items, next: older.length > limit ? page.at(-1)!.num : null }
    },
    async rejectPayoutRequest({ id, reason, mail, audit }) {
      const found = requests.find((one) => one.id === id)
      if (!found) return { outcome: 'unknown' }
      if (found.status !== 'open') return { outcome: 'already_decided' }
      Object.assign(found, { status: 'rejected', reason, decidedAt: audit.at })
      const after = { status: 'rejected', id, usd: found.micros / 1e6 }
      audits.record(audit, 'payout_request.reject', found.ownerId, { status: 'open' }, after)
      await enqueueMail(audit.id, found.ownerId, mail, audit.at)
      return { outcome: 'rejected', request: requestView(found) }
    },
    exportPayoutRequests: async ({ ownerId }) => requests.filter((one) => one.ownerId === ownerId).map(requestView),
    async recordCorrection({ id, userId, micros, reason, reference, audit }) {
      if (!(await known(userId))) return { outcome: 'unknown' }
      const correction = reference ?? id
      const made = stored.find((one) => one.correction === correction)
      if (made && (made.ownerId !== userId || made.entry.micros !== micros)) return { outcome: 'reference_used' }
      let entry = made?.entry
      if (!entry) {
        entry = { ...noEntry, id, kind: 'correction', micros, at: audit.at, availableAt: audit.at, reason }
        stored.push({ num: stored.length + 1, ownerId: userId, entry, correction })
        audits.record(audit, 'correction.record', userId, null, { id, usd: micros / 1e6 })
      }
      return { outcome: 'recorded', entry, balance: balanceOf(userId, audit.at) }
    },

    async postImpressions({ today, now, share, entryId }) {
      let posted = 0
      for (const past of ads.listUnposted().filter(({ day }) => day < today)) {
        const { ownerId, device, day, unposted } = past
        past.unposted = 0
        if (stored.some(({ entry }) => entry.kind === 'impressions' && entry.device === device && entry.day === day)) {
          ads.countedDay(ownerId, device, today).unposted += unposted
          continue
        }
        const id = entryIdAt(entryId, ++posted)
        const micros = Math.round(unposted * share)
        add(ownerId, { ...noEntry, id, kind: 'impressions', micros, at: now, availableAt: now, device, day })
      }
      return false
    },

    async export({ ownerId }) {
      return entriesOf(ownerId)
    },
    async erase({ ownerId }) {
      for (let at = requests.length; at-- > 0;) if (requests[at]!.ownerId === ownerId) requests.splice(at, 1)
      for (const one of stored) {
        if (one.ownerId !== ownerId) continue
        one.ownerId = null
        one.entry = { ...one.entry, device: null, reason: null }
      }
      return false
    },
  }
}
