import { checkOptionNames } from '../option-names.ts'
import { within } from '../deadline.ts'
import type { Fetch, TelemetryRecord, TelemetrySink } from '../ports.ts'
import { traceFetch } from '../tracing.ts'

export interface OtlpOptions {
  /** The collector's URL for logs: `https://otel.example.com/v1/logs`. */
  readonly url: string
  readonly fetch: Fetch
  /** Further request headers, such as the collector's credential. */
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds for one request. Default: 10,000. */
  readonly timeoutMs?: number
  /** The service name in the logs. Default: `tributary`. */
  readonly serviceName?: string
}

/** Thrown when the collector rejected a request that must not be retried. */
class RejectedError extends Error {
  readonly permanent = true
}

type Value =
  | { stringValue: string }
  | { intValue: string }
  | { doubleValue: number }
  | { boolValue: boolean }
  | { arrayValue: { values: Value[] } }
  | { kvlistValue: { values: Attribute[] } }
interface Attribute {
  key: string
  value: Value
}

/**
 * Returns JSON as an OTLP value. 64-bit integers become decimal strings, and null an empty string, because OTLP has no
 * null.
 */
function value(given: unknown): Value {
  if (typeof given === 'string') return { stringValue: given }
  if (typeof given === 'boolean') return { boolValue: given }
  if (typeof given === 'number')
    return Number.isSafeInteger(given) ? { intValue: String(given) } : { doubleValue: given }
  if (Array.isArray(given)) return { arrayValue: { values: given.map(value) } }
  if (typeof given === 'object' && given !== null) return { kvlistValue: { values: attributes(given) } }
  return { stringValue: '' }
}

function attributes(given: object): Attribute[] {
  return Object.entries(given).flatMap(([key, inner]) =>
    inner === undefined || inner === null ? [] : [{ key, value: value(inner) }],
  )
}

/** Returns one log record for each diagnostics item and event of a report. */
function records(report: TelemetryRecord): object[] {
  const { id, deviceId, cliVersion, platform, arch, command, sentAt, diagnostics, events, receivedAt } = report
  const nanos = `${receivedAt}000000`
  const shared = attributes({
    'tributary.report.id': id,
    'device.id': deviceId,
    'service.client.version': cliVersion,
    'os.type': platform,
    'host.arch': arch,
    'process.command': command,
    'tributary.sent_at': sentAt,
  })
  const record = (name: string, body: string, more: Attribute[]): object => ({
    timeUnixNano: nanos,
    observedTimeUnixNano: nanos,
    severityNumber: 9,
    severityText: 'INFO',
    eventName: name,
    body: { stringValue: body },
    attributes: [...shared, ...more],
  })
  return [
    ...diagnostics.map((item) =>
      record('tributary.diagnostics', `diagnostics of ${String(item['adapter'])}`, attributes(item)),
    ),
    ...events.map(({ name, properties }) =>
      record('tributary.event', String(name), [
        { key: 'event.name', value: value(name) },
        { key: 'properties', value: value(properties ?? {}) },
      ]),
    ),
  ]
}

/** Builds the body of a request: an ExportLogsServiceRequest in protobuf's JSON (OTLP 1.10, lower camel case). */
export function logsRequest(reports: readonly TelemetryRecord[], serviceName = 'tributary'): object {
  return {
    resourceLogs: [
      {
        resource: { attributes: attributes({ 'service.name': serviceName }) },
        scopeLogs: [{ scope: { name: 'tributary.cli.telemetry' }, logRecords: reports.flatMap(records) }],
      },
    ],
  }
}

/**
 * Returns a telemetry sink that sends logs as JSON over OTLP/HTTP (opentelemetry.io/docs/specs/otlp). The sink throws
 * for every status other than 2xx. The error is `permanent`, so that the outbox does not retry, unless the status is
 * 429, 502, 503 or 504. A partial success counts as success, since rejected records must not be sent again.
 *
 * ```ts
 * const sink = otlpSink({ url: 'https://otel.example.com/v1/logs', fetch })
 * ```
 */
export function otlpSink(options: OtlpOptions): TelemetrySink {
  checkOptionNames(options, { url: true, fetch: true, headers: true, timeoutMs: true, serviceName: true })
  const { url, fetch, headers = {}, timeoutMs = 10_000, serviceName } = options
  const send = traceFetch(fetch, 'telemetry.sink')
  return {
    name: 'otlp',
    take: (reports) =>
      within(timeoutMs, async (signal) => {
        const { status, body } = await send(url, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          redirect: 'manual',
          signal,
          body: JSON.stringify(logsRequest(reports, serviceName)),
        })
        await body?.cancel()
        if (status >= 200 && status < 300) return
        const message = `the collector answered ${status}`
        throw [429, 502, 503, 504].includes(status) ? new Error(message) : new RejectedError(message)
      }),
  }
}
