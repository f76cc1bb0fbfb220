import { fixture, temporaryDatabase } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { libsqlStores } from '../libsql/index.ts'
import { memoryStores } from '../memory/index.ts'
import type { Stores } from '../stores.ts'

const kinds: [string, () => Promise<{ stores: Stores; close(): Promise<void> }>][] = [
  ['memory', async () => ({ stores: memoryStores(), close: async () => undefined })],
  ['libSQL', async () => {
    const { client, close } = await temporaryDatabase()
    return { stores: libsqlStores(client), close }
  }],
]

test.each(kinds)('10,000 reports in a minute from one address on %s: a hundred are kept, and nobody else notices', async (_, open) => {
  const { stores, close } = await open()
  let reads = 0
  const made = fixture({ stores, contactEmail: 'desk@example.com' })
  const ann = await made.signIn()
  // The same stores behind a service that counts.
  const held = fixture({ stores, contactEmail: 'desk@example.com', rates: {}, clock: made.clock, scrubber: {
    version: 'counting',
    scrub(texts) {
      reads++
      return { ok: true, texts: texts as never, counts: {}, total: 0 }
    },
  } })
  const statuses = new Map<number, number>()
  const post = (title: string, address: string) => held.ask('POST', '/api/v1/feedback', {
    json: { reporter: { agent_vendor: 'v', agent_product: 'p' }, subject: { surface: 's' }, content: { title } }, address,
  })
  for (let slice = 0; slice < 100; slice++) {
    const replies = await Promise.all(Array.from({ length: 100 }, (__, i) => post(`title ${slice} ${i}`, '192.0.2.66')))
    for (const { status } of replies) statuses.set(status, (statuses.get(status) ?? 0) + 1)
    made.clock.advance(600)
    // In between: another agent, and a person with a token.
    if (slice % 20 === 0) {
      expect((await post(`from elsewhere ${slice}`, '198.51.100.7')).status).toBe(201)
      expect((await held.ask('GET', '/api/cli/session', { headers: ann.bearer, address: '192.0.2.66' })).status).toBe(200)
    }
  }
  expect(Object.fromEntries(statuses)).toEqual({ 201: 100, 429: 9_900 })
  // What is over the rate is not even read.
  expect(reads).toBe(105)
  for (let look = 0; look < 5; look++) {
    await held.service.work()
    made.clock.advance(15 * 60_000)
  }
  const letters = held.mailer.mails
  expect(letters.length).toBeLessThanOrEqual(24)
  expect(letters.some(({ subject }) => /^\[Tributary\] \d+ messages$/.test(subject))).toBe(true)
  const told = letters.reduce((sum, { subject }) => sum + Number(/^\[Tributary\] (\d+) messages$/.exec(subject)?.[1] ?? 1), 0)
  expect(told).toBe(105)
  await close()
})
