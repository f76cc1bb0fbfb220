import type * as z from 'zod'
import { dateOfDay } from '../../ids.ts'
import type { OverviewDay } from './contract.ts'
import type { DailyCount, DailyCountName } from './store.ts'

type Day = z.output<typeof OverviewDay>

/** Returns the overview of each day from `fromDay` to `toDay`, oldest first. Days are UTC days since 1970. */
export function describeDays(counts: readonly DailyCount[], fromDay: number, toDay: number): Day[] {
  return Array.from({ length: toDay - fromDay + 1 }, (_, index) => {
    const day = fromDay + index
    const ofDay = counts.filter((count) => count.day === day)
    const findCount = (name: DailyCountName): number => ofDay.find((count) => count.name === name)?.count ?? 0
    const selectCounts = (prefix: string): Record<string, number> =>
      Object.fromEntries(
        ofDay
          .filter(({ name }) => name.startsWith(prefix))
          .map(({ name, count }) => [name.slice(prefix.length), count]),
      )
    return {
      day: dateOfDay(day),
      uploads: findCount('uploads'),
      tracesStored: findCount('tracesStored'),
      tracesRejected: findCount('tracesRejected'),
      tokens: findCount('tokens'),
      redactions: selectCounts('redactions.'),
      wrongReplacements: selectCounts('wrongReplacements.'),
      salesUsd: findCount('salesMicros') / 1_000_000,
      impressions: findCount('impressions'),
      spendUsd: findCount('spendMicros') / 1_000_000,
      reports: findCount('reports'),
    }
  })
}
