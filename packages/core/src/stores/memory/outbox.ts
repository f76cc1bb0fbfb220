import { leaseMs, retryWaitsMs, type Entry, type OutboxStore, type Sighting, type Taken } from '../../outbox/store.ts'
import { clockSkewMs } from '../../ports.ts'

const hour = 60 * 60 * 1000

interface Kept {
  readonly entry: Entry
  readonly ownerId: string | null
  payload: string
  status: Sighting['status']
  attempts: number
  lastError: string | null
  dueAt: number
  lease: string | null
  leaseUntil: number
  takenAt: number | null
  finishedAt: number | null
}

/** The outbox in Maps; `put` and `drop` are for the other stores of this folder, in the same step as their change. */
export interface MemoryOutbox extends OutboxStore {
  put(entry: Entry, ownerId?: string): void
  /** Forgets a person's words. */
  drop(ownerId: string): void
}

export function memoryOutbox(): MemoryOutbox {
  const entries = new Map<string, Kept>()
  const all = (): Kept[] => [...entries.values()].sort((a, b) => a.dueAt - b.dueAt)

  const taken = ({ entry: { id, recipient, subject, createdAt }, payload, attempts }: Kept): Taken => ({
    id,
    recipient,
    subject,
    payload,
    createdAt,
    attempt: attempts,
  })
  function grab(kept: Kept, lease: string, now: number, until: number): Kept {
    Object.assign(kept, { status: 'sending', lease, leaseUntil: until, takenAt: now, attempts: kept.attempts + 1 })
    return kept
  }
  const inOrder = (some: Taken[]): Taken[] => some.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))

  function put(entry: Entry, ownerId?: string): void {
    if (entries.has(entry.id)) return
    entries.set(entry.id, {
      entry,
      ownerId: ownerId ?? null,
      payload: entry.payload,
      status: 'waiting',
      attempts: 0,
      lastError: null,
      dueAt: entry.createdAt,
      lease: null,
      leaseUntil: 0,
      takenAt: null,
      finishedAt: null,
    })
  }

  const isExpired = (one: Kept, now: number): boolean => one.leaseUntil < now || one.leaseUntil > now + 2 * leaseMs
  const isAhead = (one: Kept, now: number): boolean => one.attempts === 0 && one.entry.createdAt > now + clockSkewMs
  const isDue = (one: Kept, now: number): boolean => one.status === 'waiting' && (one.dueAt <= now || isAhead(one, now))

  return {
    put,
    drop(ownerId) {
      for (const [id, kept] of entries) if (kept.ownerId === ownerId) entries.delete(id)
    },
    async add(entry) {
      put(entry)
    },
    async due(now) {
      return all().some((one) => isDue(one, now) || (one.status === 'sending' && isExpired(one, now)))
    },
    async take(channel, lease, now, until, limit) {
      const due = all().filter(
        (one) =>
          one.entry.channel === channel && (isDue(one, now) || (one.status === 'sending' && isExpired(one, now))),
      )
      return inOrder(due.slice(0, limit).map((one) => taken(grab(one, lease, now, until))))
    },
    async takeMail(lease, now, until, { hourly, gatherMs, most }) {
      const mails = all().filter(({ entry }) => entry.channel === 'mail')
      for (const one of mails) {
        if (one.status !== 'sending' || !isExpired(one, now)) continue
        Object.assign(one, {
          status: 'unknown',
          finishedAt: now,
          lastError: 'the worker ended while it was being mailed',
        })
      }
      const due = mails.filter((one) => isDue(one, now))
      for (const recipient of new Set(due.map(({ entry }) => entry.recipient))) {
        const theirs = due.filter(({ entry }) => entry.recipient === recipient)
        const claims = new Set(
          mails
            .filter(
              (one) =>
                one.entry.recipient === recipient &&
                one.lease !== null &&
                one.takenAt !== null &&
                one.takenAt > now - hour &&
                one.takenAt <= now + clockSkewMs,
            )
            .map((one) => one.lease),
        )
        const room = hourly - claims.size
        if (theirs.length > room && room <= 0 && theirs[0]!.dueAt > now - gatherMs) continue
        const some = theirs.slice(0, theirs.length <= room ? 1 : most).map((one) => taken(grab(one, lease, now, until)))
        if (some.length === 1) return { lease, digest: false, entries: some }
        return { lease, digest: true, entries: inOrder(some.map((one) => ({ ...one, payload: '' }))) }
      }
      return null
    },
    async settle(lease, ids, fate, now) {
      for (const id of ids) {
        const one = entries.get(id)
        if (
          !one ||
          one.lease !== lease ||
          !(one.status === 'sending' || (fate.status === 'sent' && one.status === 'unknown'))
        )
          continue
        if (fate.status === 'sent')
          Object.assign(one, { status: 'sent', finishedAt: now, payload: '', lastError: null })
        else if (fate.status === 'waiting')
          Object.assign(one, {
            status: 'waiting',
            dueAt: fate.dueAt,
            lastError: fate.error,
            lease: null,
            leaseUntil: 0,
            takenAt: null,
          })
        else Object.assign(one, { status: fate.status, finishedAt: now, lastError: fate.error })
      }
    },
    async release(lease) {
      for (const one of entries.values()) {
        if (one.lease !== lease || one.status !== 'sending') continue
        Object.assign(one, { status: 'waiting', attempts: one.attempts - 1, lease: null, leaseUntil: 0, takenAt: null })
      }
    },
    async advanceRetries(now) {
      for (const one of entries.values()) {
        const wait = retryWaitsMs[one.attempts - 1]
        if (one.status === 'waiting' && wait !== undefined && one.dueAt > now + wait + clockSkewMs) one.dueAt = now
      }
    },
    async list(status, cursor, limit) {
      return [...entries.values()]
        .filter((one) => (status === null || one.status === status) && (cursor === null || one.entry.id < cursor))
        .sort((a, b) => (a.entry.id < b.entry.id ? 1 : -1))
        .slice(0, limit)
        .map(
          ({
            entry: { id, channel, recipient, subject, createdAt },
            status: stands,
            attempts,
            lastError,
            dueAt,
            finishedAt,
          }) => ({
            id,
            channel,
            status: stands,
            recipient,
            subject,
            attempts,
            lastError,
            createdAt,
            dueAt,
            finishedAt,
          }),
        )
    },
    async forget(before) {
      for (const [id, { finishedAt }] of entries) if (finishedAt !== null && finishedAt < before) entries.delete(id)
    },
  }
}
