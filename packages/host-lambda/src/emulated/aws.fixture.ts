import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { S3Client } from '@aws-sdk/client-s3'
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
  type Message,
} from '@aws-sdk/client-sqs'
import type { SQSEvent } from 'aws-lambda'
import { createRequestHandler } from 'local-aws-sqs'

/** Fake credentials: the emulators accept only these. */
const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }
const region = 'us-east-1'

export interface Emulator<Client> {
  readonly url: string
  readonly client: Client
  close(): Promise<void>
}

interface S3Server {
  run(): Promise<AddressInfo>
  close(): Promise<void>
}

/** Starts s3rver with a bucket `uploads`. */
export async function startS3(): Promise<Emulator<S3Client>> {
  const S3rver = createRequire(import.meta.url)('s3rver') as new (options: object) => S3Server
  const directory = mkdtempSync(join(tmpdir(), 'tributary-s3-'))
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: [{ name: 'uploads' }],
  })
  const { port } = await server.run()
  const url = `http://127.0.0.1:${port}`
  const client = createS3Client(url)
  return {
    url,
    client,
    async close() {
      client.destroy()
      await server.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

export const createS3Client = (endpoint: string, more: object = {}): S3Client =>
  new S3Client({
    endpoint,
    region,
    credentials,
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...more,
  })

export interface Queues extends Emulator<SQSClient> {
  /** Creates a queue and its dead-letter queue. Resolves with both URLs. */
  queue(name: string, maxReceiveCount?: number): Promise<{ url: string; dead: string }>
  /**
   * Receives up to ten messages, as Lambda's trigger does (with the older name of the attributes, which the emulator
   * knows). Returns null if there was no message within a second.
   */
  batch(url: string, seconds?: number): Promise<{ event: SQSEvent; messages: Message[] } | null>
  /** Deletes the messages of a batch that were not reported as failed. */
  settle(url: string, messages: readonly Message[], failed: readonly { itemIdentifier: string }[]): Promise<void>
  /** Counts the messages of a queue, including hidden ones. */
  count(url: string): Promise<number>
}

type SqsEmulator = ReturnType<typeof createRequestHandler>['service']

/**
 * Makes a queue count only receipts, as SQS does. local-aws-sqs also counts each change of a visibility timeout, so
 * that a worker that renewed the timeout would lose its message to the dead-letter queue.
 */
function countReceiptsOnly(queue: SqsEmulator['Queues'][number]): void {
  const { setRecord } = queue
  const changeVisibility = queue.changeVisibility.bind(queue)
  const messages: { ApproximateReceiveCount: string }[] = []
  queue.setRecord = (...sent) => {
    const made = setRecord(...sent) as { record: { attributes: { ApproximateReceiveCount: string } } }
    messages.push(made.record.attributes)
    return made
  }
  queue.changeVisibility = (...change) => {
    const counts = messages.map(({ ApproximateReceiveCount: count }) => count)
    try {
      return changeVisibility(...change)
    } finally {
      for (const [n, count] of counts.entries()) messages[n]!.ApproximateReceiveCount = count
    }
  }
}

/** Starts local-aws-sqs. */
export async function startSqs(): Promise<Queues> {
  const { service, requestHandler } = createRequestHandler({ port: 0, hostname: '127.0.0.1' })
  const server = createServer((request, response) => void requestHandler(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = new SQSClient({ endpoint: url, region, credentials })
  const toOwnUrl = (given: string): string => url + new URL(given).pathname
  return {
    url,
    client,
    async queue(name, maxReceiveCount = 5) {
      const fifo: Record<string, string> = name.endsWith('.fifo') ? { FifoQueue: 'true' } : {}
      const make = async (called: string, attributes: Record<string, string>): Promise<string> => {
        const command = new CreateQueueCommand({ QueueName: called, Attributes: { ...fifo, ...attributes } })
        const { QueueUrl: made } = await client.send(command)
        countReceiptsOnly(service.Queues.find(({ QueueName: other }) => other === called)!)
        return toOwnUrl(made!)
      }
      const dead = await make(name.replace(/(\.fifo)?$/, '-dead$1'), {})
      const found = await client.send(new GetQueueAttributesCommand({ QueueUrl: dead, AttributeNames: ['QueueArn'] }))
      const redrive = JSON.stringify({ deadLetterTargetArn: found.Attributes!['QueueArn'], maxReceiveCount })
      return { url: await make(name, { RedrivePolicy: redrive, VisibilityTimeout: '90' }), dead }
    },
    async batch(queue, seconds = 1) {
      const { Messages: messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl: queue,
          MaxNumberOfMessages: 10,
          WaitTimeSeconds: seconds,
          AttributeNames: ['All'],
        }),
      )
      if (messages.length === 0) return null
      const Records = messages.map((one) => ({
        messageId: one.MessageId!,
        receiptHandle: one.ReceiptHandle!,
        body: one.Body!,
        attributes: one.Attributes as never,
        messageAttributes: {},
        md5OfBody: one.MD5OfBody!,
        eventSource: 'aws:sqs',
        eventSourceARN: `arn:aws:sqs:${region}:123456789012:${queue.split('/').at(-1)}`,
        awsRegion: region,
      }))
      return { event: { Records }, messages }
    },
    async settle(queue, messages, failed) {
      const kept = new Set(failed.map(({ itemIdentifier }) => itemIdentifier))
      for (const { MessageId, ReceiptHandle } of messages)
        if (!kept.has(MessageId!)) await client.send(new DeleteMessageCommand({ QueueUrl: queue, ReceiptHandle }))
    },
    async count(queue) {
      const { Attributes: found = {} } = await client.send(
        new GetQueueAttributesCommand({ QueueUrl: queue, AttributeNames: ['All'] }),
      )
      return Number(found['ApproximateNumberOfMessages']) + Number(found['ApproximateNumberOfMessagesNotVisible'])
    },
    async close() {
      client.destroy()
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/** A proxy in front of a server. By default, the proxy forwards every request and answer. */
export interface Troubled {
  readonly url: string
  readonly seen: { readonly method: string; readonly path: string; readonly headers: IncomingMessage['headers'] }[]
  /**
   * The disturbances of the next answers: a status that replaces the answer, `cut` to disconnect after half of the
   * body, or milliseconds to wait.
   */
  readonly troubles: (number | 'cut' | { readonly wait: number })[]
  close(): Promise<void>
}

/** Starts a proxy in front of `url`. */
export async function startTrouble(url: string): Promise<Troubled> {
  const { port, hostname, host } = new URL(url)
  const [seen, troubles]: [Troubled['seen'], Troubled['troubles']] = [[], []]
  const server = createServer((req, res) => void serve(req, res))
  const serve = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    seen.push({ method: req.method!, path: req.url!, headers: req.headers })
    const trouble = troubles.shift()
    if (typeof trouble === 'number') {
      req.resume()
      return void res
        .writeHead(trouble, { 'content-type': 'application/xml' })
        .end('<?xml version="1.0"?><Error><Code>SlowDown</Code><Message>slow</Message></Error>')
    }
    if (typeof trouble === 'object') await new Promise((resolve) => setTimeout(resolve, trouble.wait))
    const onward = httpRequest(
      { port, hostname, method: req.method, path: req.url, headers: { ...req.headers, host } },
      (answer) => {
        const parts: Buffer[] = []
        answer
          .on('data', (part: Buffer) => parts.push(part))
          .on('end', () => {
            const body = Buffer.concat(parts)
            const { 'transfer-encoding': _chunked, ...headers } = answer.headers
            res.writeHead(answer.statusCode!, { ...headers, 'content-length': body.length })
            if (trouble !== 'cut') return void res.end(body)
            res.write(body.subarray(0, body.length >> 1))
            setTimeout(() => res.destroy(), 20)
          })
      },
    )
    req.pipe(onward)
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    troubles,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
