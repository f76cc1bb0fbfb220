import { newcomer, type PolicyStore, type Standing } from '../../contributors/policy/store.ts'
import { memoryAudit, type MemoryAudit } from './audit.ts'
import { drop, emptyStanding, type ContributorShelf } from './contributors.ts'
import type { MemoryOutbox } from './outbox.ts'

/** The policy store in Maps, on the records that it shares with the contributors. */
export function memoryPolicy(
  shelf: ContributorShelf,
  outbox: Pick<MemoryOutbox, 'enqueueNow'>,
  audits: Pick<MemoryAudit, 'record'> = memoryAudit(),
): PolicyStore {
  function standing(ownerId: string): Standing {
    const record = shelf.records.get(ownerId)
    if (!record) return newcomer
    return {
      ...record.standing,
      status: shelf.latest(ownerId)?.status ?? 'not_applied',
      contactCompleted: record.contact !== null,
    }
  }

  return {
    async standing(ownerId) {
      return standing(ownerId)
    },
    async acceptTerms(ownerId, { termsVersion, residencyConfirmed }, now) {
      const record = await shelf.record(ownerId)
      if (!record) return null
      const was = record.standing
      const same = was.termsVersion === termsVersion
      if (!same || was.residencyConfirmed !== residencyConfirmed)
        record.terms.push({ termsVersion, residencyConfirmed, acceptedAt: now })
      record.standing = { ...was, termsVersion, residencyConfirmed, termsAcceptedAt: same ? was.termsAcceptedAt : now }
      return standing(ownerId)
    },
    async setPaused(ownerId, paused, now) {
      const record = await shelf.record(ownerId)
      if (!record) return null
      if (record.standing.paused !== paused) record.pauses.push({ by: 'contributor', paused, changedAt: now })
      record.standing = { ...record.standing, paused }
      return standing(ownerId)
    },
    async joinWaitlist(ownerId, { email, country }, now) {
      const record = await shelf.record(ownerId)
      if (record) record.waitlist = { email, country, joinedAt: now, notifiedAt: null }
      return record !== null
    },
    async waitlist({ country, cursor, limit }) {
      const rows = [...shelf.records]
        .flatMap(([userId, { num, waitlist }]) => (waitlist ? [{ num, userId, ...waitlist }] : []))
        .filter((row) => row.num > (cursor ?? 0) && (country === null || row.country === country))
        .sort((a, b) => a.num - b.num)
      const page = rows.slice(0, limit)
      return { items: page.map(({ num, ...item }) => item), next: rows.length > limit ? page.at(-1)!.num : null }
    },
    async notifyWaitlist({ country, mails, subject, text, audit }) {
      let notified = 0
      for (const { userId, id } of mails) {
        const entry = shelf.records.get(userId)?.waitlist
        if (!entry || entry.country !== country || entry.notifiedAt !== null) continue
        entry.notifiedAt = audit.at
        outbox.enqueueNow(
          { id, channel: 'mail', recipient: entry.email, subject, payload: text, createdAt: audit.at },
          userId,
        )
        notified++
      }
      if (notified > 0) audits.record(audit, 'waitlist.notify', country, null, { notified })
      return notified
    },
    async export(ownerId) {
      const record = shelf.records.get(ownerId)
      return {
        terms: [...(record?.terms ?? [])],
        pauses: [...(record?.pauses ?? [])],
        waitlist: record?.waitlist ? { ...record.waitlist } : null,
      }
    },
    async erase(ownerId) {
      const record = shelf.records.get(ownerId)
      if (!record) return false
      Object.assign(record, { standing: emptyStanding, terms: [], pauses: [], waitlist: null })
      drop(shelf, ownerId)
      return false
    },
  }
}
