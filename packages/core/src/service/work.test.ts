import { createTestStores } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import type { Stores } from '../stores.ts'
import { silentLogger } from '../system.ts'
import { Unavailable } from '../unavailable.ts'
import { createWorker } from './worker.ts'

/** For each loop, a method of a store that it calls first, and the event that it logs during an outage. */
const loops = [
  { loop: 'jobs', store: 'ingest', method: 'claimJob', outage: 'ingest.worker.unavailable' },
  { loop: 'outbox', store: 'outbox', method: 'hasDue', outage: 'outbox.store.unavailable' },
  { loop: 'webhooks', store: 'webhooks', method: 'listDueWebhooks', outage: 'webhook.store.unavailable' },
  { loop: 'account', store: 'account', method: 'claimJob', outage: 'account.worker.store_unavailable' },
  { loop: 'rescrub', store: 'rescrub', method: 'getProgress', outage: 'traces.rescrub.postponed' },
  { loop: 'copies', store: 'copies', method: 'listUnfilledTraces', outage: 'copies.fill.postponed' },
] as const
type LoopCase = (typeof loops)[number]

/** Works until the loop waits, with a store whose method rejects with the error. Returns the logged warnings and errors. */
async function listEvents({ loop, store, method }: LoopCase, error: Error): Promise<unknown[]> {
  const stores = createTestStores()
  const events: unknown[] = []
  const record = (level: string) => (fields: object, event: string) => void events.push({ level, event, ...fields })
  const stop = new AbortController()
  await createWorker({
    baseUrl: 'http://127.0.0.1',
    stores: { ...stores, [store]: { ...stores[store], [method]: () => Promise.reject(error) } } as Stores,
    logger: { ...silentLogger, warn: record('warn'), error: record('error') },
  }).work({
    signal: stop.signal,
    async wait(waiting) {
      if (waiting === loop) stop.abort()
      while (!stop.signal.aborted) await new Promise((resolve) => setTimeout(resolve, 1))
    },
  })
  return events
}

describe('work', () => {
  test.each(loops)('logs a bug in the loop $loop as a bug', async (one) => {
    const bug = new Error('this statement is wrong')
    expect(await listEvents(one, bug)).toEqual([
      { level: 'error', event: 'worker.loop.failed', loop: one.loop, err: bug },
    ])
  })

  test.each(loops)('logs an outage of the store of the loop $loop as an outage', async (one) => {
    const outage = new Unavailable(new Error('gone'))
    expect(await listEvents(one, outage)).toEqual([{ level: 'warn', event: one.outage, err: outage }])
  })
})
