import type { Logger, TelemetrySink } from '../ports.ts'
import type { TelemetryStore } from './store.ts'

/** Returns the outbox delivery to a telemetry sink. Reports that were deleted meanwhile are not sent. */
export function sinkDelivery(store: TelemetryStore, sink: TelemetrySink, logger: Logger) {
  return async (entries: readonly { readonly payload: string }[]): Promise<void> => {
    const reports = await store.findReports({ ids: entries.map(({ payload }) => payload) })
    if (reports.length === 0) return
    await sink.take(reports)
    logger.info({ reports: reports.length }, 'telemetry.forwarded')
  }
}
