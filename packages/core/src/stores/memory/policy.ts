import { listPage, type MemoryList } from './list.ts'
import { initialStanding, type PolicyStore, type Standing } from '../../contributors/policy/store.ts'
import { memoryAudit, type MemoryAudit } from './audit.ts'
import { deleteIfEmpty, emptyStanding, type ContributorRecords } from './contributors.ts'
import type { MemoryOutbox } from './outbox.ts'

/** Returns the policy store in Maps, on the records that it shares with the contributor store. */
export function memoryPolicy(
  records: ContributorRecords,
  outbox: Pick<MemoryOutbox, 'enqueueNow' | 'enqueueEvent'>,
  audits: Pick<MemoryAudit, 'record'> = memoryAudit(),
  verifiedAddressOf: (userId: string) => Promise<string | null> = async () => null,
): PolicyStore {
  function standingOf(ownerId: string): Standing {
    const record = records.byUser.get(ownerId)
    if (!record) return initialStanding
    return {
      ...record.standing,
      status: records.latestApplication(ownerId)?.status ?? 'not_applied',
      contactCompleted: record.contact !== null,
    }
  }

  return {
    async getStanding({ ownerId }) {
      return standingOf(ownerId)
    },
    async acceptTerms({ ownerId, termsVersion, residencyConfirmed, now }) {
      const record = await records.ensure(ownerId)
      if (!record) return null
      const before = record.standing
      const isSameVersion = before.termsVersion === termsVersion
      if (!isSameVersion || before.residencyConfirmed !== residencyConfirmed) {
        record.terms.push({ termsVersion, residencyConfirmed, acceptedAt: now })
      }
      const termsAcceptedAt = isSameVersion ? before.termsAcceptedAt : now
      record.standing = { ...before, termsVersion, residencyConfirmed, termsAcceptedAt }
      return standingOf(ownerId)
    },
    async setPause({ ownerId, paused, now, event }) {
      const record = await records.ensure(ownerId)
      if (!record) return null
      if (record.standing.paused !== paused) {
        record.pauses.push({ by: 'contributor', paused, changedAt: now })
        const data = { userId: ownerId, by: 'contributor' as const }
        if (paused) outbox.enqueueEvent(event, { ownerId, subject: ownerId, data })
      }
      record.standing = { ...record.standing, paused }
      return standingOf(ownerId)
    },
    async joinWaitlist({ ownerId, email, country, now }) {
      const record = await records.ensure(ownerId)
      if (record) record.waitlist = { email, country, joinedAt: now, notifiedAt: null }
      return record !== null
    },
    async leaveWaitlist({ ownerId }) {
      const record = records.byUser.get(ownerId)
      if (record) record.waitlist = null
    },
    async findWaitlistEntry({ ownerId }) {
      const entry = records.byUser.get(ownerId)?.waitlist
      return entry ? { ...entry } : null
    },
    async listAcceptedTerms({ ownerId }) {
      return [...(records.byUser.get(ownerId)?.terms ?? [])]
    },
    async listWaitlist({ country, notified, ...params }) {
      const rows = [...records.byUser]
        .flatMap(([userId, { num, waitlist }]) => (waitlist ? [{ num, userId, ...waitlist }] : []))
        .filter((row) => country === undefined || row.country === country)
        .filter(({ notifiedAt }) => notified === undefined || notified === (notifiedAt !== null))
      const accounts = new Map<string, string | null>()
      for (const { userId } of rows) accounts.set(userId, await verifiedAddressOf(userId))
      const list: MemoryList<(typeof rows)[number], 'joinedAt'> = {
        num: ({ num }) => num,
        at: ({ joinedAt }) => joinedAt,
        sorts: { joinedAt: ({ joinedAt }) => joinedAt },
        whole: ({ userId, email }) => [userId, email, accounts.get(userId)],
        text: ({ userId, email }) => [userId, email, accounts.get(userId)],
      }
      const { items, next } = listPage(rows, list, params)
      return { items: items.map(({ num, ...item }) => item), next }
    },
    async countWaitlist() {
      const counts = new Map<string | null, number>()
      for (const { waitlist } of records.byUser.values())
        if (waitlist?.notifiedAt === null) counts.set(waitlist.country, (counts.get(waitlist.country) ?? 0) + 1)
      return [...counts]
        .map(([country, waiting]) => ({ country, waiting }))
        .sort((a, b) => b.waiting - a.waiting || ((a.country ?? '') < (b.country ?? '') ? -1 : 1))
    },
    async notifyWaitlist({ country, mails, subject, text, audit }) {
      let notified = 0
      for (const { userId, id } of mails) {
        const entry = records.byUser.get(userId)?.waitlist
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
    async removeFromWaitlist({ ownerId, audit }) {
      const record = records.byUser.get(ownerId)
      if (!record?.waitlist) return false
      audits.record(audit, 'waitlist.remove', ownerId, { country: record.waitlist.country }, null)
      record.waitlist = null
      deleteIfEmpty(records, ownerId)
      return true
    },
    async export({ ownerId }) {
      const record = records.byUser.get(ownerId)
      return {
        terms: [...(record?.terms ?? [])],
        pauses: [...(record?.pauses ?? [])],
        waitlist: record?.waitlist ? { ...record.waitlist } : null,
      }
    },
    async erase({ ownerId }) {
      const record = records.byUser.get(ownerId)
      if (!record) return false
      Object.assign(record, { standing: emptyStanding, terms: [], pauses: [], waitlist: null })
      deleteIfEmpty(records, ownerId)
      return false
    },
  }
}
