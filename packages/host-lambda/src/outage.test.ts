import type { SQSEvent } from 'aws-lambda'
import { Unavailable } from '@tributary/core'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { toQueueHandler, toScheduleHandler } from './index.ts'
import { formatJobMessage } from './queue.ts'

const outage = new Unavailable(new Error('the connection broke'))
const nothing = { done: 0, failed: 0, later: 0 }

/** Creates a service whose `work` first rejects with these errors, one for each call, and then finds one job. */
function createFailingService(...errors: Error[]) {
  const work = vi.fn(async () => {
    const error = errors.shift()
    if (error) throw error
    return { ...nothing, done: 1 }
  })
  return { work }
}
const message = {
  messageId: 'a',
  body: formatJobMessage('00000000-0000-7000-8000-000000000001'),
  eventSource: 'aws:sqs',
  eventSourceARN: 'arn:aws:sqs:us-east-1:1:q',
  attributes: {},
}
const event = { Records: [message] } as unknown as SQSEvent
const reported = { batchItemFailures: [{ itemIdentifier: 'a' }] }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('toScheduleHandler: an outage of the store', () => {
  test('retries three times, so that a short outage has no effect', async () => {
    const service = createFailingService(outage, outage)
    const scheduled = toScheduleHandler(service)()
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await scheduled).toEqual({ ...nothing, done: 1, more: false })
  })

  test('rejects when the outage lasts longer, and rejects immediately for another error', async () => {
    const service = createFailingService(outage, outage, outage)
    const scheduled = toScheduleHandler(service)().catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await scheduled).toBe(outage)
    const broken = createFailingService(new TypeError('a bug'))
    await expect(toScheduleHandler(broken)()).rejects.toThrow('a bug')
    expect([service, broken].map(({ work }) => work.mock.calls.length)).toEqual([3, 1])
  })
})

describe('toQueueHandler: an outage of the store', () => {
  test('completes the message when the outage ends within three calls', async () => {
    const handled = toQueueHandler(createFailingService(outage))(event)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await handled).toEqual({ batchItemFailures: [] })
  })

  test("returns the message when the function's time ends before a retry, and does not retry", async () => {
    const service = createFailingService(outage)
    const handled = toQueueHandler(service)(event, { getRemainingTimeInMillis: () => 5_500 })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await handled).toEqual(reported)
    expect(service.work).toHaveBeenCalledTimes(1)
  })
})
