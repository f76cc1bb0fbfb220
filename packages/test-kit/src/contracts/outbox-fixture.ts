import type { ClaimEntriesParams, ClaimMailParams, OutboxEntry, OutboxStore } from '@tributary/core/stores'
import { makeId } from '../fixtures/seed.ts'

/** Two clients of one empty store. */
export interface OutboxPlace {
  readonly stores: readonly [OutboxStore, OutboxStore]
  close?(): Promise<void>
}

export const minute = 60_000
export const hour = 60 * minute
export const start = Date.UTC(2026, 10, 20, 12)
export const limits = { perHour: 3, digestAfterMs: 10 * minute, maxDigestEntries: 50 }
let made = 0

/** Makes a mail that differs from every other mail. */
export function makeMail(changes: Partial<OutboxEntry> = {}): OutboxEntry {
  const id = makeId('b', ++made)
  return {
    id,
    channel: 'mail',
    recipient: 'desk@example.com',
    subject: `Mail ${made}`,
    payload: `text ${made}`,
    createdAt: start,
    ...changes,
  }
}
/**
 * Returns functions that add, claim and read entries, by default with the first store of a place. Each claim uses a new
 * lease.
 */
export function createOutboxCalls(place: () => OutboxPlace) {
  let leases = 0
  const makeLease = (): string => `lease-${++leases}`
  const enqueueAll = async (...entries: OutboxEntry[]): Promise<void> => {
    for (const entry of entries) await place().stores[0].enqueue(entry)
  }
  const claimMail = (now = start, changes: Partial<ClaimMailParams> = {}, client = place().stores[0]) =>
    client.claimMail({ lease: makeLease(), now, until: now + minute, limits, ...changes })
  const claim = (now = start, changes: Partial<ClaimEntriesParams> = {}, client = place().stores[0]) =>
    client.claim({ channel: 'telemetry', lease: makeLease(), now, until: now + minute, limit: 9, ...changes })
  const list = async (client = place().stores[1]) => (await client.list({ cursor: null, limit: 200 })).items
  const find = async (id: string) => (await list()).find((entry) => entry.id === id)
  /** Enqueues mails and ends each attempt with a status, at increasing times. */
  const failMails = async (count: number, status: 'dead' | 'unknown'): Promise<OutboxEntry[]> => {
    const mails = Array.from({ length: count }, (_, n) => makeMail({ recipient: `${made + n}@example.com` }))
    await enqueueAll(...mails)
    for (const [n] of mails.entries()) {
      const { lease, entries } = (await claimMail())!
      await place().stores[0].fail({ lease, ids: listIds(entries), status, error: 'refused', now: start + n })
    }
    return mails
  }
  return { makeLease, enqueueAll, claimMail, claim, list, find, failMails }
}

/** Returns the ids of entries, in their order. */
export const listIds = (entries: readonly { readonly id: string }[]): string[] => entries.map(({ id }) => id)
