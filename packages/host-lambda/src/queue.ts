import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import type { Logger, Service } from '@tributary/core'
import { deadline, defaultMarginMs } from './deadline.ts'
import { UnsupportedEvent } from './events.ts'

/** Changes how long received messages stay hidden; `sqsVisibility` makes one of an SQS client. */
export interface Visibility {
  /** Hides them for so many seconds from now; 0 shows them at once. Best effort: a throw is logged, no more. */
  hide(records: readonly SQSRecord[], seconds: number): Promise<void>
}

export interface QueueOptions {
  /**
   * Keeps the messages of a batch hidden as long as their jobs' leases last, so that those of a function that was killed
   * come again after half a minute, and shows again at once what was given back. Default: the queue's own timeout.
   */
  readonly visibility?: Visibility
  /** How long before the function's deadline a job is given back, in milliseconds; default 5,000. */
  readonly marginMs?: number
  readonly logger?: Logger
}

/** As core's leases: 30 seconds, renewed every 10; one second more, so that the job can be taken when its message comes. */
const [hiddenSeconds, renewMs] = [31, 10_000]
/** Core's waits after an attempt that went wrong, and what a job that another worker holds is left alone for. */
const waits = [6, 31, 121, 601]

type Outcome = 'done' | 'failed' | 'later' | 'stopped' | 'unreadable' | 'behind'

/** The message of a job. */
export const messageOf = (jobId: string): string => JSON.stringify({ jobId })

function jobIdOf(body: string): string | null {
  try {
    const { jobId } = JSON.parse(body) as { jobId?: unknown }
    return typeof jobId === 'string' && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(jobId) ? jobId : null
  } catch {
    return null
  }
}

/**
 * The service's worker behind SQS. Each message names a job; a batch reports those that are not done, so that the rest is
 * deleted. A message may come twice or out of order: the job's lease decides. In a FIFO queue what comes after a message
 * that was not done is handed back with it, group by group. A job that failed for good hands its message back at once
 * until the queue's redrive policy moves it to the dead letters; so does a message that names no job. Before the
 * deadline the job in hand gives its lease back and goes on from there in the next invocation.
 *
 * ```ts
 * export const handler = toQueueHandler(service, { visibility: sqsVisibility() })
 * ```
 */
export function toQueueHandler(
  service: Pick<Service, 'work'>,
  options: QueueOptions = {},
): (event: SQSEvent, context?: Pick<Context, 'getRemainingTimeInMillis'>) => Promise<SQSBatchResponse> {
  return (event, context) => workBatch(service, event, options, context)
}

/** One batch; `stop` ends it early, as a worker of one's own does on SIGTERM. */
export async function workBatch(
  service: Pick<Service, 'work'>,
  event: SQSEvent,
  options: QueueOptions,
  context?: Pick<Context, 'getRemainingTimeInMillis'>,
  stop?: AbortSignal,
): Promise<SQSBatchResponse> {
  const { visibility, logger, marginMs = defaultMarginMs } = options
  const records = recordsOf(event)
  const { signal, clear } = deadline(context, marginMs, stop)
  const open = new Set(records)
  const hide = async (some: readonly SQSRecord[], seconds: number): Promise<void> => {
    if (some.length > 0)
      await visibility
        ?.hide(some, seconds)
        .catch((error: unknown) => logger?.warn({ err: error }, 'the visibility of messages could not be changed'))
  }
  const beat = visibility ? setInterval(() => void hide([...open], hiddenSeconds), renewMs) : undefined
  const failures: SQSRecord[] = []
  const stuck = new Set<string>()
  try {
    await hide(records, hiddenSeconds)
    for (const record of records) {
      // In a standard queue groups have no order.
      const group = record.eventSourceARN.endsWith('.fifo') ? record.attributes.MessageGroupId : undefined
      const outcome = group !== undefined && stuck.has(group) ? 'behind' : await tried(service, record, signal, logger)
      open.delete(record)
      if (outcome === 'done') continue
      failures.push(record)
      if (group !== undefined) stuck.add(group)
      await hide([record], secondsOf(outcome, record))
    }
  } finally {
    clearInterval(beat)
    clear()
  }
  return { batchItemFailures: failures.map(({ messageId }) => ({ itemIdentifier: messageId })) }
}

async function tried(
  service: Pick<Service, 'work'>,
  record: SQSRecord,
  signal: AbortSignal,
  logger: Logger | undefined,
): Promise<Outcome> {
  if (signal.aborted) return 'stopped'
  const jobId = jobIdOf(record.body)
  if (jobId === null) {
    logger?.error({ messageId: record.messageId }, 'a message names no job')
    return 'unreadable'
  }
  try {
    const { failed, later } = await service.work({ jobId, signal })
    if (failed > 0) logger?.error({ jobId, messageId: record.messageId }, 'the job of a message has failed')
    return failed > 0 ? 'failed' : later === 0 ? 'done' : signal.aborted ? 'stopped' : 'later'
  } catch (error) {
    logger?.warn({ err: error, jobId }, 'the job of a message could not be worked on')
    return 'later'
  }
}

function secondsOf(outcome: Outcome, record: SQSRecord): number {
  if (outcome !== 'later') return 0
  const received = Number(record.attributes.ApproximateReceiveCount) || 1
  return waits[Math.min(received, waits.length) - 1]!
}

function recordsOf(event: unknown): SQSRecord[] {
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
  if (!fine) throw new UnsupportedEvent('not an event of SQS')
  return records as SQSRecord[]
}
