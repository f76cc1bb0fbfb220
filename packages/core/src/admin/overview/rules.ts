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
    const countOf = (name: DailyCountName): number => ofDay.find((count) => count.name === name)?.count ?? 0
    const countsOf = (prefix: string): Record<string, number> =>
      Object.fromEntries(
        ofDay
          .filter(({ name }) => name.startsWith(prefix))
          .map(({ name, count }) => [name.slice(prefix.length), count]),
      )
    return {
      day: dateOfDay(day),
      uploads: countOf('uploads'),
      tracesStored: countOf('tracesStored'),
      tracesRejected: countOf('tracesRejected'),
      tokens: countOf('tokens'),
      redactions: countsOf('redactions.'),
      wrongReplacements: countsOf('wrongReplacements.'),
      salesUsd: countOf('salesMicros') / 1_000_000,
      impressions: countOf('impressions'),
      spendUsd: countOf('spendMicros') / 1_000_000,
      reports: countOf('reports'),
    }
  })
}
