import { expect, test } from 'vitest'
import type { Logger } from '../ports.ts'
import type { Service } from './create.ts'
import { startWorkerLoop } from './polling.ts'

const logger: Logger = { info() {}, warn() {}, error() {} }
const done = { done: 0, failed: 0, later: 0 }
const yieldOnce = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Returns a worker whose two loops count their polls; the loop of jobs works until the given promise resolves. */
function createLoops() {
  const looks = { jobs: 0, outbox: 0 }
  const ended: string[] = []
  let working = Promise.resolve()
  const work: Service['work'] = async ({ signal, wait } = {}) => {
    const runLoop = async (name: 'jobs' | 'outbox', busy: () => Promise<void>): Promise<void> => {
      while (!signal?.aborted) {
        looks[name]++
        await busy()
        await wait!(name)
      }
      ended.push(name)
    }
    await Promise.all([runLoop('jobs', () => working), runLoop('outbox', async () => undefined)])
    return done
  }
  return { looks, ended, work, keep: (until: Promise<void>) => void (working = until) }
}

test('wake makes both loops poll immediately', async () => {
  const { looks, work } = createLoops()
  const running = startWorkerLoop(work, logger)
  await yieldOnce()
  expect(looks).toEqual({ jobs: 1, outbox: 1 })
  running.wake()
  await yieldOnce()
  expect(looks).toEqual({ jobs: 2, outbox: 2 })
  await running.stop()
})

test('wake during a poll makes that loop poll once more', async () => {
  const { looks, work, keep } = createLoops()
  let finish = (): void => undefined
  keep(new Promise((resolve) => (finish = resolve)))
  const running = startWorkerLoop(work, logger)
  await yieldOnce()
  running.wake()
  await yieldOnce()
  expect(looks).toEqual({ jobs: 1, outbox: 2 })
  finish()
  await yieldOnce()
  expect(looks).toEqual({ jobs: 2, outbox: 2 })
  await yieldOnce()
  expect(looks).toEqual({ jobs: 2, outbox: 2 })
  await running.stop()
})

test('stop ends both loops without another poll', async () => {
  const { looks, ended, work } = createLoops()
  const running = startWorkerLoop(work, logger)
  await yieldOnce()
  const stopping = running.stop()
  await yieldOnce()
  expect([ended.toSorted(), looks]).toEqual([['jobs', 'outbox'], { jobs: 1, outbox: 1 }])
  await stopping
})
