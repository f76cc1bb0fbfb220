/** List prices in dollars: us-east-1, November 2026 or the latest available, without free tiers. */
export const prices = {
  apiRequest: 1 / 1e6,
  lambdaRequest: 0.2 / 1e6,
  lambdaGigabyteSecond: 0.0000133334,
  sqsRequest: 0.4 / 1e6,
  s3Put: 0.005 / 1e3,
  s3Get: 0.0004 / 1e3,
  logGigabyte: 0.5,
  customMetric: 0.3,
  alarm: 0.1,
  secret: 0.4,
  secretRequest: 0.05 / 1e4,
  tursoRowRead: 1 / 1e9,
  tursoRowWritten: 1 / 1e6,
  tursoGigabyte: 0.75,
} as const

/** The activity of one contributor in a day. */
export const day = { requests: 40, batches: 2, tracesPerBatch: 25, traceKilobytes: 4 } as const

/**
 * The resources that a request and a trace use: rows and bytes are measured by the tests, and durations are estimated.
 */
export const sizes = {
  requestSeconds: 0.06,
  requestRowsRead: 10,
  requestRowsWritten: 1,
  logKilobytesPerRequest: 1.2,
  tracesPerSecond: 1_000,
  rowsWrittenPerTrace: 20,
  storedKilobytesPerTrace: 5.5,
  s3PutsPerBatch: 1,
  s3GetsPerBatch: 1,
  sqsRequestsPerBatch: 5,
  scheduleSeconds: 1,
  /** The number of dimensions that `emfMeter` creates by default. */
  customMetrics: 40,
  alarms: 9,
  secrets: 3,
  /** The reads of three functions (7 secrets in all), with one instance of each, every five minutes. */
  secretReadsPerMonth: 7 * 12 * 24 * 30,
} as const

const [daysPerMonth, minutesPerMonth] = [30, 43_200]
const memory = { http: 1, queue: 1769 / 1024, schedule: 0.5 }

/**
 * Returns the cost per month in dollars, by part. It includes the storage of the first month, but not Turso's base
 * price.
 */
export function estimateMonthlyCost(contributorsPerDay: number): Readonly<Record<string, number>> {
  const times = contributorsPerDay * daysPerMonth
  const [requests, batches] = [times * day.requests, times * day.batches]
  const traces = batches * day.tracesPerBatch
  const gigabyteSeconds =
    requests * sizes.requestSeconds * memory.http +
    (traces / sizes.tracesPerSecond) * memory.queue +
    minutesPerMonth * sizes.scheduleSeconds * memory.schedule
  return {
    'HTTP API': requests * prices.apiRequest,
    'Lambda':
      (requests + batches + minutesPerMonth) * prices.lambdaRequest + gigabyteSeconds * prices.lambdaGigabyteSecond,
    'SQS and S3':
      batches * (sizes.sqsRequestsPerBatch * prices.sqsRequest + sizes.s3PutsPerBatch * prices.s3Put) +
      batches * sizes.s3GetsPerBatch * prices.s3Get,
    'CloudWatch':
      ((requests * sizes.logKilobytesPerRequest) / 1e6) * prices.logGigabyte +
      sizes.customMetrics * prices.customMetric +
      sizes.alarms * prices.alarm,
    'Secrets Manager': sizes.secrets * prices.secret + sizes.secretReadsPerMonth * prices.secretRequest,
    'Turso, rows':
      requests * (sizes.requestRowsRead * prices.tursoRowRead + sizes.requestRowsWritten * prices.tursoRowWritten) +
      traces * sizes.rowsWrittenPerTrace * prices.tursoRowWritten,
    'Turso, storage': ((traces * sizes.storedKilobytesPerTrace) / 1e6) * prices.tursoGigabyte,
  }
}

/** Returns the table of the README, for these numbers of contributors per day. */
export function formatCostTable(contributors: readonly number[]): string {
  const costs = contributors.map(estimateMonthlyCost)
  const formatRow = (name: string, values: readonly number[]): string =>
    `| ${name} | ${values.map((value) => value.toFixed(2)).join(' | ')} |`
  const total = costs.map((cost) => Object.values(cost).reduce((sum, value) => sum + value, 0))
  const parts = Object.keys(costs[0]!).map((name) =>
    formatRow(
      name,
      costs.map((cost) => cost[name]!),
    ),
  )
  const head = `| $ a month | ${contributors.map((count) => `${count.toLocaleString('en')} a day`).join(' | ')} |`
  return [head, `|---|${contributors.map(() => '---').join('|')}|`, ...parts, formatRow('**together**', total)].join(
    '\n',
  )
}
