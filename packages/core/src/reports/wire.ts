import type { Capability } from '../http/match.ts'
import { resolveRate } from '../http/rate-limit.ts'
import type { Wiring } from '../service/wiring.ts'
import type { ReportsDeps } from './handlers.ts'

export const reportsDeps = ({ options, rates, publicPath }: Wiring): ReportsDeps => ({
  ...options,
  store: options.stores.reports,
  rate: resolveRate(rates, 'reports'),
  path: publicPath,
})

export const wireReports = (wiring: Wiring): Capability => ({
  name: 'reports',
  paths: ['/api/v1', '/.well-known/agent-feedback.json', '/api/admin/reports'],
  load: async () => (await import('./handlers.ts')).mountReports(reportsDeps(wiring)),
})
