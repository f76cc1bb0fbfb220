import { fixture, temporaryDatabase } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { libsqlStores } from '../stores/libsql/index.ts'

test('POST /api/v1/feedback accepts 100 of 10,000 reports in a minute from one address, and sends few mails', async () => {
  const { client, close } = await temporaryDatabase()
  const { service, mailer, clock } = fixture({
    stores: libsqlStores(client),
    contactEmail: 'desk@example.com',
    rates: {},
  })
  const send = async (n: number): Promise<number> => {
    const body = JSON.stringify({
      reporter: { agent_vendor: 'a', agent_product: 'b' },
      subject: { surface: 'c' },
      content: { title: `number ${n}` },
    })
    const request = new Request('http://127.0.0.1:8787/api/v1/feedback', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    return (await service.fetch(request, '192.0.2.1'))!.status
  }
  const answers = new Map<number, number>()
  for (let n = 0; n < 10_000; n += 100) {
    clock.advance(600)
    for (const status of await Promise.all(Array.from({ length: 100 }, (_, at) => send(n + at))))
      answers.set(status, (answers.get(status) ?? 0) + 1)
  }
  expect(Object.fromEntries(answers)).toEqual({ 201: 100, 429: 9_900 })
  await service.work()
  expect(mailer.mails).toHaveLength(1)
  expect(mailer.mails[0]!.text.match(/Agent report: number \d+/g)).toHaveLength(100)
  await close()
})
