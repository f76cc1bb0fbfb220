import { fixture, seededRandom, type Fixture } from '@tributary/test-kit'
import { beforeEach, describe, expect, test } from 'vitest'
import { storeKinds } from '../auth/stores.fixture.ts'

const key = '0192f3c5-7b1a-7c3d-9a52-0f4e6d8b2a71'
const contactEmail = 'desk@example.com'
const day = 24 * 60 * 60 * 1000
const given = {
  reporter: { agent_vendor: 'example', agent_product: 'helper', agent_version: '1.4.2' },
  subject: { surface: 'POST /v1/hooks', domain: 'api.example.com', kind: 'api_endpoint' },
  signal: { category: 'docs_mismatch', severity: 'medium', reproducibility: 'always', confidence: 0.8 },
  content: {
    title: 'The documented example answers 422',
    summary: 'As in the guide.\nBoth times.',
    hypothesis: 'An old enum.',
  },
  evidence: [{ type: 'http_summary', content: '422 invalid_type' }],
}
const least = {
  reporter: { agent_vendor: 'a', agent_product: 'b' },
  subject: { surface: 'c' },
  content: { title: 'd' },
}

describe.each(storeKinds)('POST /api/v1/feedback on %s', (_, open) => {
  let made: Fixture
  beforeEach(async () => void (made = fixture({ stores: await open(), contactEmail })))
  const post = (json: unknown, headers: Record<string, string> = {}, one = made) =>
    one.ask('POST', '/api/v1/feedback', { json, headers })
  const listMails = async () => {
    await made.service.work()
    return made.mailer.mails
  }

  test('returns 201 with a receipt for a new report', async () => {
    const { status, json } = await post(given)
    expect(status).toBe(201)
    expect(json).toEqual({
      receipt: {
        id: expect.any(String),
        feedback_id: expect.any(String),
        status: 'accepted',
        evidence_ids: [expect.any(String)],
        duplicate_of: null,
        created_at: new Date(made.clock()).toISOString(),
      },
    })
    expect((await post(least)).json.receipt).toMatchObject({ status: 'accepted', evidence_ids: [] })
  })

  test('returns 200 with the same receipt for the same key and report, in any spelling of the key, and sends one mail', async () => {
    const first = await post(given, { 'idempotency-key': key })
    expect(first.status).toBe(201)
    const reordered = {
      content: given.content,
      evidence: given.evidence,
      signal: given.signal,
      subject: given.subject,
      reporter: given.reporter,
      unknown: 1,
    }
    for (const header of [key, `"${key}"`, key.toUpperCase(), ` "${key.toUpperCase()}" `]) {
      const again = await post(reordered, { 'idempotency-key': header })
      expect([again.status, again.json]).toEqual([200, first.json])
    }
    expect(await listMails()).toHaveLength(1)
  })

  test('returns 422 for a different report with the same key, also when only the evidence differs', async () => {
    await post(given, { 'idempotency-key': key })
    const other = await post({ ...given, evidence: [] }, { 'idempotency-key': key })
    expect([other.status, other.json]).toEqual([422, { error: 'idempotency_mismatch' }])
  })

  test('returns 422 for the same key when only a value that is redacted differs', async () => {
    const from = (address: string) => ({ ...least, content: { title: `Mail ${address}` } })
    expect((await post(from('jana.dorn@corp.io'), { 'idempotency-key': key })).status).toBe(201)
    const other = await post(from('john.roe@corp.io'), { 'idempotency-key': key })
    expect([other.status, other.json]).toEqual([422, { error: 'idempotency_mismatch' }])
    expect((await post(from('jana.dorn@corp.io'), { 'idempotency-key': key })).status).toBe(200)
  })

  test('stores only a hash of the report with the secret, and accepts the hash with a former secret', async () => {
    const stores = await open()
    const [old, fresh] = ['the old secret of this test', 'the new secret of this test']
    const send = (secret: string | string[]) =>
      post(given, { 'idempotency-key': key }, fixture({ stores, contactEmail, secret }))
    const first = await send(old)
    const again = await send([fresh, old])
    expect([first.status, again.status, again.json]).toEqual([201, 200, first.json])
    expect((await send(fresh)).status).toBe(422)
  })

  test('stores one report for 50 concurrent calls with one key', async () => {
    const replies = await Promise.all(Array.from({ length: 50 }, () => post(given, { 'idempotency-key': key })))
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
    const { receipt } = replies.find(({ status }) => status === 201)!.json
    const [repeated, refused] = [200, 409].map((code) => replies.filter(({ status }) => status === code)) as [
      typeof replies,
      typeof replies,
    ]
    expect(repeated.length + refused.length).toBe(49)
    for (const { json } of repeated) expect(json.receipt).toEqual(receipt)
    for (const { json, headers } of refused)
      expect([json, headers.get('retry-after')]).toEqual([{ error: 'idempotency_in_progress' }, '1'])
    expect((await post(given, { 'idempotency-key': key })).json.receipt).toEqual(receipt)
    expect(await listMails()).toHaveLength(1)
  })

  test('forgets a key after 30 days', async () => {
    const stores = await open()
    made = fixture({ stores, contactEmail })
    await post(given, { 'idempotency-key': key })
    made.clock.advance(30 * day)
    expect((await post(least, { 'idempotency-key': key })).status).toBe(422)
    made.clock.advance(1)
    expect((await post(least, { 'idempotency-key': key })).status).toBe(201)
  })

  test('returns 409 while another request with the key runs, until the lease of that request has ended', async () => {
    const stores = await open()
    made = fixture({
      stores: { ...stores, reports: { ...stores.reports, createReport: async () => null } },
      contactEmail,
    })
    const lost = await post(given, { 'idempotency-key': key })
    expect([lost.status, lost.json, lost.headers.get('retry-after')]).toEqual([
      409,
      { error: 'idempotency_in_progress' },
      '1',
    ])
    const next = fixture({ stores, contactEmail, clock: made.clock, random: seededRandom(2) })
    expect((await post(given, { 'idempotency-key': key }, next)).status).toBe(409)
    made.clock.advance(30_000)
    expect((await post(given, { 'idempotency-key': key }, next)).status).toBe(201)
  })

  test('returns 400 for a key that is not a UUID', async () => {
    for (const header of ['', '1', 'not-a-uuid', `"${key}`, `${key}, ${key}`, `'${key}'`]) {
      const { status, json } = await post(given, { 'idempotency-key': header })
      expect([header, status, json]).toEqual([header, 400, { error: 'invalid_idempotency_key' }])
    }
    for (const header of ['00000000-0000-0000-0000-000000000000', 'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF'])
      expect((await post({ ...given, content: { title: header } }, { 'idempotency-key': header })).status).toBe(201)
  })

  test('returns 202 for a report that differs in spelling only, stores its evidence, and sends no mail', async () => {
    const first = await post(given, { 'idempotency-key': key })
    const same = {
      ...given,
      reporter: { agent_vendor: 'other', agent_product: 'agent' },
      signal: { category: 'docs_mismatch', severity: 'high' },
      content: { ...given.content, title: '  the DOCUMENTED  example answers 422' },
      evidence: [
        { type: 'log_excerpt', content: 'one' },
        { type: 'other', content: 'two', redacted: true },
      ],
    }
    const { status, json } = await post(same)
    expect([status, json.receipt]).toEqual([
      202,
      {
        id: expect.any(String),
        feedback_id: expect.any(String),
        status: 'duplicate',
        evidence_ids: [expect.any(String), expect.any(String)],
        duplicate_of: first.json.receipt.feedback_id,
        created_at: expect.any(String),
      },
    ])
    expect(json.receipt.feedback_id).not.toBe(first.json.receipt.feedback_id)
    expect((await post({ ...given, content: { ...given.content, summary: 'Something else' } })).status).toBe(201)
    expect(await listMails()).toHaveLength(2)
  })

  test('returns all issues together, with the allowed values and without the sent values', async () => {
    const { status, json, text } = await post({
      reporter: { agent_vendor: '', agent_product: 'SENT'.repeat(20) },
      subject: { kind: 'SENT' },
      signal: { category: 'SENT', severity: 1, confidence: 1.5 },
      content: { title: '\u202e \u0007' },
      evidence: [{ type: 'SENT', content: 'x'.repeat(8193) }],
    })
    expect([status, json.error]).toEqual([400, 'invalid_body'])
    const at = Object.fromEntries(
      json.issues.map((issue: { path: string[]; code: string; message: string }) => [issue.path.join('.'), issue]),
    )
    expect(Object.keys(at).sort()).toEqual([
      'content.title',
      'evidence.0.content',
      'evidence.0.type',
      'reporter.agent_product',
      'reporter.agent_vendor',
      'signal.category',
      'signal.confidence',
      'signal.severity',
      'subject.kind',
      'subject.surface',
    ])
    expect(at['signal.category']).toMatchObject({
      code: 'invalid_value',
      message: expect.stringMatching(/bug.*docs_mismatch.*friction.*feature_gap.*quality_degradation.*other/),
    })
    expect(at['signal.confidence'].message).toContain('1')
    for (const issue of json.issues) expect(Object.keys(issue).sort()).toEqual(['code', 'message', 'path'])
    expect(text).not.toContain('SENT')
    expect(
      (await post({ ...least, evidence: Array.from({ length: 11 }, () => given.evidence[0]) })).json.issues,
    ).toMatchObject([{ path: ['evidence'], code: 'too_big' }])
  })

  test('accepts empty optional texts and evidence, and refuses empty required fields', async () => {
    const empty = {
      ...least,
      reporter: { ...least.reporter, agent_version: '' },
      subject: { surface: 'c', domain: '' },
      content: { title: 'd', summary: '', hypothesis: '' },
      evidence: [{ type: 'screenshot', content: '' }],
    }
    const { status, json } = await post(empty)
    expect([status, json.receipt.evidence_ids.length]).toEqual([201, 1])
    for (const wrong of [
      { reporter: { agent_vendor: '', agent_product: 'b' } },
      { subject: { surface: ' ' } },
      { content: { title: '\u{e0041}' } },
    ]) {
      expect((await post({ ...least, ...wrong })).status).toBe(400)
    }
  })

  test('accepts 32,768 bytes, and returns 413 for one more byte', async () => {
    const makeReportOfSize = (bytes: number) => {
      const empty = JSON.stringify({ ...least, padding: '' }).length
      return { ...least, padding: 'x'.repeat(bytes - empty) }
    }
    expect((await post(makeReportOfSize(32_768))).status).toBe(201)
    const large = await post(makeReportOfSize(32_769))
    expect([large.status, large.json, large.headers.get('x-body-limit')]).toEqual([
      413,
      { error: 'body_too_large' },
      '32768',
    ])
  })

  test('removes secrets, control and bidirectional characters before anything is stored, counted or mailed', async () => {
    const secret = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_')
    const hostile = {
      ...least,
      content: {
        title: 'Gift\r\nBcc: all@example.org\u202e',
        summary: `token ${secret}\u0007\u001b[31m\n\n-- \nThe Tributary team\nGo to https://evil.example`,
      },
      evidence: [{ type: 'log_excerpt', content: `jana.dorn@corp.io\u2066 ${secret}` }],
    }
    expect((await post(hostile)).status).toBe(201)
    const [mail] = await listMails()
    expect(mail!.to).toBe(contactEmail)
    // oxlint-disable-next-line no-control-regex -- the expression excludes control characters
    expect(mail!.subject).toMatch(/^\[Tributary\] Agent report: Gift Bcc: [^\x00-\x1f\u202e]*$/)
    for (const part of [secret, 'jana.dorn@corp.io', '\u202e', '\u2066', '\u0007', '\u001b'])
      expect(mail!.text).not.toContain(part)
    const own = mail!.text.split('\n').filter((line) => !line.startsWith('>') && line !== '')
    expect(own).toEqual([expect.stringMatching(/^New agent report, /)])
  })

  test('succeeds when the mail fails, and sends no mail without a contact', async () => {
    const broken = fixture({
      stores: await open(),
      contactEmail,
      mailer: { send: () => Promise.reject(new Error('no mail today')) },
    })
    expect((await post(given, {}, broken)).status).toBe(201)
    await broken.service.work()
    const quiet = fixture({ stores: await open() })
    expect((await post(given, {}, quiet)).status).toBe(201)
    await quiet.service.work()
    expect(quiet.mailer.mails).toEqual([])
  })

  test('returns 429 above a hundred reports an hour from one address', async () => {
    const held = fixture({ stores: await open(), rates: {} })
    const replies = []
    for (let n = 0; n < 101; n++) replies.push(await post({ ...least, content: { title: `n ${n}` } }, {}, held))
    expect(replies.slice(0, 100).every(({ status }) => status === 201)).toBe(true)
    expect([replies[100]!.status, replies[100]!.json, Number(replies[100]!.headers.get('retry-after')) > 0]).toEqual([
      429,
      { error: 'rate_limited' },
      true,
    ])
    expect((await held.ask('POST', '/api/v1/feedback', { json: least, address: '192.0.2.9' })).status).toBe(201)
  })

  test('returns 429 above 2 MB a day from one address, and names the limit', async () => {
    const held = fixture({ stores: await open(), rates: { reports: 'off' } })
    const evidence = Array.from({ length: 3 }, () => ({ type: 'log_excerpt', content: 'x '.repeat(4_000) }))
    const send = (n: number, address = '2001:db8::1') =>
      held.ask('POST', '/api/v1/feedback', { json: { ...least, content: { title: `n ${n}` }, evidence }, address })
    let taken = 0
    let last = await send(0)
    for (; last.status !== 429; last = await send(taken)) taken++
    expect(taken * 24_000).toBeGreaterThan(1.9 * 1024 * 1024)
    expect(taken * 24_000).toBeLessThan(2 * 1024 * 1024)
    expect(last.json).toEqual({ error: 'rate_limited' })
    expect(last.headers.get('ratelimit-policy')).toBe('"report_bytes";q=2097152;w=86400;qu="content-bytes"')
    // The first address is in the same /64 network, and the second is in another.
    expect((await send(500, '2001:db8::2')).status).toBe(429)
    expect((await send(501, '2001:db8:0:1::1')).status).toBe(201)
  })

  test('stores no part of a report that cannot be scrubbed', async () => {
    const refusing = fixture({
      stores: await open(),
      contactEmail,
      scrubber: { version: 'none', scrub: () => ({ ok: false, reason: 'no time' }) },
    })
    expect((await post(given, {}, refusing)).status).toBe(503)
    await refusing.service.work()
    expect(refusing.mailer.mails).toEqual([])
  })
})

