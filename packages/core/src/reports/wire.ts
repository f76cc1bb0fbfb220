import type { Capability } from '../http/match.ts'
import { resolveRate } from '../http/rate-limit.ts'
import type { AuditState } from '../audit/store.ts'
import { timestamp } from '../ids.ts'
import type { Wiring } from '../service/wiring.ts'
import type { ReportsDeps } from './handlers.ts'
import { statuses } from './rules.ts'
import type { ReportStatus } from './store.ts'

export const reportsDeps = ({ options, hmacCode, rates, publicPath }: Wiring): ReportsDeps => ({
  ...options,
  hmacCode,
  store: options.stores.reports,
  rate: resolveRate(rates, 'reports'),
  path: publicPath,
  async listChanges(id) {
    const { items } = await options.stores.audit.listEntries({ targets: [id], cursor: null, limit: 100 })
    return items.flatMap(({ at, actor, action, before, after }) => {
      const change = changes.get(action)
      if (change === undefined) return []
      const [from, to] = change === 'update' ? [readStatus(before), readStatus(after)] : [null, null]
      return [{ at: timestamp(at), actor, action: change, from, to }]
    })
  },
})

/** The kinds of changes of a report, by the action in the audit log. */
const changes: ReadonlyMap<string, 'update' | 'merge' | 'separate'> = new Map([
  ['report.update', 'update'],
  ['report.merge', 'merge'],
  ['report.separate', 'separate'],
])
const readStatus = (state: AuditState): ReportStatus | null =>
  statuses.find((status) => status === state?.['status']) ?? null

export const wireReports = (wiring: Wiring): Capability => ({
  name: 'reports',
  paths: ['/api/v1', '/.well-known/agent-feedback.json', '/api/admin/reports'],
  load: async () => (await import('./handlers.ts')).mountReports(reportsDeps(wiring)),
})
