import { createServer } from 'node:http'
import { createTestStores, fixture, createRecordingMailer, type Fixture, type Signed } from '@tributary/test-kit'
import { beforeEach, describe, expect, test } from 'vitest'
import type { ServiceOptions } from '../service/options.ts'
import type { TelemetryRecord } from '../ports.ts'
import type { Stores } from '../stores.ts'
import { otlpSink } from './otlp.ts'

const adminToken = 'a-long-operator-token'
const full = {
  schema: 1,
  deviceId: 'device-1',
  cliVersion: '1.2.3',
  platform: 'linux',
  arch: 'x64',
  command: 'upload',
  sentAt: '2026-11-01T00:00:00Z',
  diagnostics: Array.from({ length: 200 }, (_, i) => ({ adapter: `adapter-${i}`, totalEntries: i, emptyParse: false })),
  events: Array.from({ length: 50 }, (_, i) => ({ name: `event-${i}`, properties: { n: i } })),
}

describe('telemetry and feedback', () => {
  let stores: Stores
  let made: Fixture
  let ann: Signed
  const open = async (options: Partial<ServiceOptions> = {}): Promise<void> => {
    stores = createTestStores()
    made = fixture({ stores, adminToken, contactEmail: 'team@example.com', ...options })
    ann = await made.signIn('ann@corp.io')
  }
  beforeEach(() => open())
  const sendReport = (json: unknown, headers = {}) =>
    made.ask('POST', '/api/cli/telemetry', { json, headers: { ...ann.bearer, ...headers } })
  const sendFeedback = (json: unknown) => made.ask('POST', '/api/cli/feedback', { json, headers: ann.bearer })
  const operator = { authorization: `Bearer ${adminToken}` }
  const listTeamMails = () => made.mailer.mails.filter(({ to }) => to === 'team@example.com')

  test('POST /api/cli/telemetry accepts a report at every limit, and refuses a report past any limit', async () => {
    expect((await sendReport(full)).json).toEqual({ ok: true, accepted: 250, forwarded: false })
    expect((await sendReport({ schema: 1, deviceId: 'd' })).json).toEqual({ ok: true, accepted: 0, forwarded: false })
    const wrong = [
      { ...full, diagnostics: [...full.diagnostics, { adapter: 'one more' }] },
      { ...full, events: [...full.events, { name: 'one more' }] },
      { ...full, schema: 2 },
      { ...full, deviceId: '' },
      { ...full, deviceId: 'd'.repeat(129) },
      { ...full, cliVersion: 'v'.repeat(33) },
      { ...full, command: 'c'.repeat(65) },
      { ...full, sentAt: 's'.repeat(41) },
      { ...full, diagnostics: [{}] },
      { ...full, events: [{ name: 'big', properties: { text: 'x'.repeat(8192) } }] },
      {
        ...full,
        events: [{ name: 'many', properties: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, 1])) }],
      },
    ]
    for (const body of wrong) expect((await sendReport(body)).json).toEqual({ ok: false, error: 'invalid_body' })
  })

  test.each([['dnt'], ['sec-gpc'], ['x-do-not-track']])(
    'POST /api/cli/telemetry with %s: 1 stores nothing',
    async (header) => {
      expect((await sendReport(full, { [header]: '1' })).json).toEqual({ ok: true, accepted: 0, forwarded: false })
      const kept = (await made.ask('GET', '/api/account/export', { headers: ann.bearer })).text
      expect(kept).not.toContain('adapter-7')
      await sendReport(full)
      expect((await made.ask('GET', '/api/account/export', { headers: ann.bearer })).text).toContain('adapter-7')
    },
  )

  test('a sink receives the stored, scrubbed items after the call; if it fails, the call succeeds and the sink is retried', async () => {
    const took: TelemetryRecord[] = []
    let down = true
    await open({
      telemetrySink: {
        name: 'test',
        take: async (reports) => {
          if (down) throw new Error('down')
          took.push(...reports)
        },
      },
    })
    expect((await sendReport({ ...full, command: 'mail jane@corp.io' })).json).toMatchObject({
      accepted: 250,
      forwarded: true,
    })
    expect(took).toEqual([])
    await made.service.work()
    down = false
    made.clock.advance(60_000)
    await made.service.work()
    expect(took).toMatchObject([{ deviceId: 'device-1', command: 'mail [EMAIL_1]' }])
  })

  test('a device id that is an e-mail address is scrubbed in reports and feedback; other device ids are stored unchanged', async () => {
    await sendReport({ schema: 1, deviceId: 'jane@corp.io' })
    await sendFeedback({ message: 'a', deviceId: 'jane@corp.io' })
    await sendFeedback({ message: 'b', deviceId: 'f3a9c2d1e4b5a6978877665544332211' })
    const exported = await made.ask('GET', '/api/account/export', { headers: ann.cookie })
    expect(exported.status).toBe(200)
    expect(exported.text).toContain('"deviceId":"[EMAIL_1]"')
    expect(exported.text).toContain('"deviceId":"f3a9c2d1e4b5a6978877665544332211"')
    expect(exported.text).not.toContain('jane@corp.io')
    const { json } = await made.ask('GET', '/api/admin/feedback', { headers: operator })
    expect(json['items']).toMatchObject([{ deviceId: 'f3a9c2d1e4b5a6978877665544332211' }, { deviceId: '[EMAIL_1]' }])
  })

  test('POST /api/cli/telemetry replaces NUL and lone surrogates in keys and texts of properties', async () => {
    const properties = { 'a\0': ['x\0\ud800'], 'escaped': '\\u0000 \u0001 \u{1f600}' }
    expect((await sendReport({ schema: 1, deviceId: 'd', events: [{ name: 'e', properties }] })).status).toBe(200)
    const [stored] = (await stores.telemetry.export({ ownerId: ann.userId })).reports
    const expected = { 'a\ufffd': ['x\ufffd\ufffd'], 'escaped': '\\u0000 \u0001 \u{1f600}' }
    expect(stored?.events).toEqual([{ name: 'e', properties: expected }])
  })

  test('POST /api/cli/telemetry exports each diagnostics item and event as a log record over OTLP', async () => {
    const bodies: { resourceLogs: { scopeLogs: { logRecords: unknown[] }[] }[] }[] = []
    const server = createServer(async (request, response) => {
      let text = ''
      for await (const chunk of request) text += String(chunk)
      bodies.push(JSON.parse(text))
      response.end('{}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    await open({ telemetrySink: otlpSink({ url: `http://127.0.0.1:${port}/v1/logs`, fetch: fetch as never }) })
    await sendReport(full)
    await made.service.work()
    server.closeAllConnections()
    server.close()
    expect(bodies.flatMap(({ resourceLogs }) => resourceLogs[0]!.scopeLogs[0]!.logRecords)).toHaveLength(250)
  })

  test('POST /api/cli/feedback stores the message scrubbed, mails it once, and shows it to the operator', async () => {
    const secret = 'abcdefghij0123456789ABCD'
    const message = `It broke.\r\nSubject: fake\nmy key is sk_live_${secret}`
    const { json } = await sendFeedback({ message, email: 'ann@corp.io', cliVersion: '1.0.0' })
    expect(json).toEqual({ ok: true, id: expect.any(String) })
    await made.service.work()
    await made.service.work()
    expect(listTeamMails()).toHaveLength(1)
    expect(listTeamMails()[0]!.subject).not.toMatch(/[\r\n]/)
    expect(listTeamMails()[0]!.text).toContain('> It broke.\n> Subject: fake')
    expect(listTeamMails()[0]!.text).not.toContain('abcdefghij0123456789')
    const { items } = (await made.ask('GET', '/api/admin/feedback', { headers: operator })).json
    expect(items).toMatchObject([{ id: json.id, userId: ann.userId, email: 'ann@corp.io', cliVersion: '1.0.0' }])
    expect(items[0].message).not.toContain('abcdefghij0123456789')
  })

  test('POST /api/cli/feedback returns all issues in one reply, and 429 for the 21st call in an hour', async () => {
    const answer = await sendFeedback({ message: '', email: '.a@b.c', platform: 'p'.repeat(33) })
    expect([
      answer.status,
      answer.json.error,
      answer.json.issues.map(({ path }: { path: string[] }) => path[0]),
    ]).toEqual([400, 'invalid_body', ['message', 'email', 'platform']])
    for (const email of ['a..b@c.de', 'a@b.c', 'a@b', 'a b@c.de'])
      expect((await sendFeedback({ message: 'x', email })).status).toBe(400)
    expect((await sendFeedback({ message: 'x'.repeat(20_000) })).status).toBe(200)
    expect((await sendFeedback({ message: 'x'.repeat(20_001) })).status).toBe(400)
    await open({ rates: {} })
    const statuses = await Promise.all(
      Array.from({ length: 25 }, () => sendFeedback({ message: 'hello' }).then(({ status }) => status)),
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(20)
    expect(statuses.filter((status) => status === 429)).toHaveLength(5)
  })

  test('POST /api/cli/telemetry returns 429 when one user sends more than 5 MB in a day', async () => {
    await open({ rates: {} })
    const bob = await made.signIn('bob@corp.io')
    const large = {
      schema: 1,
      deviceId: 'd',
      events: Array.from({ length: 30 }, (_, i) => ({ name: `e${i}`, properties: { text: 'x'.repeat(8_000) } })),
    }
    const bytes = JSON.stringify(large).length
    const most = Math.floor((5 * 1024 * 1024) / bytes)
    for (let i = 0; i < most; i++) expect((await sendReport(large)).status).toBe(200)
    const refused = await sendReport(large)
    expect([refused.status, refused.json]).toEqual([429, { ok: false, error: 'rate_limited' }])
    expect(refused.headers.get('ratelimit-policy')).toBe('"telemetry_bytes";q=5242880;w=86400;qu="content-bytes"')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_600)
    expect((await made.ask('POST', '/api/cli/telemetry', { json: large, headers: bob.bearer })).status).toBe(200)
    made.clock.advance(2 * 24 * 3_600_000)
    expect((await sendReport(large)).status).toBe(200)
  })

  test('POST /api/cli/telemetry does not limit bytes when rate limits are off', async () => {
    await open({ rates: { telemetry_bytes: 'off' } })
    for (let i = 0; i < 3; i++) expect((await sendReport(full)).status).toBe(200)
    await open({ rates: { telemetry_bytes: { limit: 100, windowMs: 1_000 } } })
    expect((await sendReport(full)).status).toBe(429)
    await open({ rates: 'off' })
    expect((await sendReport(full)).status).toBe(200)
  })

  test('a feedback mail is retried when the mail server is down, but not after a connection was lost during sending', async () => {
    let mood: 'down' | 'broke off' | 'up' = 'down'
    let asked = 0
    const mailer = createRecordingMailer({
      send: async ({ to }) => {
        if (to !== 'team@example.com') return
        asked++
        if (mood === 'down') throw new Error('refused')
        if (mood === 'broke off') throw Object.assign(new Error('gone'), { uncertain: true })
      },
    })
    await open({ mailer })
    await sendFeedback({ message: 'one' })
    await made.service.work()
    mood = 'up'
    made.clock.advance(31_000)
    await made.service.work()
    expect(asked).toBe(2)
    mood = 'broke off'
    await sendFeedback({ message: 'two' })
    await made.service.work()
    mood = 'up'
    made.clock.advance(24 * 3600_000)
    await made.service.work()
    expect(asked).toBe(3)
    const { items } = (await made.ask('GET', '/api/admin/outbox', { headers: operator })).json
    expect(items.map(({ status }: { status: string }) => status)).toEqual(['unknown', 'sent'])
  })

  test('a feedback mail is not sent again when the worker died during the sending', async () => {
    await sendFeedback({ message: 'one' })
    const now = made.clock()
    expect(
      await stores.outbox.claimMail({
        lease: 'dead-worker',
        now,
        until: now + 300_000,
        limits: { perHour: 20, digestAfterMs: 900_000, maxDigestEntries: 1000 },
      }),
    ).toMatchObject({ entries: [{ attempt: 1 }] })
    made.clock.advance(3600_000)
    await made.service.work()
    expect(listTeamMails()).toEqual([])
    expect((await made.ask('GET', '/api/admin/outbox?status=unknown', { headers: operator })).json.items).toHaveLength(
      1,
    )
  })

  test('feedback mails above twenty an hour are sent as one digest', async () => {
    for (let i = 0; i < 20; i++) await sendFeedback({ message: `message ${i}` })
    await made.service.work()
    expect(listTeamMails()).toHaveLength(20)
    for (let i = 0; i < 10; i++) await sendFeedback({ message: `later ${i}` })
    for (let i = 0; i < 6; i++) {
      await made.service.work()
      made.clock.advance(15 * 60_000)
    }
    expect(listTeamMails()).toHaveLength(21)
    expect(listTeamMails().at(-1)).toMatchObject({
      subject: '[Tributary] 10 messages',
      text: expect.stringContaining('later 9'),
    })
  })
})
