import type { Message, SQSClient } from '@aws-sdk/client-sqs'
import type { SQSRecord } from 'aws-lambda'
import type { Logger, Queue, Service } from '@tributary/core'
import { checkOptionNames, within } from '@tributary/core/adapter'
import { formatJobMessage, workBatch, type Visibility } from './queue.ts'

type Sdk = typeof import('@aws-sdk/client-sqs')

/** A client of the AWS SDK v3. Default: a client from the environment, which is created on first use. */
interface WithClient {
  readonly client?: SQSClient
}

export interface SqsQueueOptions extends WithClient {
  /**
   * The URL of the queue, such as `https://sqs.eu-central-1.amazonaws.com/123456789012/jobs`. The name of a FIFO queue
   * ends in `.fifo`.
   */
  readonly queueUrl: string
}

/** Loads the SDK on first use, because loading it takes longer than a request. */
function createLazyClient({ client }: WithClient, region?: string): () => Promise<{ sdk: Sdk; client: SQSClient }> {
  let made: Promise<{ sdk: Sdk; client: SQSClient }> | null = null
  return () =>
    (made ??= import('@aws-sdk/client-sqs').then((sdk) => ({
      sdk,
      client: client ?? new sdk.SQSClient(region === undefined ? {} : { region }),
    })))
}

/** The milliseconds for one call, including the SDK's retries. */
const callMs = 5_000

const readRegion = (queueUrl: string): string | undefined =>
  /^https:\/\/sqs\.([a-z0-9-]+)\.amazonaws\.com/.exec(queueUrl)?.[1]

/**
 * Makes the `Queue` port over SQS. The jobs of one person are one message group (a hash of the person's id). A FIFO
 * queue delivers a group in the order sent. A standard queue delivers other groups first while one group has many
 * messages in flight (SQS fair queues). A message contains the job's id and no data of a person. Throws the errors of
 * the SDK.
 *
 * ```ts
 * const queue = sqsQueue({ queueUrl: process.env['QUEUE_URL']! })
 * ```
 */
export function sqsQueue(options: SqsQueueOptions): Queue {
  checkOptionNames(options, { queueUrl: true, client: true })
  const { queueUrl, ...given } = options
  const open = createLazyClient(given, readRegion(queueUrl))
  return {
    async send(jobId, ownerId) {
      const { sdk, client } = await open()
      const { createHash, randomUUID } = process.getBuiltinModule('node:crypto')
      const group = createHash('sha256')
        .update(ownerId ?? jobId)
        .digest('hex')
      // Each message has its own deduplication id: a job that an operator retries is sent again within SQS's five
      // minutes.
      const fifo = queueUrl.endsWith('.fifo') ? { MessageDeduplicationId: randomUUID() } : {}
      const command = new sdk.SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody: formatJobMessage(jobId),
        MessageGroupId: group,
        ...fifo,
      })
      await within(callMs, (abortSignal) => client.send(command, { abortSignal }))
    },
  }
}

export interface SqsVisibilityOptions extends WithClient {
  /** Default: derived from each record's `eventSourceARN`. */
  readonly queueUrl?: string
}

/** Makes the visibility port over SQS, which changes up to ten messages in one call. */
export function sqsVisibility(options: SqsVisibilityOptions = {}): Visibility {
  checkOptionNames(options, { queueUrl: true, client: true })
  const { queueUrl, ...given } = options
  const open = createLazyClient(given)
  return {
    async hide(records, seconds) {
      const { sdk, client } = await open()
      for (let start = 0; start < records.length; start += 10) {
        const some = records.slice(start, start + 10)
        const command = new sdk.ChangeMessageVisibilityBatchCommand({
          QueueUrl: queueUrl ?? toQueueUrl(some[0]!.eventSourceARN),
          Entries: some.map(({ receiptHandle }, n) => ({
            Id: String(n),
            ReceiptHandle: receiptHandle,
            VisibilityTimeout: seconds,
          })),
        })
        const answer = await within(callMs, (abortSignal) => client.send(command, { abortSignal }))
        if (answer.Failed && answer.Failed.length > 0)
          throw new Error(
            `${answer.Failed.length} of ${some.length} messages kept their visibility timeout: ${String(answer.Failed[0]!.Code)}`,
          )
      }
    },
  }
}

/**
 * Returns the queue's URL for its ARN (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference-arns.html); China has
 * its own domain.
 */
function toQueueUrl(arn: string): string {
  const [, partition, , region, account, name] = arn.split(':')
  return `https://sqs.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}/${account}/${name}`
}

export interface SqsWorkerOptions extends SqsQueueOptions {
  readonly logger?: Logger
  /** Seconds of a long poll. Default: 20, the most that SQS allows. */
  readonly waitSeconds?: number
}

/** A worker that polls the queue. */
export interface SqsWorker {
  /** Releases the current job. Resolves when the worker has ended. */
  stop(): Promise<void>
}

/**
 * Polls the queue in a process, as Lambda's trigger does: receives a message, processes its job, and deletes the
 * message when the job is done. It logs a failure of the queue and tries again. It receives one message at a time, so
 * that the other workers of a fleet also get messages.
 */
export function sqsWorker(service: Pick<Service, 'work'>, options: SqsWorkerOptions): SqsWorker {
  checkOptionNames(options, { queueUrl: true, client: true, logger: true, waitSeconds: true })
  const { queueUrl, logger, waitSeconds = 20, ...given } = options
  const open = createLazyClient(given, readRegion(queueUrl))
  const end = new AbortController()
  const { signal } = end

  async function poll(): Promise<void> {
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
      { Records: messages.map(toRecord) },
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
        await poll()
      } catch (error) {
        if (signal.aborted) return
        logger?.warn({ err: error }, 'sqs.receive.failed')
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

const toRecord = ({
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
