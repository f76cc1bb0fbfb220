import { deliveryId, type NewEvent } from '../../events/event.ts'
import type { EventData, EventType } from '../../events/schema.ts'
import type { DeliveryStatus, ListedDelivery } from '../../events/webhooks/store.ts'
import type { AuditAction } from '../../audit/store.ts'
import {
  maxEntriesPerAction,
  type AttemptResult,
  type ChangeEntriesParams,
  type ClaimedEntry,
  type ClaimEntriesParams,
  type ClaimedIds,
  type EntryStatus,
  type OutboxEntry,
  type OutboxStore,
  type UndeliveredStatus,
} from '../../outbox/store.ts'
import { stoppedReason } from '../../outbox/rules.ts'
import { timestamp } from '../../ids.ts'
import { queueTimes } from '../../queue/times.ts'
import { clockSkewMs } from '../../ports.ts'
import { memoryAudit, type MemoryAudit } from './audit.ts'
import { listPage, type MemoryList } from './list.ts'

const hour = 60 * 60 * 1000

interface StoredEntry {
  readonly entry: OutboxEntry
  readonly ownerId: string | null
  payload: string
  status: EntryStatus
  attempts: number
  lastError: string | null
  results: readonly AttemptResult[]
  dueAt: number
  lease: string | null
  leaseUntil: number
  takenAt: number | null
  finishedAt: number | null
}

/** The parts that a store adds to an event. */
export interface EventSource<Type extends EventType> {
  /** The owner of the data in the event; null when there is none. */
  readonly ownerId: string | null
  readonly subject: string
  readonly data: EventData<Type>
}

/** The lookups in the store of webhooks that the outbox needs. */
export interface WebhookLookups {
  /** Returns the enabled webhooks that want an event. */
  readonly findTargets: (type: EventType) => readonly { readonly id: string; readonly num: number }[]
  readonly isEnabled: (webhookId: string) => boolean
}

/**
 * The outbox in memory; the further methods are for the other stores of this folder, in the same step as their
 * change.
 */
export interface MemoryOutbox extends OutboxStore {
  enqueueNow(entry: OutboxEntry, ownerId?: string): void
  /** Adds an event, if there is one. */
  enqueueEvent<Type extends EventType>(event: NewEvent<Type> | undefined, source: EventSource<NoInfer<Type>>): void
  addWebhooks(lookups: WebhookLookups): void
  /** Deletes the entries with a person's data. */
  deleteOfOwner(ownerId: string): void
  /** The methods that `WebhookStore` needs: of the entries of one recipient on the channel `webhook`. */
  claimOfRecipient(params: Omit<ClaimEntriesParams, 'channel'> & { readonly recipient: string }): ClaimedEntry[]
  countDue(params: { readonly recipient: string; readonly now: number }): number
  stopWaiting(params: { readonly recipient: string; readonly now: number }): void
  deleteOfRecipient(recipient: string): void
  restart(params: { readonly id: string; readonly now: number }): void
  listOfRecipient(params: {
    readonly recipient: string
    /** Null: of every status. */
    readonly status: EntryStatus | null
    /** The last ID of the page before, or null. */
    readonly cursor: string | null
    readonly limit: number
    readonly id?: string
  }): ListedDelivery[]
}

const resultsWith = ({ results }: StoredEntry, result: AttemptResult | undefined): readonly AttemptResult[] =>
  result ? [...results, result] : results

const unclaimed = { status: 'waiting', lease: null, leaseUntil: 0, takenAt: null }

