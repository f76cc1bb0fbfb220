import { fixture, recordingMailer } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { memoryStores } from '../../stores/memory/index.ts'

const adminToken = 'operator-'.repeat(3)

test('GET /admin/outbox shows sent, failed and unknown mails', async () => {
  let mood: Error | null = null
  const mailer = recordingMailer({
    send: async ({ to }) => {
      if (to === 'desk@example.com' && mood) throw mood
    },
  })
  const { ask, signIn, service, clock } = fixture({
    stores: memoryStores(),
    adminToken,
    mailer,
    contactEmail: 'desk@example.com',
  })
  const { bearer } = await signIn()
  const write = async (message: string, then: Error | null) => {
    mood = then
    await ask('POST', '/api/cli/feedback', { headers: bearer, json: { message } })
    await service.work()
    clock.advance(1000)
  }
  await write('went out', null)
  await write('was refused', new Error('550 <b>no such box</b>'))
  await write('broke off', Object.assign(new Error('gone'), { uncertain: true }))
  const { cookies } = await ask('POST', '/admin/sign-in', { form: { token: adminToken } })
  const [[name, value]] = Object.entries(cookies) as [[string, string]]
  const page = async (filter = '') =>
    (await ask('GET', `/admin/outbox${filter}`, { headers: { cookie: `${name}=${value}` } })).text
  const all = await page()
  for (const subject of ['went out', 'was refused', 'broke off']) expect(all).toContain(`Feedback: ${subject}`)
  expect(all).toContain('550 &lt;b&gt;no such box&lt;/b&gt;')
  const unknown = await page('?filter=unknown')
  expect(unknown).toContain('broke off')
  expect(unknown).not.toContain('went out')
  expect(await page('?filter=dead')).toContain('data-empty')
})

test('POST /admin/outbox/resend sends a dead mail again, once', async () => {
  let isDown = true
  const mailer = recordingMailer({
    send: async () => {
      if (isDown) throw new Error('550 no such box')
    },
  })
  const stores = memoryStores()
  const made = fixture({ stores, adminToken, mailer, contactEmail: 'desk@example.com' })
  const { bearer } = await made.signIn()
  await made.ask('POST', '/api/cli/feedback', { headers: bearer, json: { message: 'hello' } })
  for (let attempt = 0; attempt < 8; attempt++) {
    await made.service.work()
    made.clock.advance(24 * 3_600_000)
  }
  const { cookies } = await made.ask('POST', '/admin/sign-in', { form: { token: adminToken } })
  const [[name, value]] = Object.entries(cookies) as [[string, string]]
  const headers = { cookie: `${name}=${value}` }
  const dead = (await made.ask('GET', '/admin/outbox?filter=dead', { headers })).text
  expect(dead).toContain('aria-label="Send again: ')
  const id = /name="id" value="([^"]+)"/.exec(dead)![1]!
  isDown = false
  const results = [1, 2].map(() => made.ask('POST', '/admin/outbox/resend', { headers, form: { id, filter: 'dead' } }))
  const locations = (await Promise.all(results)).map((reply) => reply.headers.get('location'))
  expect(locations.sort()).toEqual(['/admin/outbox?filter=dead&done=not_dead', '/admin/outbox?filter=dead&done=resent'])
  await made.service.work()
  expect(await stores.outbox.list({ status: 'sent', cursor: null, limit: 9 })).toMatchObject([{ id }])
})

test('GET /api/admin/outbox returns pages to the operator and 401 to others', async () => {
  const { ask, signIn, service, clock } = fixture({
    stores: memoryStores(),
    adminToken,
    contactEmail: 'desk@example.com',
  })
  const { bearer } = await signIn()
  for (let i = 0; i < 3; i++) {
    await ask('POST', '/api/cli/feedback', { headers: bearer, json: { message: `message ${i}` } })
    clock.advance(1000)
  }
  await service.work()
  const list = async (query: string) =>
    (await ask('GET', `/api/admin/outbox${query}`, { headers: { authorization: `Bearer ${adminToken}` } })).json
  const first = await list('?limit=2')
  expect(first.items.map(({ subject, status, channel }: Record<string, string>) => [subject, status, channel])).toEqual(
    [
      ['[Tributary] Feedback: message 2', 'sent', 'mail'],
      ['[Tributary] Feedback: message 1', 'sent', 'mail'],
    ],
  )
  expect(await list(`?limit=2&cursor=${first.nextCursor}`)).toMatchObject({
    items: [{ subject: '[Tributary] Feedback: message 0' }],
    nextCursor: null,
  })
  expect((await list('?status=dead')).items).toEqual([])
  expect((await ask('GET', '/api/admin/outbox', { headers: bearer })).status).toBe(401)
})
