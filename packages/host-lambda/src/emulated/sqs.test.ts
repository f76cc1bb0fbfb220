import { ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import {
  createTestStores,
  fixture,
  lambdaHost,
  makeSentTraces,
  createTraveller,
  type Fixture,
  type Traveller,
} from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sqsQueue, sqsVisibility, sqsWorker } from '../aws.ts'
import { lambdaPlatform, toLambdaHandler, toQueueHandler } from '../index.ts'
import { startSqs, type Queues } from './aws.fixture.ts'

const logger = { info() {}, warn() {}, error() {} }
let people = 0

async function signInTraveller(
  sqs: Queues,
  queueUrl: string,
): Promise<{ made: Fixture; traveller: Traveller; stores: ReturnType<typeof createTestStores> }> {
  const stores = createTestStores()
  const made = fixture({
    stores,
    approval: 'automatic',
    country: () => 'US',
    ...lambdaPlatform(),
    logger,
    queue: sqsQueue({ queueUrl, client: sqs.client }),
  })
  const handler = toLambdaHandler(made.service)
  const { request } = lambdaHost((event) => handler(event as never), { gateway: 'http' })
  return {
    made,
    stores,
    traveller: await createTraveller({
      request,
      email: `sqs-${++people}@example.com`,
      code: (email) => made.mailer.code(email),
    }),
  }
}

