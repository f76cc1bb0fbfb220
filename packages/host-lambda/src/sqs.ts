import { createHash, randomUUID } from 'node:crypto'
import type { Message, SQSClient } from '@aws-sdk/client-sqs'
import type { SQSRecord } from 'aws-lambda'
import { within, type Logger, type Queue, type Service } from '@tributary/core'
import { messageOf, workBatch, type Visibility } from './queue.ts'

type Sdk = typeof import('@aws-sdk/client-sqs')

/** A client of the AWS SDK v3, or how to come by one; default: made of the environment when it is first needed. */
interface WithClient {
  readonly client?: SQSClient
}

export interface SqsQueueOptions extends WithClient {
  /** `https://sqs.eu-central-1.amazonaws.com/123456789012/jobs`, or ending in `.fifo`. */
  readonly queueUrl: string
}

/** The SDK is loaded when a message is first sent: it takes longer to load than a request takes. */
function lazily({ client }: WithClient, region?: string): () => Promise<{ sdk: Sdk; client: SQSClient }> {
  let made: Promise<{ sdk: Sdk; client: SQSClient }> | null = null
  return () =>
    (made ??= import('@aws-sdk/client-sqs').then((sdk) => ({
      sdk,
      client: client ?? new sdk.SQSClient(region === undefined ? {} : { region }),
    })))
}

/** Milliseconds for one call, the SDK's retries included. */
const callMs = 5_000

const regionOf = (queueUrl: string): string | undefined =>
  /^https:\/\/sqs\.([a-z0-9-]+)\.amazonaws\.com/.exec(queueUrl)?.[1]

/**
 * The `Queue` port over SQS. The jobs of one person are one group (by a hash of their id): a FIFO queue delivers a group in the
 * order sent, a standard queue delivers those of other groups first while one has many in flight (SQS fair queues). A message holds the job's id and nothing of a person. Throws what the SDK throws.
 *
 * ```ts
 * const queue = sqsQueue({ queueUrl: process.env['QUEUE_URL']! })
 * ```
 */
export function sqsQueue({ queueUrl, ...given }: SqsQueueOptions): Queue {
  const open = lazily(given, regionOf(queueUrl))
  return {
    async send(jobId, ownerId) {
      const { sdk, client } = await open()
      const group = createHash('sha256')
        .update(ownerId ?? jobId)
        .digest('hex')
      // A job that an operator retries is a new message, though SQS saw its like a minute ago.
      const fifo = queueUrl.endsWith('.fifo') ? { MessageDeduplicationId: randomUUID() } : {}
      const command = new sdk.SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody: messageOf(jobId),
        MessageGroupId: group,
        ...fifo,
      })
      await within(callMs, (abortSignal) => client.send(command, { abortSignal }))
    },
  }
}

export interface SqsVisibilityOptions extends WithClient {
  /** Default: made of each record's `eventSourceARN`. */
  readonly queueUrl?: string
}

/** Changes the visibility of received messages, up to ten a call, as SQS takes them. */
export function sqsVisibility({ queueUrl, ...given }: SqsVisibilityOptions = {}): Visibility {
  const open = lazily(given)
  return {
    async hide(records, seconds) {
      const { sdk, client } = await open()
      for (let at = 0; at < records.length; at += 10) {
        const some = records.slice(at, at + 10)
        const command = new sdk.ChangeMessageVisibilityBatchCommand({
          QueueUrl: queueUrl ?? urlOf(some[0]!.eventSourceARN),
          Entries: some.map(({ receiptHandle }, n) => ({
            Id: String(n),
            ReceiptHandle: receiptHandle,
            VisibilityTimeout: seconds,
          })),
        })
        const answer = await within(callMs, (abortSignal) => client.send(command, { abortSignal }))
        if (answer.Failed && answer.Failed.length > 0)
          throw new Error(`${answer.Failed.length} of ${some.length} messages: ${String(answer.Failed[0]!.Code)}`)
      }
    },
  }
}

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference-arns.html; China has a domain of its own. */
function urlOf(arn: string): string {
  const [, partition, , region, account, name] = arn.split(':')
  return `https://sqs.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}/${account}/${name}`
}

export interface SqsWorkerOptions extends SqsQueueOptions {
  readonly logger?: Logger
  /** Seconds that a look waits for messages; default 20, the most that SQS allows. */
  readonly waitSeconds?: number
}

/** A worker that looks into the queue. */
export interface SqsWorker {
  /** Gives back what is in hand; resolves when all is put down. */
  stop(): Promise<void>
}

/**
 * What Lambda's trigger does, in a process of one's own: receives, hands over to the same worker, deletes what is done. The
 * queue's trouble is logged and waited out. One message at a time, so that others of a fleet get theirs.
 */
export function sqsWorker(
  service: Pick<Service, 'work'>,
  { queueUrl, logger, waitSeconds = 20, ...given }: SqsWorkerOptions,
): SqsWorker {
  const open = lazily(given, regionOf(queueUrl))
  const end = new AbortController()
  const { signal } = end

  async function turn(): Promise<void> {
    const { sdk, client } = await open()
    const visibility = sqsVisibility({ queueUrl, client })
    const receive = new sdk.ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: 1,
      WaitTimeSeconds: waitSeconds,
      VisibilityTimeout: 31,
      MessageSystemAttributeNames: ['All'],
    })
    const { Messages: messages = [] } = await within(waitSeconds * 1000 + callMs, (late) =>
      client.send(receive, { abortSignal: AbortSignal.any([signal, late]) }),
    )
    if (messages.length === 0) return
    const { batchItemFailures } = await workBatch(
      service,
      { Records: messages.map(recordOf) },
      { visibility, ...(logger ? { logger } : {}) },
      undefined,
      signal,
    )
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
    for (const { MessageId, ReceiptHandle } of messages) {
      if (!failed.has(MessageId!)) {
        const done = new sdk.DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle })
        await within(callMs, (abortSignal) => client.send(done, { abortSignal }))
      }
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        await turn()
      } catch (error) {
        if (signal.aborted) return
        logger?.warn({ err: error }, 'the queue did not answer')
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, 2_000)
          signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true })
        })
      }
    }
  }

  const ended = run()
  return {
    async stop() {
      end.abort()
      await ended
    },
  }
}

const recordOf = ({
  MessageId = '',
  ReceiptHandle = '',
  Body = '',
  Attributes = {},
  MD5OfBody = '',
}: Message): SQSRecord => ({
  messageId: MessageId,
  receiptHandle: ReceiptHandle,
  body: Body,
  attributes: Attributes as unknown as SQSRecord['attributes'],
  messageAttributes: {},
  md5OfBody: MD5OfBody,
  eventSource: 'aws:sqs',
  eventSourceARN: '',
  awsRegion: '',
})
