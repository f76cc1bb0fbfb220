import type { SQSEvent, SQSRecord } from 'aws-lambda'
import {
  createTestStores,
  fixture,
  lambdaHost,
  makeSentTraces,
  createTraveller,
  type Fixture,
  type Traveller,
} from '@tributary/test-kit'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  lambdaPlatform,
  toLambdaHandler,
  toQueueHandler,
  toScheduleHandler,
  UnsupportedEvent,
  type Visibility,
} from './index.ts'
import { formatJobMessage } from './queue.ts'

const makeRecord = (
  messageId: string,
  body: string,
  { group, received = 1, queue = 'q.fifo' }: { group?: string; received?: number; queue?: string } = {},
): SQSRecord => ({
  messageId,
  body,
  receiptHandle: `handle-${messageId}`,
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  awsRegion: 'us-east-1',
  eventSourceARN: `arn:aws:sqs:us-east-1:123456789012:${queue}`,
  attributes: {
    ApproximateReceiveCount: String(received),
    SentTimestamp: '1',
    SenderId: 'x',
    ApproximateFirstReceiveTimestamp: '1',
    ...(group === undefined ? {} : { MessageGroupId: group }),
  },
})
const makeEvent = (...Records: SQSRecord[]): SQSEvent => ({ Records })
const makeFailures = (...ids: string[]) => ({ batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })) })
const silent = { info() {}, warn() {}, error() {} }
const id = (n: number): string => `00000000-0000-7000-8000-00000000000${n}`

type Ends = 'done' | 'failed' | 'later' | 'throws'
/** Ends each job with the result that `ends` contains, and records the order of the jobs. */
function createScriptedService(ends: Record<string, Ends>) {
  const worked: string[] = []
  return {
    worked,
    async work({ jobId = '' }: { jobId?: string } = {}) {
      worked.push(jobId)
      const end = ends[jobId] ?? 'done'
      if (end === 'throws') throw new Error('the store does not answer')
      return { done: 0, failed: 0, later: 0, [end]: 1 }
    },
  }
}

function recordVisibility(): Visibility & { calls: [string[], number][] } {
  const calls: [string[], number][] = []
  return {
    calls,
    hide: async (records, seconds) => void calls.push([records.map(({ messageId }) => messageId), seconds]),
  }
}

describe('toQueueHandler: a batch', () => {
  test.each([
    [{}],
    [null],
    [{ Records: [{ eventSource: 'aws:s3' }] }],
    [{ Records: [{ eventSource: 'aws:sqs', messageId: 'a' }] }],
  ])('refuses %j', async (odd) => {
    await expect(toQueueHandler(createScriptedService({}))(odd as never)).rejects.toBeInstanceOf(UnsupportedEvent)
  })

  test('reports exactly the messages whose jobs are not done', async () => {
    const service = createScriptedService({ [id(2)]: 'later', [id(3)]: 'failed', [id(4)]: 'throws' })
    const asked = [
      makeRecord('a', formatJobMessage(id(1))),
      makeRecord('b', formatJobMessage(id(2))),
      makeRecord('c', formatJobMessage(id(3))),
      makeRecord('d', formatJobMessage(id(4))),
      makeRecord('e', formatJobMessage(id(5))),
      makeRecord('f', 'no job'),
      makeRecord('g', '{"jobId":"x"}'),
    ]
    expect(await toQueueHandler(service)(makeEvent(...asked))).toEqual(makeFailures('b', 'c', 'd', 'f', 'g'))
    expect(service.worked).toEqual([id(1), id(2), id(3), id(4), id(5)])
    expect(await toQueueHandler(service)(makeEvent())).toEqual(makeFailures())
  })

  test('does not keep the order within a group of a standard queue', async () => {
    const service = createScriptedService({ [id(1)]: 'later', [id(2)]: 'done' })
    const asked = [1, 2].map((n) => makeRecord(`a${n}`, formatJobMessage(id(n)), { group: 'a', queue: 'q' }))
    expect(await toQueueHandler(service)(makeEvent(...asked))).toEqual(makeFailures('a1'))
  })

  test('keeps the order of each group of a FIFO queue: after an unfinished message the rest of its group waits', async () => {
    const service = createScriptedService({ [id(2)]: 'later' })
    const asked = [
      makeRecord('a1', formatJobMessage(id(1)), { group: 'a' }),
      makeRecord('b1', formatJobMessage(id(4)), { group: 'b' }),
      makeRecord('a2', formatJobMessage(id(2)), { group: 'a' }),
      makeRecord('a3', formatJobMessage(id(3)), { group: 'a' }),
      makeRecord('b2', formatJobMessage(id(5)), { group: 'b' }),
    ]
    expect(await toQueueHandler(service)(makeEvent(...asked))).toEqual(makeFailures('a2', 'a3'))
    expect(service.worked).toEqual([id(1), id(4), id(2), id(5)])
  })

  test('does not start a job and returns every message immediately when no time is left', async () => {
    const [service, visibility] = [createScriptedService({}), recordVisibility()]
    const handler = toQueueHandler(service, { visibility })
    expect(
      await handler(makeEvent(makeRecord('a', formatJobMessage(id(1))), makeRecord('b', formatJobMessage(id(2)))), {
        getRemainingTimeInMillis: () => 4_999,
      }),
    ).toEqual(makeFailures('a', 'b'))
    expect(service.worked).toEqual([])
    expect(visibility.calls.slice(1)).toEqual([
      [['a'], 0],
      [['b'], 0],
    ])
  })
})

