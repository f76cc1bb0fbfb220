import type { DailyCount, DailyCountName, OverviewStore, QueueName, QueueState } from '../../admin/overview/store.ts'
import { utcDay } from '../../ids.ts'
import type { Stores } from '../../stores.ts'

/** The counts of each day. The other stores of this folder call `add` in the same step as their effect. */
export interface MemoryDailyCounts {
  /** Adds to the counts of the UTC day of a time. */
  add(now: number, counts: { readonly [Name in DailyCountName]?: number }): void
  list(): DailyCount[]
}

/** Returns empty counts. */
export function memoryDailyCounts(): MemoryDailyCounts {
  const days = new Map<number, Map<DailyCountName, number>>()
  return {
    add(now, counts) {
      const day = utcDay(now)
      const ofDay = days.get(day) ?? new Map<DailyCountName, number>()
      days.set(day, ofDay)
      for (const [name, count] of Object.entries(counts) as [DailyCountName, number][]) {
        if (count !== 0) ofDay.set(name, (ofDay.get(name) ?? 0) + count)
      }
    },
    list: () => [...days].flatMap(([day, ofDay]) => [...ofDay].map(([name, count]) => ({ day, name, count }))),
  }
}

type CountedStores = Pick<Stores, 'contributors' | 'ingest' | 'reports' | 'outbox'>

/** Returns the overview store in memory. */
export function memoryOverview(
  counts: MemoryDailyCounts,
  { contributors, ingest, reports, outbox }: CountedStores,
): OverviewStore {
  const all = { cursor: null, limit: Infinity }
  return {
    async listDailyCounts({ fromDay }) {
      return counts.list().filter(({ day }) => day >= fromDay)
    },
    async countWaiting({ failedSince }) {
      const applications = await contributors.listApplications({ ...all, status: 'pending' })
      const failed = await ingest.listAllJobs({ ...all, status: 'failed' })
      const retriable = await ingest.listJobsNeedingUpload({ jobIds: failed.items.map(({ id }) => id), failedSince })
      const open = await reports.listReports({ ...all, status: 'open' })
      const entries = [
        ...(await outbox.list({ ...all, status: 'dead' })).items,
        ...(await outbox.list({ ...all, status: 'unknown' })).items,
      ]
      return {
        applications: applications.items.length,
        failedJobs: retriable.length,
        reports: open.items.length,
        outbox: entries.length,
      }
    },
    async listQueues() {
      const queues = new Map<QueueName, QueueState>()
      const add = (queue: QueueName, at: number): void => {
        const { depth = 0, oldestAt = at } = queues.get(queue) ?? {}
        queues.set(queue, { queue, depth: depth + 1, oldestAt: Math.min(oldestAt, at) })
      }
      const jobs = await ingest.listAllJobs(all)
      for (const { finishedAt, enqueuedAt } of jobs.items) if (finishedAt === null) add('ingest', enqueuedAt)
      const entries = await outbox.list(all)
      for (const { channel, finishedAt, createdAt } of entries.items) if (finishedAt === null) add(channel, createdAt)
      return [...queues.values()]
    },
  }
}
