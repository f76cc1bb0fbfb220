import type { Capability } from '../http/match.ts'
import type { Wiring } from '../service/wiring.ts'
import type { TelemetryDeps } from './handlers.ts'

export const telemetryDeps = ({ options }: Wiring): TelemetryDeps => ({
  ...options,
  store: options.stores.telemetry,
  sink: options.telemetrySink !== null,
})

export const wireTelemetry = (wiring: Wiring): Capability => ({
  name: 'telemetry',
  paths: ['/api/cli/telemetry', '/api/cli/feedback', '/api/admin/feedback'],
  load: async () => (await import('./handlers.ts')).mountTelemetry(telemetryDeps(wiring)),
})
