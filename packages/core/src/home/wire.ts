import { pausedBy } from '../contributors/policy/rules.ts'
import type { Capability } from '../http/match.ts'
import type { Wiring } from '../service/wiring.ts'
import type { HomeDeps } from './handlers.ts'

export const wireHome = (wiring: Wiring): Capability => ({
  name: 'home',
  paths: ['/'],
  load: async () =>
    (await import('./handlers.ts')).mountHome({
      ...wiring.options,
      overview: createOverview(wiring),
      signedIn: wiring.operator.signedIn,
    }),
})

/** Returns the function that reads the data of the home page of a person. */
function createOverview({ options: { stores }, people }: Wiring): HomeDeps['overview'] {
  return async (ownerId, now) => {
    const [step, waiting, standing, earnings, traceStats, jobs] = await Promise.all([
      people.progress(ownerId),
      people.waiting(ownerId),
      stores.policy.getStanding({ ownerId }),
      stores.ledger.listEntries({ ownerId, now, cursor: null, limit: 1 }),
      stores.traces.getTraceStats({ ownerId }),
      stores.ingest.listJobs({ ownerId, limit: 20 }),
    ])
    return {
      waiting,
      openSteps: step === null ? null : await people.journey(ownerId, 'upload', undefined),
      pausedBy: pausedBy(standing),
      isPending: standing.status === 'pending',
      residencyConfirmed: standing.residencyConfirmed,
      balance: earnings.balance.balance,
      pending: earnings.balance.pending,
      traces: traceStats.traces,
      jobs,
    }
  }
}
