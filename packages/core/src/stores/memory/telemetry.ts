import type { StoredFeedback, NewTelemetry, TelemetryStore } from '../../telemetry/store.ts'
import type { MemoryOutbox } from './outbox.ts'

/** Returns the telemetry store in memory. After the check of the person no method waits, which makes it atomic. */
export function memoryTelemetry(outbox: MemoryOutbox, known: (ownerId: string) => Promise<boolean>): TelemetryStore {
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
        feedback.push({ ...received, userId: ownerId, num: ++lastNum })
      if (mail) outbox.enqueueNow(mail, ownerId)
      return true
    },
    async deleteFeedback({ before }) {
      feedback = feedback.filter(({ receivedAt }) => receivedAt >= before)
      return false
    },
    async listFeedback({ cursor, limit }) {
      const found = feedback.filter(({ num }) => cursor === null || num < cursor).toReversed()
      const page = found.slice(0, limit)
      return { items: page.map(({ num, ...item }) => item), next: found.length > limit ? page.at(-1)!.num : null }
    },

    async export({ ownerId }) {
      return {
        reports: reports.filter((stored) => stored.ownerId === ownerId).map(({ report }) => report),
        feedback: feedback.filter(({ userId }) => userId === ownerId).map(({ num, userId, ...item }) => item),
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
