import type { StoredFeedback, NewTelemetry, TelemetryStore } from '../../telemetry/store.ts'
import type { MemoryAudit } from './audit.ts'
import { listPage, type MemoryList } from './list.ts'
import type { MemoryOutbox } from './outbox.ts'

/** Returns the telemetry store in memory. After the check of the person no method waits, which makes it atomic. */
export function memoryTelemetry(
  outbox: MemoryOutbox,
  audits: MemoryAudit,
  findUser: (ownerId: string) => Promise<{ readonly email: string | null } | null>,
): TelemetryStore {
  const known = async (ownerId: string): Promise<boolean> => (await findUser(ownerId)) !== null
  let reports: { ownerId: string; report: NewTelemetry }[] = []
  let feedback: (StoredFeedback & { num: number })[] = []
  let lastNum = 0

  return {
    async recordReport({ ownerId, report, forward }) {
      if (!(await known(ownerId))) return false
      // A copy, so that later changes by the caller have no effect.
      reports.push({ ownerId, report: JSON.parse(JSON.stringify(report)) as NewTelemetry })
      if (forward) outbox.enqueueNow(forward, ownerId)
      return true
    },
    async findReports({ ids }) {
      return reports
        .map(({ report }) => report)
        .filter(({ id }) => ids.includes(id))
        .sort((a, b) => (a.id < b.id ? -1 : 1))
    },
    async deleteReports({ before }) {
      reports = reports.filter(({ report }) => report.receivedAt >= before)
      return false
    },

    async recordFeedback({ ownerId, feedback: received, mail }) {
      if (!(await known(ownerId))) return false
      if (!feedback.some(({ id }) => id === received.id))
        feedback.push({ ...received, userId: ownerId, handledAt: null, num: ++lastNum })
      if (mail) outbox.enqueueNow(mail, ownerId)
      return true
    },
    async deleteFeedback({ before }) {
      feedback = feedback.filter(({ receivedAt }) => receivedAt >= before)
      return false
    },
    async listFeedback({ handled, ...params }) {
      const emails = new Map<string, string | null | undefined>()
      for (const { userId } of feedback) emails.set(userId, (await findUser(userId))?.email)
      const list: MemoryList<(typeof feedback)[number], 'receivedAt'> = {
        num: ({ num }) => num,
        at: ({ receivedAt }) => receivedAt,
        sorts: { receivedAt: ({ num }) => num },
        whole: ({ id, userId, email }) => [id, userId, email, emails.get(userId)],
        text: (item) => [
          item.id,
          item.message,
          item.email,
          item.command,
          item.cliVersion,
          item.platform,
          emails.get(item.userId),
        ],
      }
      const found = feedback.filter(({ handledAt }) => handled === undefined || handled === (handledAt !== null))
      const { items, next } = listPage(found, list, params)
      return { items: items.map(({ num, ...item }) => item), next }
    },
    async handleFeedback({ id, handled, audit }) {
      const found = feedback.find((one) => one.id === id)
      if (!found) return null
      if (handled !== (found.handledAt !== null)) {
        audits.record(audit, 'feedback.handle', id, { handled: !handled }, { handled })
        Object.assign(found, { handledAt: handled ? audit.at : null })
      }
      const { num, ...item } = found
      return item
    },

    async export({ ownerId }) {
      return {
        reports: reports.filter((stored) => stored.ownerId === ownerId).map(({ report }) => report),
        feedback: feedback
          .filter(({ userId }) => userId === ownerId)
          .map(({ num, userId, handledAt, ...item }) => item),
      }
    },
    async erase({ ownerId }) {
      reports = reports.filter((stored) => stored.ownerId !== ownerId)
      feedback = feedback.filter(({ userId }) => userId !== ownerId)
      outbox.deleteOfOwner(ownerId)
      return false
    },
  }
}
