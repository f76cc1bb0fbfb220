import { fixture, type Fixture } from '@tributary/test-kit'
import { beforeEach, expect, test } from 'vitest'
import { memoryStores } from '../../stores/memory/index.ts'

const adminToken = 'operator-'.repeat(3)
let made: Fixture
let operator: Record<string, string>
beforeEach(async () => {
  made = fixture({ stores: memoryStores(), adminToken, baseUrl: 'http://127.0.0.1:8787/tributary' })
  const { cookies } = await made.ask('POST', '/admin/sign-in', { form: { token: adminToken } })
  operator = {
    cookie: Object.entries(cookies)
      .map(([name, value]) => `${name}=${value}`)
      .join('; '),
  }
})

const hostile = {
  reporter: { agent_vendor: '<b>v', agent_product: 'p"' },
  subject: { surface: '<img src=x onerror=alert(1)>', domain: 'javascript:alert(1)' },
  signal: { category: 'bug', severity: 'high' },
  content: { title: '<script>alert(1)</script>', summary: '</td><h1>', hypothesis: '&lt;' },
  evidence: [{ type: 'log_excerpt', content: '<iframe src="https://evil.example">' }],
}
const shown = async (query = '') => (await made.ask('GET', `/admin/reports${query}`, { headers: operator })).text
const act = (form: Record<string, string>, headers = operator) =>
  made.ask('POST', '/admin/reports/status', { headers, form })

test('GET /admin/reports shows hostile reports escaped and without links', async () => {
  expect(await shown()).toContain('data-empty')
  const { json } = await made.ask('POST', '/api/v1/feedback', { json: hostile })
  await made.ask('POST', '/api/v1/feedback', {
    json: { ...hostile, reporter: { agent_vendor: 'x', agent_product: 'y' } },
  })
  const text = await shown()
  for (const part of ['<script>alert', '<img src=x', '<iframe', '</td><h1>', '<b>v', 'href="javascript:'])
    expect(text).not.toContain(part)
  for (const part of [
    '&lt;script&gt;alert(1)&lt;/script&gt;',
    '&lt;iframe',
    'bug, high',
    '1 duplicate',
    'Evidence (2)',
    json.receipt.feedback_id,
  ])
    expect(text).toContain(part)
})

test('POST /admin/reports/status updates a report, and the filter shows its new status', async () => {
  const { json } = await made.ask('POST', '/api/v1/feedback', { json: hostile })
  const id = json.receipt.feedback_id
  const done = await act({ id, status: 'investigating', filter: 'open' })
  expect(done.headers.get('location')).toBe('/tributary/admin/reports?filter=open&done=changed')
  expect(await shown('?filter=open&done=changed')).toContain('data-result="changed"')
  expect(await shown('?filter=open')).toContain('data-empty')
  expect(await shown('?filter=investigating')).toMatch(/<option value="investigating"\s+selected>/)
  const gone = await act({ id: '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71', status: 'spam' })
  expect(gone.headers.get('location')).toContain('done=not_found')
  expect(await shown('?done=not_found')).toContain('data-result="not_found"')
  expect((await act({ id, status: 'closed' })).status).toBe(400)
  expect((await act({ id, status: 'spam' }, {})).status).toBe(401)
  expect((await act({ id, status: 'spam' }, { ...operator, 'sec-fetch-site': 'cross-site' })).status).toBe(403)
})
