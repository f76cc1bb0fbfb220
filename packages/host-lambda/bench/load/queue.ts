import { randomUUID } from 'node:crypto'
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import type { Queue } from '@tributary/core'
import type { Visibility } from '../../src/index.ts'
import { formatJobMessage } from '../../src/queue.ts'

interface Message {
  readonly id: string
  readonly body: string
  visibleAt: number
  received: number
  receipt: string
}

export interface ModelQueueOptions {
  /** Seconds for which a received message is hidden. The templates use 1,800. */
  readonly visibilitySeconds: number
  /** The number of receives after which a message moves to the dead-letter queue. The templates use 10. */
  readonly maxReceiveCount: number
  /** Whether this delivery is repeated immediately, as a standard queue may do. */
  readonly isRepeated: () => boolean
}

/**
 * A standard queue of SQS in memory, with visibility timeouts, receive counts, repeated deliveries and a dead-letter
 * queue.
 */
export class ModelQueue implements Queue, Visibility {
  readonly deadLetters: string[] = []
  /** The number of deliveries, without the first delivery of each message. */
  redeliveries = 0
  readonly #messages = new Map<string, Message>()
  readonly #options: ModelQueueOptions

  constructor(options: ModelQueueOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#messages.size
  }

  async send(jobId: string): Promise<void> {
    const id = randomUUID()
    this.#messages.set(id, { id, body: formatJobMessage(jobId), visibleAt: 0, received: 0, receipt: '' })
  }

  /** Receives up to `limit` visible messages. Returns null if there are no visible messages. */
  receive(limit: number): SQSEvent | null {
    const now = Date.now()
    const records: SQSRecord[] = []
    for (const message of this.#messages.values()) {
      if (records.length === limit) break
      if (message.visibleAt > now) continue
      if (message.received === this.#options.maxReceiveCount) {
        this.#messages.delete(message.id)
        this.deadLetters.push(message.body)
        continue
      }
      if (message.received++ > 0) this.redeliveries++
      message.visibleAt = this.#options.isRepeated() ? now : now + 1000 * this.#options.visibilitySeconds
      message.receipt = randomUUID()
      records.push(toRecord(message))
    }
    return records.length === 0 ? null : { Records: records }
  }

  /** Deletes the messages of a batch that the function did not report as failed. */
  settle(event: SQSEvent, { batchItemFailures }: SQSBatchResponse): void {
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
    for (const { messageId } of event.Records) if (!failed.has(messageId)) this.#messages.delete(messageId)
  }

  async hide(records: readonly SQSRecord[], seconds: number): Promise<void> {
    for (const { messageId, receiptHandle } of records) {
      const message = this.#messages.get(messageId)
      // The handle of an earlier delivery has no effect.
      if (message?.receipt === receiptHandle) message.visibleAt = Date.now() + 1000 * seconds
    }
  }
}

const toRecord = ({ id, body, received, receipt }: Message): SQSRecord => ({
  messageId: id,
  receiptHandle: receipt,
  body,
  attributes: {
    ApproximateReceiveCount: String(received),
    SentTimestamp: '0',
    SenderId: 'model',
    ApproximateFirstReceiveTimestamp: '0',
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: 'arn:aws:sqs:us-east-1:123456789012:jobs',
  awsRegion: 'us-east-1',
})