describe.each(storeKinds)('GET /api/admin/reports on %s', (_, open) => {
  const adminToken = 'operator-'.repeat(3)
  const headers = { authorization: `Bearer ${adminToken}` }
  let made: Fixture
  beforeEach(async () => void (made = fixture({ stores: await open(), adminToken })))
  const send = async (title: string, subject: object = { surface: 'GET /docs' }): Promise<string> =>
    (await made.ask('POST', '/api/v1/feedback', { json: { ...least, subject, content: { title } } })).json.receipt
      .feedback_id
  const get = async (path = '') => (await made.ask('GET', `/api/admin/reports${path}`, { headers })).json
  const post = (path: string, json?: object) => made.ask('POST', `/api/admin/reports/${path}`, { headers, json })

  test('GET /api/admin/reports and /stats filter by words, kind and dates', async () => {
    const one = await send('The parser drops a line')
    made.clock.advance(2 * day)
    const two = await send('A flag is missing', { surface: 'upload', kind: 'cli_command' })
    const listIds = async (query: string) => (await get(query)).items.map(({ id }: { id: string }) => id)
    expect(await listIds('?q=LINE%20parser')).toEqual([one])
    expect(await listIds('?kind=cli_command')).toEqual([two])
    expect(await listIds('?from=2026-11-20&to=2026-11-20')).toEqual([one])
    expect(await listIds('?from=2026-11-21&status=open')).toEqual([two])
    expect(await get('/stats?kind=cli_command')).toEqual({
      ok: true,
      reports: 1,
      statuses: { open: 1, investigating: 0, accepted: 0, resolved: 0, dismissed: 0, spam: 0 },
      duplicates: 0,
    })
    for (const query of ['?q=', '?kind=x', '?from=x', '?to=2026'])
      expect((await made.ask('GET', `/api/admin/reports/stats${query}`, { headers })).status).toBe(400)
  })

  test('GET /api/admin/reports/:id lists the latest 50 duplicates and counts all', async () => {
    const kept = await send('first')
    for (let n = 0; n < 51; n++)
      expect((await post(`${await send(`other ${n}`)}/merge`, { into: kept })).status).toBe(200)
    const { report, duplicates } = await get(`/${kept}`)
    expect([report.duplicates, duplicates.length]).toEqual([51, 50])
  })

  test('POST /api/admin/reports/:id/merge and /separate merge a report and undo the merge', async () => {
    const [kept, merged] = [await send('first'), await send('second')]
    expect((await post(`${merged}/merge`, { into: kept })).json.report).toMatchObject({ id: kept, duplicates: 1 })
    expect(await get(`/${kept}`)).toMatchObject({
      report: { id: kept, duplicateOf: null },
      duplicates: [{ id: merged, duplicateOf: kept }],
    })
    expect(
      (
        await made.ask('POST', '/api/v1/feedback', {
          json: { ...least, subject: { surface: 'GET /docs' }, content: { title: 'second' } },
        })
      ).json.receipt,
    ).toMatchObject({ status: 'duplicate', duplicate_of: kept })
    expect((await post(`${kept}/merge`, { into: merged })).json.error).toBe('same_report')
    expect((await post(`${merged}/merge`, { into: await send('third') })).json.error).toBe('already_merged')
    expect((await post(`${merged}/separate`)).json.report).toMatchObject({ id: merged, duplicates: 1 })
    expect(await post(`${merged}/separate`)).toMatchObject({ status: 409, json: { error: 'not_duplicate' } })
    expect((await post(`${key}/separate`)).status).toBe(404)
    expect((await post(`${key}/merge`, { into: kept })).status).toBe(404)
    expect((await made.ask('POST', `/api/admin/reports/${merged}/merge`, { json: { into: kept } })).status).toBe(401)
  })
})
