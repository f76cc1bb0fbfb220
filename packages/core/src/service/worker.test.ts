import { createTestStores } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { createWorker } from './worker.ts'

/** Returns a worker, and counts how often it yields to the event loop. */
function countYields(onYield: (count: number) => void = () => undefined) {
  const yields = { count: 0 }
  const yieldToEventLoop = async (): Promise<void> => onYield(++yields.count)
  return { yields, worker: createWorker({ baseUrl: 'http://127.0.0.1', stores: createTestStores(), yieldToEventLoop }) }
}

test('warmUp yields to the event loop between many small steps', async () => {
  const { yields, worker } = countYields()
  await worker.warmUp()
  expect(yields.count).toBeGreaterThan(10)
})

test('warmUp ends at the next step once its signal is aborted', async () => {
  const end = new AbortController()
  const { yields, worker } = countYields((count) => count === 3 && end.abort())
  await worker.warmUp(end.signal)
  expect(yields.count).toBe(3)
})

test('warmUp does not reject when a step throws', async () => {
  const { worker } = countYields(() => {
    throw new Error('gone')
  })
  await expect(worker.warmUp()).resolves.toBeUndefined()
})