test('toQueueHandler warms a worker up once, before the first batch', async () => {
  let warmUps = 0
  const handler = toQueueHandler({ ...createScriptedService({}), warmUp: async () => void warmUps++ })
  expect(warmUps).toBe(1)
  await handler(makeEvent())
  expect(warmUps).toBe(1)
})

describe('toQueueHandler: visibility', () => {
  afterEach(() => vi.useRealTimers())

  test('hides every unfinished message of the batch for the duration of a lease, and renews this visibility timeout', async () => {
    vi.useFakeTimers()
    const visibility = recordVisibility()
    let finish: () => void = () => undefined
    const service = {
      work: () =>
        new Promise<{ done: number; failed: number; later: number }>(
          (resolve) => (finish = () => resolve({ done: 1, failed: 0, later: 0 })),
        ),
    }
    const ended = toQueueHandler(service, { visibility })(
      makeEvent(makeRecord('a', formatJobMessage(id(1))), makeRecord('b', formatJobMessage(id(2)))),
    )
    await vi.advanceTimersByTimeAsync(10_000)
    finish()
    await vi.advanceTimersByTimeAsync(10_000)
    finish()
    expect(await ended).toEqual(makeFailures())
    expect(visibility.calls).toEqual([
      [['a', 'b'], 31],
      [['a', 'b'], 31],
      [['b'], 31],
    ])
    await vi.advanceTimersByTimeAsync(60_000)
    expect(visibility.calls).toHaveLength(3)
  })

  test.each([
    [1, 6],
    [2, 31],
    [3, 121],
    [4, 601],
    [9, 601],
  ])(
    'after receipt %i, hides a message whose job waits for the end of an outage for %i seconds',
    async (received, seconds) => {
      const visibility = recordVisibility()
      await toQueueHandler(createScriptedService({ [id(1)]: 'throws' }), { visibility })(
        makeEvent(makeRecord('a', formatJobMessage(id(1)), { received })),
      )
      expect(visibility.calls.at(-1)).toEqual([['a'], seconds])
    },
  )

  test('continues when the visibility cannot be changed', async () => {
    const service = createScriptedService({})
    const broken: Visibility = { hide: () => Promise.reject(new Error('throttled')) }
    expect(
      await toQueueHandler(service, { visibility: broken })(makeEvent(makeRecord('a', formatJobMessage(id(1))))),
    ).toEqual(makeFailures())
  })
})

