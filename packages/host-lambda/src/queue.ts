import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import type { Logger, Service } from '@tributary/core'
import { checkOptionNames } from '@tributary/core/adapter'
import type { ServiceWorker } from '@tributary/core/worker'
import type { EmfMeter } from './emf.ts'
import { createDeadline, defaultMarginMs } from './deadline.ts'
import { UnsupportedEvent } from './events.ts'
import { retryOutage } from './outage.ts'
import { toOpener, workOpened, type WithSecrets } from './secrets.ts'

/** Changes the visibility timeout of received messages; see `sqsVisibility`. */
export interface Visibility {
  /** Hides messages for this many seconds from now; 0 makes them visible immediately. A rejection is only logged. */
  hide(records: readonly SQSRecord[], seconds: number): Promise<void>
}

export interface QueueOptions {
  /**
   * Keeps the messages of a batch hidden while their jobs' leases last, and makes returned messages visible
   * immediately. Messages of a function that was killed are then delivered again after half a minute. Default: the
   * queue's own timeout.
   */
  readonly visibility?: Visibility
  /** How long before the function's deadline the current job is released, in milliseconds. Default: 5,000. */
  readonly marginMs?: number
  readonly logger?: Logger
  /** The meter, which is flushed at the end of each invocation. */
  readonly meter?: Pick<EmfMeter, 'flush'>
}

/**
 * Core's leases last 30 seconds and are renewed every 10 seconds. Messages are hidden one second longer than a lease
 * lasts, so that the lease has expired when the message is delivered.
 */
const [hiddenSeconds, renewMs] = [31, 10_000]
/** The seconds until a message whose job waits for the end of an outage is delivered again, by its receive count. */
const waits = [6, 31, 121, 601]
/**
 * From the receipt number `patientFrom` on, a message waits at least `patientSeconds`, even if its job's lease ends
 * sooner.
 */
const [patientFrom, patientSeconds] = [6, 121]

type QueueWorker = Pick<Service, 'work'> & Partial<Pick<ServiceWorker, 'warmUp'>>

/** Returns the message of a job. */
export const formatJobMessage = (jobId: string): string => JSON.stringify({ jobId })

function readJobId(body: string): string | null {
  try {
    const { jobId } = JSON.parse(body) as { jobId?: unknown }
    return typeof jobId === 'string' && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(jobId) ? jobId : null
  } catch {
    return null
  }
}

/**
 * Makes the handler of an SQS queue of jobs. It reports the messages whose jobs are not done, so that SQS deletes the
 * other messages. A message may be delivered twice or out of order, because only the worker that gets the job's lease
 * processes the job. If a message of a FIFO queue is not done, the later messages of its group are returned with it.
 * The message of a job that failed permanently is returned immediately, until the queue's redrive policy moves it to
 * the dead-letter queue. A message that names no job is handled in the same way. Before the deadline the current job's
 * lease is released, and the next invocation continues the job. A worker begins to warm up while the function starts.
 *
 * ```ts
 * export const handler = toQueueHandler(createWorker(options), { visibility: sqsVisibility() })
 * ```
 */
export function toQueueHandler(
  given: QueueWorker | WithSecrets<QueueWorker>,
  options: QueueOptions = {},
): (event: SQSEvent, context?: Pick<Context, 'getRemainingTimeInMillis'>) => Promise<SQSBatchResponse> {
  checkOptionNames(options, { visibility: true, marginMs: true, logger: true, meter: true })
  const opener = toOpener(given)
  void opener.withoutSecrets().warmUp?.()
  const work = workOpened(opener)
  return (event, context) => workBatch({ work }, event, options, context)
}

/** Processes one batch. `stop` ends the batch early, as on SIGTERM in a worker process. */
export async function workBatch(
  service: Pick<Service, 'work'>,
  event: SQSEvent,
  options: QueueOptions,
  context?: Pick<Context, 'getRemainingTimeInMillis'>,
  stop?: AbortSignal,
): Promise<SQSBatchResponse> {
  const { visibility, logger, meter, marginMs = defaultMarginMs } = options
  const records = readRecords(event)
  const { signal, clear } = createDeadline(context, marginMs, stop)
  const open = new Set(records)
  const hide = async (some: readonly SQSRecord[], seconds: number): Promise<void> => {
    if (some.length > 0)
      await visibility
        ?.hide(some, seconds)
        .catch((error: unknown) => logger?.warn({ err: error }, 'sqs.visibility.failed'))
  }
  const beat = visibility ? setInterval(() => void hide([...open], hiddenSeconds), renewMs) : undefined
  const failures: SQSRecord[] = []
  const stuck = new Set<string>()
  try {
    await hide(records, hiddenSeconds)
    for (const record of records) {
      // A standard queue has no order within a group.
      const group = record.eventSourceARN.endsWith('.fifo') ? record.attributes.MessageGroupId : undefined
      const seconds = group !== undefined && stuck.has(group) ? 0 : await processRecord(service, record, signal, logger)
      open.delete(record)
      if (seconds === null) continue
      failures.push(record)
      if (group !== undefined) stuck.add(group)
      await hide([record], seconds)
    }
  } finally {
    clearInterval(beat)
    clear()
    meter?.flush()
  }
  return { batchItemFailures: failures.map(({ messageId }) => ({ itemIdentifier: messageId })) }
}

/** Returns the seconds until the message is delivered again, or null when its job is done. */
async function processRecord(
  service: Pick<Service, 'work'>,
  record: SQSRecord,
  signal: AbortSignal,
  logger: Logger | undefined,
): Promise<number | null> {
  if (signal.aborted) return 0
  const jobId = readJobId(record.body)
  if (jobId === null) {
    logger?.error({ messageId: record.messageId }, 'sqs.message.invalid')
    return 0
  }
  const received = Number(record.attributes.ApproximateReceiveCount) || 1
  try {
    const { failed, later, laterMs } = await retryOutage(() => service.work({ jobId, signal }), signal, logger)
    if (failed > 0) logger?.error({ jobId, messageId: record.messageId }, 'sqs.job.failed')
    if (failed > 0) return 0
    if (later === 0) return null
    if (signal.aborted) return 0
    // Another delivery of this message must not become a dead letter while a live worker renews the lease.
    if (laterMs !== undefined)
      return Math.max(Math.ceil(laterMs / 1000) + 1, received < patientFrom ? 0 : patientSeconds)
  } catch (error) {
    logger?.warn({ err: error, jobId }, 'sqs.job.not_processed')
  }
  return waits[Math.min(received, waits.length) - 1]!
}

function readRecords(event: unknown): SQSRecord[] {
  const { Records: records } = (event ?? {}) as { Records?: unknown }
  const fine =
    Array.isArray(records) &&
    records.every(
      (one: Partial<SQSRecord> | null) =>
        one?.eventSource === 'aws:sqs' &&
        typeof one.messageId === 'string' &&
        typeof one.body === 'string' &&
        typeof one.attributes === 'object',
    )
  if (!fine) throw new UnsupportedEvent('not an SQS event')
  return records as SQSRecord[]
}