export function memoryOutbox(audits: Pick<MemoryAudit, 'record'> = memoryAudit()): MemoryOutbox {
  const entries = new Map<string, StoredEntry>()
  let findTargets: WebhookLookups['findTargets'] = () => []
  let isEnabled: WebhookLookups['isEnabled'] = () => false
  const byDueTime = (): StoredEntry[] => [...entries.values()].sort((a, b) => a.dueAt - b.dueAt)

  function claimEntry(
    stored: StoredEntry,
    { lease, now, until }: { lease: string; now: number; until: number },
  ): ClaimedEntry {
    Object.assign(stored, { status: 'sending', lease, leaseUntil: until, takenAt: now, attempts: stored.attempts + 1 })
    const { id, recipient, subject, createdAt } = stored.entry
    return { id, recipient, subject, payload: stored.payload, createdAt, attempt: stored.attempts }
  }
  const inOrder = (claimed: ClaimedEntry[]): ClaimedEntry[] =>
    claimed.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))

  const canResend = ({ status, entry: { channel, recipient }, payload }: StoredEntry): boolean =>
    status === 'dead' && (channel !== 'mail' || payload !== '') && (channel !== 'webhook' || isEnabled(recipient))

  function enqueueNow(entry: OutboxEntry, ownerId?: string): void {
    if (entries.has(entry.id)) return
    entries.set(entry.id, {
      entry,
      ownerId: ownerId ?? null,
      payload: entry.payload,
      status: 'waiting',
      attempts: 0,
      lastError: null,
      results: [],
      dueAt: entry.createdAt,
      lease: null,
      leaseUntil: 0,
      takenAt: null,
      finishedAt: null,
    })
  }

  const isExpired = ({ status, leaseUntil }: StoredEntry, now: number): boolean =>
    status === 'sending' && (leaseUntil < now || leaseUntil > now + 2 * queueTimes.outbox.leaseMs)
  const isFromFuture = ({ attempts, entry }: StoredEntry, now: number): boolean =>
    attempts === 0 && entry.createdAt > now + clockSkewMs
  const isDue = (stored: StoredEntry, now: number): boolean =>
    stored.status === 'waiting' && (stored.dueAt <= now || isFromFuture(stored, now))

  /** Returns the entries that are claimed under this lease and have one of the statuses. */
  function findClaimed({ lease, ids }: ClaimedIds, statuses: readonly EntryStatus[]): StoredEntry[] {
    const found = ids.map((id) => entries.get(id)).filter((stored) => stored !== undefined)
    return found.filter((stored) => stored.lease === lease && statuses.includes(stored.status))
  }

  /** Returns whether an earlier entry of the same order is not finished. */
  function isBlocked({ entry }: StoredEntry): boolean {
    if (!entry.orderKey) return false
    for (const earlier of entries.values()) {
      const { channel, recipient, orderKey, id } = earlier.entry
      if (id === entry.id) return false
      if (earlier.finishedAt === null && orderKey === entry.orderKey)
        if (channel === entry.channel && recipient === entry.recipient) return true
    }
    return false
  }

  const ofRecipient = (recipient: string): StoredEntry[] =>
    byDueTime().filter(({ entry }) => entry.channel === 'webhook' && entry.recipient === recipient)
  const dueOfRecipient = (recipient: string, now: number): StoredEntry[] =>
    ofRecipient(recipient).filter((stored) => (isDue(stored, now) || isExpired(stored, now)) && !isBlocked(stored))

  /** Returns the entries that an operator's action is about, the oldest ids first. */
  function chooseEntries(
    { status, ids, until }: Omit<ChangeEntriesParams<UndeliveredStatus>, 'audit'>,
    isChosen: (stored: StoredEntry) => boolean = () => true,
  ): StoredEntry[] {
    return [...entries.values()]
      .filter((stored) => stored.status === status && stored.finishedAt! <= until && isChosen(stored))
      .filter(({ entry }) => ids?.includes(entry.id) ?? true)
      .sort((a, b) => (a.entry.id < b.entry.id ? -1 : 1))
      .slice(0, maxEntriesPerAction)
  }

  function recordChange(
    action: AuditAction,
    { status, ids, audit }: ChangeEntriesParams<UndeliveredStatus>,
    chosen: readonly StoredEntry[],
    statusAfter: EntryStatus | null,
  ): void {
    if (chosen.length === 0) return
    const [channel = null, ...others] = new Set(chosen.map(({ entry }) => entry.channel))
    const state = (shown: EntryStatus) => ({
      status: shown,
      channel: others.length > 0 ? null : channel,
      entries: chosen.length,
    })
    const target = ids?.length === 1 ? ids[0]! : status
    audits.record(audit, action, target, state(status), statusAfter === null ? null : state(statusAfter))
  }

  return {
    addWebhooks(lookups) {
      ;({ findTargets, isEnabled } = lookups)
    },
    claimOfRecipient: ({ recipient, limit, ...claim }) =>
      inOrder(
        dueOfRecipient(recipient, claim.now)
          .slice(0, limit)
          .map((stored) => claimEntry(stored, claim)),
      ),
    countDue: ({ recipient, now }) => dueOfRecipient(recipient, now).length,
    stopWaiting({ recipient, now }) {
      for (const stored of ofRecipient(recipient)) {
        if (stored.status !== 'waiting') continue
        const attempted = stored.attempts > 0 && stored.lastError !== null ? `${stored.lastError}; ` : ''
        Object.assign(stored, { status: 'dead', finishedAt: now, lastError: attempted + stoppedReason })
      }
    },
    deleteOfRecipient(recipient) {
      for (const { entry } of ofRecipient(recipient)) entries.delete(entry.id)
    },
    restart({ id, now }) {
      Object.assign(entries.get(id)!, { ...unclaimed, attempts: 0, dueAt: now, finishedAt: null })
    },
    listOfRecipient: ({ recipient, status, cursor, limit, id }) =>
      ofRecipient(recipient)
        .filter((stored) => status === null || stored.status === status)
        .filter(({ entry }) => (cursor === null || entry.id < cursor) && (id === undefined || entry.id === id))
        .sort((a, b) => (a.entry.id < b.entry.id ? 1 : -1))
        .slice(0, limit)
        .map(({ entry, payload, status: current, attempts, lastError, results, dueAt, finishedAt }) => ({
          id: entry.id,
          eventType: entry.subject,
          status: current as DeliveryStatus,
          attempts,
          lastError,
          results,
          payload,
          createdAt: entry.createdAt,
          dueAt,
          finishedAt,
        })),
    enqueueNow,
    enqueueEvent(event, { ownerId, subject, data }) {
      if (!event) return
      const { id, type, createdAt } = event
      const payload = JSON.stringify({ id, type, createdAt: timestamp(createdAt), data })
      const entry = { subject: type, payload, createdAt, orderKey: subject }
      const owner = ownerId ?? undefined
      if (event.isHeard) enqueueNow({ ...entry, id, channel: 'event', recipient: '' }, owner)
      for (const { id: recipient, num } of findTargets(type))
        enqueueNow({ ...entry, id: deliveryId(id, num), channel: 'webhook', recipient }, owner)
    },
    deleteOfOwner(ownerId) {
      for (const [id, stored] of entries) if (stored.ownerId === ownerId) entries.delete(id)
    },
    async recordRefusedMail({ id, recipient, subject, status, error, requestId, now }) {
      enqueueNow({ id, channel: 'mail', recipient, subject, payload: '', createdAt: now, requestId })
      Object.assign(entries.get(id)!, { status, attempts: 1, lastError: error, finishedAt: now })
    },
    async enqueue(entry) {
      enqueueNow(entry)
    },
    async hasDue({ now }) {
      return [...entries.values()].some(
        (stored) => stored.entry.channel !== 'webhook' && (isDue(stored, now) || isExpired(stored, now)),
      )
    },
    async claim({ channel, limit, ...claim }) {
      const due = byDueTime().filter(
        (stored) =>
          stored.entry.channel === channel &&
          (isDue(stored, claim.now) || isExpired(stored, claim.now)) &&
          !isBlocked(stored),
      )
      return inOrder(due.slice(0, limit).map((stored) => claimEntry(stored, claim)))
    },
    async claimMail({ limits: { perHour, digestAfterMs, maxDigestEntries }, ...claim }) {
      const { lease, now } = claim
      const mails = byDueTime().filter(({ entry }) => entry.channel === 'mail')
      const lastError = 'the worker stopped while the mail was being sent'
      for (const stored of mails) {
        if (isExpired(stored, now)) Object.assign(stored, { status: 'unknown', finishedAt: now, lastError })
      }
      const due = mails.filter((stored) => isDue(stored, now))
      for (const recipient of new Set(due.map(({ entry }) => entry.recipient))) {
        const toRecipient = due.filter(({ entry }) => entry.recipient === recipient)
        const recentClaims = mails.filter(
          (stored) =>
            stored.entry.recipient === recipient &&
            stored.lease !== null &&
            stored.takenAt !== null &&
            stored.takenAt > now - hour &&
            stored.takenAt <= now + clockSkewMs,
        )
        const remaining = perHour - new Set(recentClaims.map((stored) => stored.lease)).size
        const fits = toRecipient.length <= remaining
        if (!fits && remaining <= 0 && toRecipient[0]!.dueAt > now - digestAfterMs) continue
        const claimed = toRecipient.slice(0, fits ? 1 : maxDigestEntries).map((stored) => claimEntry(stored, claim))
        if (claimed.length === 1) return { lease, digest: false, entries: claimed }
        return { lease, digest: true, entries: inOrder(claimed.map((entry) => ({ ...entry, payload: '' }))) }
      }
      return null
    },
    async acknowledge({ now, result, ...claimed }) {
      for (const stored of findClaimed(claimed, ['sending', 'unknown']))
        Object.assign(stored, {
          results: resultsWith(stored, result),
          status: 'sent',
          finishedAt: now,
          payload: stored.entry.channel === 'webhook' ? stored.payload : '',
          lastError: null,
        })
    },
    async retry({ error, dueAt, result, ...claimed }) {
      for (const stored of findClaimed(claimed, ['sending']))
        Object.assign(stored, { ...unclaimed, dueAt, lastError: error, results: resultsWith(stored, result) })
    },
    async fail({ status, error, now, result, ...claimed }) {
      for (const stored of findClaimed(claimed, ['sending']))
        Object.assign(stored, { status, finishedAt: now, lastError: error, results: resultsWith(stored, result) })
    },
    async release({ lease }) {
      for (const stored of entries.values()) {
        if (stored.lease !== lease || stored.status !== 'sending') continue
        Object.assign(stored, { ...unclaimed, attempts: stored.attempts - 1 })
      }
    },
    async advanceRetries({ now }) {
      for (const stored of entries.values()) {
        const delay = queueTimes.outbox.retryMs[stored.attempts - 1]
        if (stored.status === 'waiting' && delay !== undefined && stored.dueAt > now + delay + clockSkewMs) {
          stored.dueAt = now
        }
      }
    },
    async resend(params) {
      const { audit } = params
      const chosen = chooseEntries(params, canResend)
      recordChange('outbox.resend', params, chosen, 'waiting')
      for (const stored of chosen)
        Object.assign(stored, { ...unclaimed, attempts: 0, dueAt: audit.at, finishedAt: null })
      return chosen.length
    },
    async deleteUndelivered(params) {
      const chosen = chooseEntries(params)
      recordChange('outbox.delete', params, chosen, null)
      for (const { entry } of chosen) entries.delete(entry.id)
      return chosen.length
    },
    async countUnsent() {
      const counts = { waiting: 0, sending: 0, dead: 0, unknown: 0 }
      for (const { status } of entries.values()) if (status !== 'sent') counts[status]++
      return counts
    },
    async list({ status, channel, ...params }) {
      const all = [...entries.values()].map((stored, num) => ({ ...stored, ...stored.entry, num }))
      const found = all.filter(
        (one) => (status === undefined || one.status === status) && (channel === undefined || one.channel === channel),
      )
      const list: MemoryList<(typeof all)[number], 'createdAt' | 'recipient'> = {
        num: ({ num }) => num,
        at: ({ createdAt }) => createdAt,
        sorts: { createdAt: ({ num }) => num, recipient: ({ recipient }) => recipient },
        whole: ({ id, recipient, ownerId, requestId = null }) => [id, recipient, ownerId, requestId],
        text: ({ id, recipient, subject, lastError, requestId = null }) => [
          id,
          recipient,
          subject,
          lastError,
          requestId,
        ],
      }
      const { items, next } = listPage(found, list, params)
      return {
        items: items.map((one) => ({
          id: one.id,
          channel: one.channel,
          status: one.status,
          recipient: one.recipient,
          subject: one.subject,
          attempts: one.attempts,
          lastError: one.lastError,
          requestId: one.requestId ?? null,
          canResend: canResend(one),
          createdAt: one.createdAt,
          dueAt: one.dueAt,
          finishedAt: one.finishedAt,
        })),
        next,
      }
    },
    async deleteFinished({ before }) {
      for (const [id, { finishedAt }] of entries) if (finishedAt !== null && finishedAt < before) entries.delete(id)
    },
  }
}
