import type { Logger, TelemetrySink } from '../ports.ts'
import type { TelemetryStore } from './store.ts'

/**
 * Hands stored reports to the sink, as the outbox tells: several at a time, each until the sink took it. What was erased or
 * forgotten meanwhile is not handed over.
 */
export function sinkDelivery(store: TelemetryStore, sink: TelemetrySink, logger: Logger) {
  return async (entries: readonly { readonly payload: string }[]): Promise<void> => {
    const reports = await store.findReports(entries.map(({ payload }) => payload))
    if (reports.length === 0) return
    await sink.take(reports)
    logger.info({ reports: reports.length }, 'the telemetry sink took reports')
  }
}
