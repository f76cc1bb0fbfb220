import { fixture, type Fixture } from '@tributary/test-kit'
import { beforeEach, describe, expect, test } from 'vitest'
import { storeKinds } from '../auth/stores.fixture.ts'

const contactEmail = 'desk@example.com'
const adminToken = 'operator-'.repeat(3)
const bearer = { authorization: `Bearer ${adminToken}` }
const nobody = '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71'
const least = {
  reporter: { agent_vendor: 'a', agent_product: 'b' },
  subject: { surface: 'c' },
  content: { title: 'd' },
}
const noticed = { surface: 'GET /docs', agent_vendor: 'a', agent_product: 'b', summary: 'Slow today.\nTwice.' }

describe.each(storeKinds)('the agent-feedback protocol on %s', (_, open) => {
  let made: Fixture
  beforeEach(async () => void (made = fixture({ stores: await open(), contactEmail, adminToken })))
  const post = (path: string, json: unknown) => made.ask('POST', path, { json })
  const listReports = async (query = '') =>
    (await made.ask('GET', `/api/admin/reports${query}`, { headers: bearer })).json

  test('GET /.well-known/agent-feedback.json leads to every endpoint, and each published example is accepted', async () => {
    const discovery = await made.ask('GET', '/.well-known/agent-feedback.json')
    expect([discovery.status, discovery.headers.get('cache-control')]).toEqual([200, 'public, max-age=60'])
    const { endpoints } = discovery.json
    const { status, json: policy } = await made.ask('GET', endpoints.policy)
    expect(status).toBe(200)
    const receipts = []
    for (const name of ['feedback', 'observations']) {
      expect(policy.examples[name].length).toBeGreaterThan(0)
      for (const example of policy.examples[name]) {
        const reply = await post(endpoints[name], example)
        expect([name, reply.status]).toEqual([name, 201])
        receipts.push(reply.json.receipt)
      }
    }
    for (const example of policy.examples.attachments) {
      const reply = await post(endpoints.attachments.replace('{feedback_id}', receipts[0].feedback_id), example)
      expect(reply.status).toBe(201)
      expect(reply.json.receipt).toMatchObject({
        feedback_id: receipts[0].feedback_id,
        status: 'accepted',
        evidence_ids: [expect.any(String)],
        duplicate_of: null,
      })
      receipts.push(reply.json.receipt)
    }
    for (const receipt of receipts) {
      const read = await made.ask('GET', endpoints.receipts.replace('{id}', receipt.id))
      expect([read.status, read.json.receipt.id]).toEqual([200, receipt.id])
    }
    for (const receipt of receipts.filter((one) => 'feedback_id' in one)) {
      const read = await made.ask('GET', endpoints.receipts.replace('{id}', receipt.id))
      expect(read.json).toEqual({ receipt })
    }
  })

  test('the documents state the limits that the validator enforces', async () => {
    const { json: policy } = await made.ask('GET', '/api/v1/policy')
    const { properties, required } = policy.schemas.feedback
    expect(required).toEqual(['reporter', 'subject', 'content'])
    expect(properties.signal.properties.category.enum).toEqual(policy.categories)
    expect(properties.signal.properties.severity.enum).toEqual(policy.severities)
    expect(properties.evidence).toMatchObject({
      maxItems: policy.max_evidence_items,
      items: { properties: { type: { enum: policy.evidence_types }, content: { maxLength: 8192 } } },
    })
    expect(properties.content.properties.title).toMatchObject({ minLength: 1, maxLength: 256 })
    expect(policy).toMatchObject({
      rate_limits: null,
      max_body_bytes: 32_768,
      max_evidence_per_report: 100,
      kept_days: 365,
      idempotency: { kept_days: 30 },
    })
    for (const category of policy.categories)
      expect((await post('/api/v1/feedback', { ...least, signal: { category } })).status).toBe(201)
  })

  test('the documents contain the path of baseUrl and the rate limits', async () => {
    made = fixture({
      stores: await open(),
      baseUrl: 'https://example.com/tributary',
      rates: { reports: { limit: 5, windowMs: 60_000 } },
    })
    const { json } = await made.ask('GET', '/.well-known/agent-feedback.json')
    expect(json.endpoints).toMatchObject({
      feedback: '/tributary/api/v1/feedback',
      receipts: '/tributary/api/v1/receipts/{id}',
    })
    expect(json.rate_limits).toEqual({ submissions_per_hour: 300, observations_per_hour: 300 })
    expect((await post('/api/v1/feedback', {})).headers.get('link')).toBe(
      '</tributary/.well-known/agent-feedback.json>; rel="agent-feedback"',
    )
  })

  test('the response to a refused request links to the discovery document, and the response to an accepted request does not', async () => {
    const link = '</.well-known/agent-feedback.json>; rel="agent-feedback"'
    const refused = [
      await post('/api/v1/feedback', {}),
      await made.ask('PUT', '/api/v1/feedback'),
      await made.ask('GET', '/api/cli/session'),
      await made.ask('GET', `/api/v1/receipts/${nobody}`),
      await made.ask('GET', '/admin'),
    ]
    expect(refused.map(({ status, headers }) => [status, headers.get('link')])).toEqual([
      [400, link],
      [405, link],
      [401, link],
      [404, link],
      [401, link],
    ])
    const { headers } = made.service.missing({
      method: 'GET',
      path: '/nowhere',
      query: [],
      headers: {},
      address: null,
      body: null,
    })
    expect(headers).toContainEqual(['link', link])
    expect((await post('/api/v1/feedback', least)).headers.get('link')).toBeNull()
  })

  test('POST /api/v1/observations stores an observation without a mail, merges a similar one, and returns its receipt', async () => {
    const first = await post('/api/v1/observations', noticed)
    expect(first.json).toEqual({
      receipt: {
        id: expect.any(String),
        observation_id: expect.any(String),
        status: 'accepted',
        duplicate_of: null,
        created_at: expect.any(String),
      },
    })
    const again = await post('/api/v1/observations', { ...noticed, agent_vendor: 'another' })
    expect([again.status, again.json.receipt]).toEqual([
      202,
      expect.objectContaining({ status: 'duplicate', duplicate_of: first.json.receipt.observation_id }),
    ])
    expect((await made.ask('GET', `/api/v1/receipts/${first.json.receipt.id}`)).json.receipt.feedback_id).toBe(
      first.json.receipt.observation_id,
    )
    expect((await listReports()).items).toMatchObject([
      { observation: true, content: { title: 'Slow today.' }, duplicates: 1 },
    ])
    await made.service.work()
    expect(made.mailer.mails).toEqual([])
    expect(
      (await post('/api/v1/observations', { ...noticed, category: 'x', summary: '' })).json.issues.map(
        ({ path }: { path: string[] }) => path[0],
      ),
    ).toEqual(['category', 'summary'])
  })

  test('POST /api/v1/feedback limits the total evidence of one report, and work() deletes the report after `reportDays`', async () => {
    made = fixture({ stores: await open(), adminToken, reportEvidence: 25, reportDays: 40 })
    const evidence = Array.from({ length: 10 }, (_, at) => ({ type: 'other', content: `piece ${at}` }))
    const first = await post('/api/v1/feedback', { ...least, evidence })
    const sizes = []
    for (let n = 0; n < 20; n++)
      sizes.push((await post('/api/v1/feedback', { ...least, evidence })).json.receipt.evidence_ids.length)
    expect(sizes).toEqual([10, 5, ...Array.from({ length: 18 }, () => 0)])
    const { feedback_id } = first.json.receipt
    const more = await post(`/api/v1/feedback/${feedback_id}/attachments`, { evidence })
    expect([more.status, more.json.receipt.evidence_ids]).toEqual([201, []])
    expect((await listReports()).items).toMatchObject([{ evidenceCount: 25, duplicates: 20 }])
    expect((await made.ask('GET', '/api/v1/policy')).json).toMatchObject({ max_evidence_per_report: 25, kept_days: 40 })
    made.clock.advance(40 * 24 * 60 * 60 * 1000)
    await made.service.work()
    expect((await listReports()).items).toHaveLength(1)
    made.clock.advance(11 * 60 * 1000)
    await made.service.work()
    expect((await listReports()).items).toEqual([])
    expect((await made.ask('GET', `/api/v1/receipts/${first.json.receipt.id}`)).status).toBe(404)
    expect((await post('/api/v1/feedback', least)).status).toBe(201)
    const stores = await open()
    for (const wrong of [{ reportDays: 29 }, { reportEvidence: 1.5 }])
      expect(() => fixture({ stores, ...wrong })).toThrow(Object.keys(wrong)[0])
  })

  test('attachments and receipts return 404 for an unknown report', async () => {
    const { status, json } = await post(`/api/v1/feedback/${nobody}/attachments`, {
      evidence: [{ type: 'other', content: 'x' }],
    })
    expect([status, json]).toEqual([404, { error: 'not_found' }])
    expect((await made.ask('GET', `/api/v1/receipts/${nobody}`)).json).toEqual({ error: 'not_found' })
    expect((await post(`/api/v1/feedback/${nobody}/attachments`, { evidence: [] })).status).toBe(400)
  })

  test('a report or observation that cannot be scrubbed is not stored', async () => {
    const refusing = fixture({
      stores: await open(),
      scrubber: { version: 'none', scrub: () => ({ ok: false, reason: 'no time' }) },
    })
    const { json } = await post('/api/v1/feedback', least)
    expect((await refusing.ask('POST', '/api/v1/observations', { json: noticed })).status).toBe(503)
    expect(
      (
        await refusing.ask('POST', `/api/v1/feedback/${json.receipt.feedback_id}/attachments`, {
          json: { evidence: [{ type: 'other', content: 'x' }] },
        })
      ).status,
    ).toBe(503)
  })

  test('GET /api/admin/reports lists by status, and a report that is sent again after its triage counts as new', async () => {
    const { json } = await post('/api/v1/feedback', { ...least, evidence: [{ type: 'other', content: 'x' }] })
    const id = json.receipt.feedback_id
    await post('/api/v1/feedback', least)
    const { items, nextCursor } = await listReports('?status=open')
    expect([items, nextCursor]).toEqual([
      [
        {
          id,
          duplicateOf: null,
          status: 'open',
          observation: false,
          reporter: least.reporter,
          subject: least.subject,
          signal: {},
          content: least.content,
          evidence: [{ id: json.receipt.evidence_ids[0], reportId: id, type: 'other', content: 'x', redacted: false }],
          evidenceCount: 1,
          duplicates: 1,
          createdAt: json.receipt.created_at,
          changedAt: json.receipt.created_at,
        },
      ],
      null,
    ])
    const setReportStatus = (to: string, status: string) =>
      made.ask('PATCH', `/api/admin/reports/${to}`, { headers: bearer, json: { status } })
    expect((await setReportStatus(id, 'resolved')).json.report).toMatchObject({ id, status: 'resolved' })
    expect((await setReportStatus(nobody, 'spam')).status).toBe(404)
    expect((await setReportStatus(id, 'closed')).json.issues).toMatchObject([
      { path: ['status'], message: expect.stringContaining('dismissed') },
    ])
    expect((await post('/api/v1/feedback', least)).status).toBe(201)
    const page = await listReports('?limit=1')
    expect((await listReports(`?limit=1&cursor=${page.nextCursor}`)).items).toMatchObject([{ id, status: 'resolved' }])
    expect((await listReports('?status=open')).items).toHaveLength(1)
  })
})
