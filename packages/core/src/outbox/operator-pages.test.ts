import { createTestStores, fixture, createRecordingMailer } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import type { Html } from '../ui/html.ts'
import { outboxSection } from './operator-pages.ts'

const adminToken = 'operator-'.repeat(3)

test('GET /admin/outbox shows sent, failed and unknown mails', async () => {
  let mood: Error | null = null
  const mailer = createRecordingMailer({
    send: async ({ to }) => {
      if (to === 'desk@example.com' && mood) throw mood
    },
  })
  const { ask, signIn, service, clock } = fixture({
    stores: createTestStores(),
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
  const all = await page('?filter=all')
  for (const subject of ['went out', 'was refused', 'broke off']) expect(all).toContain(`Feedback: ${subject}`)
  expect(all).toContain('550 &lt;b&gt;no such box&lt;/b&gt;')
  const unknown = await page('?filter=unknown')
  expect(unknown).toContain('broke off')
  expect(unknown).not.toContain('went out')
  expect(await page()).toContain('No delivery has failed.')
})

/** Returns a service with `count` mails whose last attempt failed, and an operator's session. */
async function withDeadMails(count: number) {
  let isDown = true
  const mailer = createRecordingMailer({
    send: async ({ to }) => {
      if (isDown && to === 'desk@example.com') throw new Error('550 no such box')
    },
  })
  const stores = createTestStores()
  const made = fixture({ stores, adminToken, mailer, contactEmail: 'desk@example.com' })
  const { bearer } = await made.signIn()
  for (let n = 0; n < count; n++)
    await made.ask('POST', '/api/cli/feedback', { headers: bearer, json: { message: `hello ${n}` } })
  for (let attempt = 0; attempt < 8 * count; attempt++) {
    await made.service.work()
    made.clock.advance(13 * 3_600_000)
  }
  const { cookies } = await made.ask('POST', '/admin/sign-in', { form: { token: adminToken } })
  const [[name, value]] = Object.entries(cookies) as [[string, string]]
  const headers = { cookie: `${name}=${value}` }
  return {
    ...made,
    stores,
    show: async (path: string) => (await made.ask('GET', path.replaceAll('&amp;', '&'), { headers })).text,
    post: async (path: string, form: Record<string, string>) => {
      const reply = await made.ask('POST', path, { headers, form })
      return { location: reply.headers.get('location'), flash: reply.flash, page: () => made.follow(reply, headers) }
    },
    bringUp: () => (isDown = false),
  }
}

/** Returns the hidden fields of the form that posts to a path. */
const readFields = (page: string, path: string): Record<string, string> => {
  const form = page.slice(page.indexOf(`action="${path}"`)).split('</form>')[0]!
  return Object.fromEntries(
    [...form.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  )
}

describe('POST /admin/outbox/resend', () => {
  test('sends a dead mail again once when the form is submitted twice', async () => {
    const { show, post, bringUp, service, stores } = await withDeadMails(1)
    const dead = await show('/admin/outbox?filter=dead')
    expect(dead).toContain('aria-label="Send again: ')
    const id = /name="id" value="([^"]+)"/.exec(dead)![1]!
    bringUp()
    const replies = await Promise.all(
      [1, 2].map(() => post('/admin/outbox/resend', { status: 'dead', id, filter: 'dead' })),
    )
    for (const { location } of replies) expect(location).toBe('/admin/outbox?filter=dead')
    expect(replies.map(({ flash }) => flash)).toEqual(
      expect.arrayContaining([{ done: 'not_resent' }, { done: 'resent', counts: [1] }]),
    )
    await service.work()
    expect((await stores.outbox.list({ status: 'sent', cursor: null, limit: 9 })).items).toMatchObject([{ id }])
  })

  test('resends all dead mails that the page counted', async () => {
    const { show, post, stores } = await withDeadMails(3)
    const dead = await show('/admin/outbox?filter=dead')
    expect(dead).toContain('Failed <span class="count">3</span>')
    expect(dead).toMatch(/>\s*Send 3 deliveries again\s*</)
    const resent = await post('/admin/outbox/resend', readFields(dead, '/admin/outbox/resend'))
    expect(resent.location).toBe('/admin/outbox?filter=dead')
    expect((await resent.page()).text).toContain('3 deliveries are queued again')
    expect(await stores.outbox.countUnsent()).toMatchObject({ waiting: 3, dead: 0 })
  })
})

describe('POST /admin/outbox/delete', () => {
  test('deletes all dead mails after a confirmation, but not mails that failed after the confirmation was shown', async () => {
    const { show, post, stores, clock } = await withDeadMails(2)
    const link = /href="([^"]+confirm=all[^"]*)"/.exec(await show('/admin/outbox?filter=dead'))![1]!
    const question = await show(link)
    expect(question).toContain('Delete 2 failed deliveries?')
    expect(question).toMatch(/e-mails<\/span> to <bdi[^>]*>desk@example\.com</)
    clock.advance(1000)
    const late = {
      id: '019a0000-0000-7000-8000-000000000001',
      channel: 'mail',
      subject: 'late',
      payload: 'late',
    } as const
    await stores.outbox.enqueue({ ...late, recipient: 'a@example.com', createdAt: clock() })
    const { lease } = (await stores.outbox.claimMail({
      lease: 'l',
      now: clock(),
      until: clock() + 1000,
      limits: { perHour: 9, digestAfterMs: 1, maxDigestEntries: 9 },
    }))!
    await stores.outbox.fail({ lease, ids: [late.id], status: 'dead', error: 'refused', now: clock() })
    const deleted = await post('/admin/outbox/delete', readFields(question, '/admin/outbox/delete'))
    expect([deleted.location, deleted.flash]).toEqual(['/admin/outbox?filter=dead', { done: 'deleted', counts: [2] }])
    expect((await stores.outbox.list({ cursor: null, limit: 9 })).items).toMatchObject([{ subject: 'late' }])
  })

  test('deletes one dead mail after a confirmation that names the mail', async () => {
    const { show, post, stores } = await withDeadMails(2)
    const link = /href="([^"]+confirm=0[^"]*)"/.exec(await show('/admin/outbox?filter=dead'))![1]!
    const question = await show(link)
    expect(question).toContain('hello 1</bdi> to ')
    const fields = readFields(question, '/admin/outbox/delete')
    expect((await post('/admin/outbox/delete', fields)).flash).toEqual({ done: 'deleted', counts: [1] })
    expect((await post('/admin/outbox/delete', fields)).flash).toEqual({ done: 'not_deleted' })
    expect(await stores.outbox.countUnsent()).toMatchObject({ dead: 1 })
  })
})

describe('/api/admin/outbox/resend and /api/admin/outbox/delete', () => {
  test('change the given entries, or all entries with the status', async () => {
    const { ask, stores, clock } = await withDeadMails(3)
    const headers = { authorization: `Bearer ${adminToken}` }
    const [first] = (await stores.outbox.list({ status: 'dead', cursor: null, limit: 1 })).items
    const until = new Date(clock() - 30 * 24 * 3_600_000).toISOString()
    const post = async (path: string, json: object) =>
      (await ask('POST', `/api/admin/outbox/${path}`, { headers, json })).json
    expect(await post('resend', { status: 'dead', ids: [first!.id] })).toEqual({ ok: true, resent: 1 })
    expect(await post('resend', { status: 'dead', until })).toEqual({ ok: true, resent: 0 })
    expect(await post('delete', { status: 'dead', until })).toEqual({ ok: true, deleted: 0 })
    expect(await post('delete', { status: 'dead' })).toEqual({ ok: true, deleted: 2 })
    for (const [path, json] of [
      ['resend', {}],
      ['resend', { status: 'unknown' }],
      ['delete', { status: 'sent' }],
      ['delete', { status: 'dead', ids: [] }],
    ] as const)
      expect(await post(path, json)).toMatchObject({ ok: false, error: 'invalid_body' })
  })
})

test('GET /api/admin/outbox returns pages to the operator and 401 to others', async () => {
  const { ask, signIn, service, clock } = fixture({
    stores: createTestStores(),
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

describe('the list of dead deliveries', () => {
  const at = '2026-11-20T12:00:00.000Z'
  const makeEntry = (id: string, recipient: string, lastError: string) => ({
    id,
    channel: 'webhook' as const,
    status: 'dead' as const,
    recipient,
    subject: 'job.completed',
    attempts: 2,
    lastError,
    requestId: null,
    canResend: recipient === 'on',
    createdAt: at,
    dueAt: at,
    finishedAt: at,
  })
  const readList = async (
    recipients: readonly string[],
    nextCursor: string | null = null,
    lastError = 'answered 503',
  ) => {
    const unused = async () => ({ resent: 0, deleted: 0 })
    const section = outboxSection({
      list: async () => ({
        items: recipients.map((recipient, n) => makeEntry(`id-${n}`, recipient, lastError)),
        nextCursor,
      }),
      count: async () => ({ dead: recipients.length }),
      listWebhooks: async () =>
        new Map([
          ['on', { url: 'https://on.example', isEnabled: true }],
          ['off', { url: 'https://off.example', isEnabled: false }],
        ]),
      resend: unused,
      remove: unused,
    })
    const shown = { prefix: '', filter: 'dead', cursor: null, counts: { dead: recipients.length }, query: {} }
    const operator = { name: 'jane', role: 'operator', sessionHash: '', signedInAt: 0 } as const
    const page = await section.show({ ...shown, operator, now: 0, formKey: '', problem: null })
    return (page as Html).text
  }

  test('offers a resend only for the entries that can be sent, and says once why the other entries cannot be sent', async () => {
    const none = await readList(['off', 'gone', 'off'])
    expect(none).not.toContain('/admin/outbox/resend')
    expect(none.split('class="notice info"')).toHaveLength(2)
    expect(none.split('that are not enabled')).toHaveLength(2)
    const some = await readList(['off', 'on'])
    expect(some.split('action="/admin/outbox/resend"')).toHaveLength(3)
    expect(some).toContain('admin.outbox.resendAll\u00021\u0002')
    expect(await readList(['on'])).not.toContain('not enabled')
  })

  test('says when a delivery was stopped, with the answer to its last attempt', async () => {
    const stopped = await readList(['off'], null, 'answered 503; the webhook was disabled')
    expect(stopped).toContain('answered 503')
    const texts = [stopped, await readList(['off'])]
    expect(texts.map((text) => /admin\.outbox\.(?:stopped|lastAttempt)/.exec(text)?.[0])).toEqual([
      'admin.outbox.stopped',
      'admin.outbox.lastAttempt',
    ])
  })

  test('does not show how many deliveries can be sent again if the list has further pages', async () => {
    expect(await readList(['off'], 'next')).toContain('Send all again')
  })
})