describe('toQueueHandler with a service', () => {
  async function signInTraveller(
    options: Partial<Parameters<typeof fixture>[0]> = {},
  ): Promise<{ made: Fixture; traveller: Traveller }> {
    const made = fixture({
      stores: createTestStores(),
      approval: 'automatic',
      country: () => 'US',
      ...lambdaPlatform(),
      logger: silent,
      ...options,
    })
    const handler = toLambdaHandler(made.service)
    const { request } = lambdaHost((given) => handler(given as never), { gateway: 'http' })
    return {
      made,
      traveller: await createTraveller({
        request,
        email: 'queue@example.com',
        code: (email) => made.mailer.code(email),
      }),
    }
  }

  // promise: message-may-come-twice
  test('processes each job once when messages are delivered twice or out of order', async () => {
    const { made, traveller } = await signInTraveller()
    const [first, second] = [
      await traveller.send(makeSentTraces(3)),
      await traveller.send(makeSentTraces(2, 60, 'other')),
    ]
    const handler = toQueueHandler(made.service)
    const asked = makeEvent(
      makeRecord('b', formatJobMessage(second)),
      makeRecord('a', formatJobMessage(first)),
      makeRecord('b-again', formatJobMessage(second)),
    )
    const [one, two] = await Promise.all([handler(asked), handler(asked)])
    // When two workers claim jobs concurrently, one of them may find that the other one holds the lease. The worker
    // without the lease reports its message as failed, and the message is delivered again.
    expect(one.batchItemFailures.length + two.batchItemFailures.length).toBeLessThanOrEqual(3)
    expect(await handler(asked)).toEqual(makeFailures())
    expect(await traveller.traces()).toHaveLength(5)
    expect(await traveller.job(first)).toMatchObject({ status: 'done', traceCount: 3 })
  })

  test('releases a job before each deadline and continues it in the next invocation', { tags: 'long' }, async () => {
    const { made, traveller } = await signInTraveller({
      yieldToEventLoop: () => new Promise((resolve) => setTimeout(resolve, 15)),
    })
    const jobId = await traveller.send(makeSentTraces(450))
    const handler = toQueueHandler(made.service, { marginMs: 1_000 })
    const counts: number[] = []
    let invocations = 0
    for (let left = 1; left > 0; invocations++) {
      left = (
        await handler(makeEvent(makeRecord('a', formatJobMessage(jobId))), { getRemainingTimeInMillis: () => 1_050 })
      ).batchItemFailures.length
      counts.push((await traveller.outcomes(jobId)).length)
      if (invocations > 200) throw new Error('it does not get on')
    }
    expect(invocations).toBeGreaterThan(1)
    expect(counts).toEqual(counts.toSorted((a, b) => a - b))
    expect(await traveller.job(jobId)).toMatchObject({ status: 'done', traceCount: 450 })
    expect(await traveller.outcomes(jobId)).toEqual(Array.from({ length: 450 }, () => 'stored'))
  })

  test('fails a job after its attempts and returns its message until it is a dead letter', async () => {
    const stores = createTestStores()
    const { made, traveller } = await signInTraveller({ stores })
    const jobId = await traveller.send(makeSentTraces(1))
    for (const key of await stores.blobs.stale(Number.MAX_SAFE_INTEGER, 10, '')) await stores.blobs.delete(key)
    const visibility = recordVisibility()
    const handler = toQueueHandler(made.service, { visibility })
    for (let received = 1; received <= 6; received++) {
      expect(await handler(makeEvent(makeRecord('a', formatJobMessage(jobId), { received })))).toEqual(
        makeFailures('a'),
      )
      made.clock.advance(visibility.calls.at(-1)![1] * 1000)
    }
    expect(await traveller.job(jobId)).toMatchObject({ status: 'failed', traceCount: 0 })
    expect(visibility.calls.map(([, seconds]) => seconds)).toEqual([31, 6, 31, 31, 31, 121, 31, 601, 31, 0, 31, 0])
  })

  test('continues the job of a killed worker right after its lease expires, and waits longer from the sixth receipt on', async () => {
    const stores = createTestStores()
    const { made, traveller } = await signInTraveller({ stores })
    const jobId = await traveller.send(makeSentTraces(3))
    const now = made.clock()
    expect(await stores.ingest.claimJob({ lease: 'killed', now, leaseUntil: now + 30_000, jobId })).not.toBeNull()
    const visibility = recordVisibility()
    const receive = (received: number) =>
      toQueueHandler(made.service, { visibility })(makeEvent(makeRecord('a', formatJobMessage(jobId), { received })))
    made.clock.advance(21_000)
    expect(await receive(4)).toEqual(makeFailures('a'))
    expect(visibility.calls.at(-1)).toEqual([['a'], 10])
    expect(await receive(6)).toEqual(makeFailures('a'))
    expect(visibility.calls.at(-1)).toEqual([['a'], 121])
    made.clock.advance(10_000)
    expect(await receive(5)).toEqual(makeFailures())
    expect(await traveller.job(jobId)).toMatchObject({ status: 'done', traceCount: 3 })
  })

  test('toScheduleHandler processes jobs without a message and reports whether work is left', async () => {
    const { made, traveller } = await signInTraveller()
    await traveller.send(makeSentTraces(2))
    const handler = toScheduleHandler(made.service)
    expect(await handler({}, { getRemainingTimeInMillis: () => 1_000 })).toEqual({
      done: 0,
      failed: 0,
      later: 0,
      more: true,
    })
    expect(await handler({}, { getRemainingTimeInMillis: () => 60_000 })).toEqual({
      done: 1,
      failed: 0,
      later: 0,
      more: false,
    })
    expect(await traveller.traces()).toHaveLength(2)
  })
})