describe('sqsQueue on an SQS emulator', () => {
  let sqs: Queues
  beforeAll(async () => {
    sqs = await startSqs()
  })
  afterAll(() => sqs.close())

  /**
   * Runs Lambda's trigger: receives, invokes, and deletes the messages that were not reported as failed, until the
   * queue is empty.
   */
  async function triggerHandler(made: Fixture, url: string, seconds = 1): Promise<number> {
    const handler = toQueueHandler(made.service, {
      visibility: sqsVisibility({ client: sqs.client, queueUrl: url }),
      logger,
    })
    for (let batches = 0; ; batches++) {
      const got = await sqs.batch(url, seconds)
      if (!got) return batches
      const { batchItemFailures } = await handler(got.event)
      await sqs.settle(url, got.messages, batchItemFailures)
    }
  }

  test('counts the receipts of a message, but not the changes of its visibility timeout', async () => {
    const { url } = await sqs.queue('counted', 3)
    await sqsQueue({ queueUrl: url, client: sqs.client }).send('1')
    const visibility = sqsVisibility({ client: sqs.client, queueUrl: url })
    const counts: string[] = []
    for (let receipt = 1; receipt <= 2; receipt++) {
      const { event } = (await sqs.batch(url, 2))!
      counts.push(event.Records[0]!.attributes.ApproximateReceiveCount)
      for (const seconds of [31, 31, 0]) await visibility.hide(event.Records, seconds)
    }
    expect(counts).toEqual(['1', '2'])
  })

  test('delivers a job to its worker, and deletes the message when the job is done', async () => {
    const { url } = await sqs.queue('plain')
    const { made, traveller } = await signInTraveller(sqs, url)
    const jobs = [await traveller.send(makeSentTraces(2)), await traveller.send(makeSentTraces(3, 60, 'more'))]
    expect(await sqs.count(url)).toBe(2)
    await triggerHandler(made, url)
    for (const id of jobs) expect(await traveller.job(id)).toMatchObject({ status: 'done' })
    expect(await sqs.count(url)).toBe(0)
    expect(await traveller.traces()).toHaveLength(5)
  })

  test('makes POST /api/ingest return enqueue_failed and store nothing when SQS refuses the message', async () => {
    const { traveller, stores } = await signInTraveller(sqs, `${sqs.url}/123456789012/nowhere`)
    await expect(traveller.send(makeSentTraces(1))).rejects.toThrow('enqueue_failed')
    expect(await stores.blobs.stale(Number.MAX_SAFE_INTEGER, 10, '')).toEqual([])
  })

  test('receives the message of a failed job again immediately, and finally moves it to the dead-letter queue', async () => {
    const { url, dead } = await sqs.queue('poison', 3)
    const { made, traveller, stores } = await signInTraveller(sqs, url)
    const jobId = await traveller.send(makeSentTraces(1))
    for (const key of await stores.blobs.stale(Number.MAX_SAFE_INTEGER, 10, '')) await stores.blobs.delete(key)
    // These calls use up the job's attempts, as if other workers had made them.
    for (let attempt = 1; attempt <= 5; attempt++, made.clock.advance(601_000)) await made.service.work({ jobId })
    expect(await traveller.job(jobId)).toMatchObject({ status: 'failed' })
    await triggerHandler(made, url)
    expect([await sqs.count(url), await sqs.count(dead)]).toEqual([0, 1])
    const { Messages: messages } = await sqs.client.send(
      new ReceiveMessageCommand({ QueueUrl: dead, WaitTimeSeconds: 1 }),
    )
    expect(JSON.parse(messages![0]!.Body!)).toEqual({ jobId })
  })

  test('groups the jobs of each user in a FIFO queue, and accepts a job again that was already sent', async () => {
    const { url } = await sqs.queue('ordered.fifo')
    const [ann, bob] = [await signInTraveller(sqs, url), await signInTraveller(sqs, url)]
    const jobs = [
      await ann.traveller.send(makeSentTraces(1)),
      await bob.traveller.send(makeSentTraces(1)),
      await ann.traveller.send(makeSentTraces(1, 60, 'b')),
    ]
    await sqsQueue({ queueUrl: url, client: sqs.client }).send(jobs[0]!)
    await sqsQueue({ queueUrl: url, client: sqs.client }).send(jobs[0]!)
    const seen = new Map<string, string[]>()
    for (let got = await sqs.batch(url); got; got = await sqs.batch(url)) {
      for (const { body, attributes } of got.event.Records) {
        const group = attributes.MessageGroupId!
        seen.set(group, [...(seen.get(group) ?? []), (JSON.parse(body) as { jobId: string }).jobId])
        expect(group).toMatch(/^[0-9a-f]{64}$/)
      }
      await sqs.settle(url, got.messages, [])
    }
    expect([...seen.values()]).toEqual(expect.arrayContaining([[jobs[0], jobs[2]], [jobs[1]], [jobs[0], jobs[0]]]))
  })

  test('delivers a message to a separate worker, which processes and deletes it', async () => {
    const { url } = await sqs.queue('own')
    const { made, traveller } = await signInTraveller(sqs, url)
    const worker = sqsWorker(made.service, { queueUrl: url, client: sqs.client, logger, waitSeconds: 1 })
    const jobId = await traveller.send(makeSentTraces(4))
    await expect.poll(async () => (await traveller.job(jobId))['status'], { timeout: 10_000 }).toBe('done')
    await expect.poll(() => sqs.count(url), { timeout: 5_000 }).toBe(0)
    await worker.stop()
  })

  test('makes messages of a stopped worker visible again immediately', async () => {
    const { url } = await sqs.queue('stopped')
    const { traveller } = await signInTraveller(sqs, url)
    const held = await traveller.send(makeSentTraces(1, 60, 'held'))
    let asked = 0
    const slow = {
      work: ({ signal }: { signal?: AbortSignal } = {}) =>
        new Promise<{ done: number; failed: number; later: number }>((resolve) => {
          asked++
          signal!.addEventListener('abort', () => resolve({ done: 0, failed: 0, later: 1 }))
        }),
    }
    const stopped = sqsWorker(slow, { queueUrl: url, client: sqs.client, logger, waitSeconds: 1 })
    await expect.poll(() => asked, { timeout: 5_000 }).toBe(1)
    await stopped.stop()
    const again = await sqs.batch(url, 2)
    expect(JSON.parse(again!.event.Records[0]!.body)).toEqual({ jobId: held })
  })
})
