import type { Measurement, Meter } from '@tributary/core'
import { checkOptionNames, measuredMetrics } from '@tributary/core/adapter'

/**
 * Writes the measurements of a service to the log in CloudWatch's embedded metric format, from which CloudWatch makes
 * metrics.
 */
export interface EmfMeter extends Meter {
  /** Writes the measurements since the last call. The handlers call it at the end of each invocation. */
  flush(): void
}

export interface EmfOptions {
  /** Default `Tributary`. */
  readonly namespace?: string
  /**
   * The labels that become dimensions. All other labels are only fields of the log line. CloudWatch bills each
   * combination of values as a metric, so the default omits `route`: `status`, `store`, `outcome`, `worker`.
   */
  readonly dimensions?: readonly string[]
  /** Writes a line. Default: stdout. */
  readonly write?: (line: string) => unknown
  /** Milliseconds since 1970. */
  readonly clock?: () => number
}

interface Series extends Pick<Measurement, 'name' | 'labels'> {
  readonly values: number[]
}

/** The maximum number of values of one metric in one log line. */
const maxValues = 100

/**
 * Makes a meter for a function. Add the meter with `service.measure(meter)`, and pass it to the function's handler.
 *
 * ```ts
 * const meter = emfMeter()
 * service.measure(meter)
 * export const handler = toLambdaHandler(service, { meter })
 * ```
 */
export function emfMeter(options: EmfOptions = {}): EmfMeter {
  checkOptionNames(options, { namespace: true, dimensions: true, write: true, clock: true })
  const { namespace = 'Tributary', dimensions = ['status', 'store', 'outcome', 'worker'] } = options
  const { write = (line) => process.stdout.write(line), clock = () => Date.now() } = options
  const pending = new Map<string, Series>()

  function flushSeries({ name, labels, values }: Series): void {
    const isDuration = measuredMetrics[name].kind === 'histogram'
    const metric = { Name: name, Unit: isDuration ? 'Seconds' : 'Count' }
    const Dimensions = [Object.keys(labels).filter((label) => dimensions.includes(label))]
    const CloudWatchMetrics = [{ Namespace: namespace, Dimensions, Metrics: [metric] }]
    const value = isDuration ? values : values.length
    write(`${JSON.stringify({ _aws: { Timestamp: clock(), CloudWatchMetrics }, ...labels, [name]: value })}\n`)
  }

  return {
    now: () => performance.now(),
    take({ name, labels, seconds = 1 }) {
      const key = JSON.stringify([name, labels])
      const series = pending.get(key) ?? { name, labels, values: [] }
      series.values.push(seconds)
      if (series.values.length < maxValues) pending.set(key, series)
      else {
        pending.delete(key)
        flushSeries(series)
      }
    },
    flush() {
      for (const series of pending.values()) flushSeries(series)
      pending.clear()
    },
  }
}
