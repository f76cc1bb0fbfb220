import { mount, type Handlers, type Mounted } from '../../http/route.ts'
import { utcDay } from '../../ids.ts'
import { failedKeptMs } from '../../ingest/rules.ts'
import { overviewContract } from './contract.ts'
import { describeDays } from './rules.ts'
import type { OverviewStore } from './store.ts'

export interface OverviewDeps {
  readonly store: OverviewStore
}

export const overviewHandlers: Handlers<typeof overviewContract, OverviewDeps> = {
  async getOverview({ query, now }, { store }) {
    const today = utcDay(now)
    const fromDay = today - query.days + 1
    const [counts, waiting] = await Promise.all([
      store.listDailyCounts({ fromDay }),
      store.countWaiting({ failedSince: now - failedKeptMs }),
    ])
    return { ok: true, days: describeDays(counts, fromDay, today), waiting }
  },
}

/** Binds the route of the overview to its handler. */
export const mountOverview = (deps: OverviewDeps): Mounted[] => mount(overviewContract, overviewHandlers, deps)
