import type { StoredFeedback, NewTelemetry, TelemetryStore } from '../../telemetry/store.ts'
import type { MemoryOutbox } from './outbox.ts'

/** The telemetry store in lists. After the look at the person nothing waits, which is what makes a method atomic. */
export function memoryTelemetry(outbox: MemoryOutbox, known: (ownerId: string) => Promise<boolean>): TelemetryStore {
  let reports: { ownerId: string; report: NewTelemetry }[] = []
  let feedback: (StoredFeedback & { num: number })[] = []
  let last = 0

  return {
    async recordReport(ownerId, report, forward) {
      if (!(await known(ownerId))) return false
      // As JSON keeps it: what changes after the call changes nothing here.
      reports.push({ ownerId, report: JSON.parse(JSON.stringify(report)) as NewTelemetry })
      if (forward) outbox.enqueueNow(forward, ownerId)
      return true
    },
    async findReports(ids) {
      return reports
        .map(({ report }) => report)
        .filter(({ id }) => ids.includes(id))
        .sort((a, b) => (a.id < b.id ? -1 : 1))
    },
    async deleteReports(before) {
      reports = reports.filter(({ report }) => report.receivedAt >= before)
      return false
    },

    async recordFeedback(ownerId, given, mail) {
      if (!(await known(ownerId))) return false
      if (!feedback.some(({ id }) => id === given.id)) feedback.push({ ...given, userId: ownerId, num: ++last })
      if (mail) outbox.enqueueNow(mail, ownerId)
      return true
    },
    async deleteFeedback({ before }) {
      feedback = feedback.filter(({ receivedAt }) => receivedAt >= before)
      return false
    },
    async feedback({ cursor, limit }) {
      const rest = feedback.filter(({ num }) => cursor === null || num < cursor).toReversed()
      const kept = rest.slice(0, limit)
      return { items: kept.map(({ num, ...item }) => item), next: rest.length > limit ? kept.at(-1)!.num : null }
    },

    async export(ownerId) {
      return {
        reports: reports.filter((one) => one.ownerId === ownerId).map(({ report }) => report),
        feedback: feedback.filter(({ userId }) => userId === ownerId).map(({ num, userId, ...item }) => item),
      }
    },
    async erase(ownerId) {
      reports = reports.filter((one) => one.ownerId !== ownerId)
      feedback = feedback.filter(({ userId }) => userId !== ownerId)
      outbox.deleteOfOwner(ownerId)
      return false
    },
  }
}
