import type { Fixture, Signed } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  admin,
  makeTraceInput,
  openAutoApprovingService,
  places,
  signInContributor,
  type Place,
} from './contributor.fixture.ts'

const details = {
  agent: { name: 'claude-code', version: '2.1.0' },
  tools: [
    {
      name: 'Bash',
      description: 'Runs a command',
      parameters: {
        type: 'object',
        properties: { timeout: { type: 'integer', maximum: 9007199254740991, minimum: -9007199254740991 } },
      },
    },
  ],
  usage: { inputTokens: 1200, outputTokens: 300, cacheReadTokens: 5, cacheWriteTokens: 6, costUsd: 0.0123456 },
  outcome: { status: 'success', testsPassed: 12, testsFailed: 0, note: 'All green' },
}

describe.each(Object.entries(places))('POST /api/ingest of a trace with details, in %s', (_, make) => {
  let place: Place
  let made: Fixture
  let ann: Signed
  beforeEach(async () => {
    place = await make()
    made = openAutoApprovingService(place.stores)
    ann = await signInContributor(made)
  })
  afterEach(() => place.close())

  const get = (path: string, headers: Record<string, string> = ann.bearer) => made.ask('GET', path, { headers })
  /** Uploads traces, and returns the ids of all traces, oldest first. */
  const upload = async (...traces: object[]): Promise<string[]> => {
    const sent = await made.ask('POST', '/api/ingest', { headers: ann.bearer, json: { traces } })
    expect(sent.status).toBe(202)
    await made.service.work()
    const { json } = await get('/api/traces')
    return json.traces.map(({ id }: { id: string }) => id).reverse()
  }
  const download = async (id: string) => (await get(`/api/traces/${id}/download`)).json
  const lines = async (query: string) =>
    (await get(`/api/admin/dataset?${query}`, admin)).text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))

  test('returns the details in the download, the dataset in every format, the export and the page', async () => {
    const [id] = await upload(makeTraceInput('a', details))
    expect(await download(id!)).toMatchObject(details)
    expect(Object.keys(await download(id!)).slice(-6)).toEqual([
      'scrub',
      'agent',
      'usage',
      'outcome',
      'tools',
      'messages',
    ])
    expect((await lines('format=documents'))[0]).toMatchObject(details)
    const exported = JSON.parse((await get('/api/account/export', ann.cookie)).text)
    expect(exported.account.traces[0]).toMatchObject(details)
    const page = (await made.ask('GET', `/traces/${id}`, { headers: ann.cookie })).text
    for (const text of ['claude-code 2.1.0', 'Success', 'All green', 'Bash', 'Runs a command', '1,200', '$0.0123456'])
      expect(page).toContain(text)
  })

  test('leaves out the details that the trace does not have', async () => {
    const [id] = await upload(makeTraceInput('a', { usage: {} }))
    const document = await download(id!)
    expect(document.usage).toEqual({})
    for (const name of ['agent', 'tools', 'outcome']) expect(document).not.toHaveProperty(name)
    expect((await made.ask('GET', `/traces/${id}`, { headers: ann.cookie })).text).not.toContain('>Session</h2>')
  })

  test('removes personal data from every text of the details, including keys and numbers of a JSON Schema', async () => {
    const [id] = await upload(
      makeTraceInput('a', {
        agent: { name: 'bot of eve@bistro.com', version: 'eve@bistro.com' },
        tools: [
          {
            name: 'mail-eve@bistro.com',
            description: 'Writes to eve@bistro.com',
            parameters: {
              'eve@bistro.com': { default: 4111111111111111 },
              'enum': ['eve@bistro.com', { deep: [['eve@bistro.com']] }],
            },
          },
        ],
        outcome: { status: 'failure', note: 'Ask eve@bistro.com' },
      }),
    )
    const document = await download(id!)
    expect(JSON.stringify(document)).not.toMatch(/eve@bistro|4111111111111111/)
    expect(document).toMatchObject({
      agent: { name: 'bot of [EMAIL_1]', version: '[EMAIL_1]' },
      tools: [
        {
          description: 'Writes to [EMAIL_1]',
          parameters: { '[EMAIL_1]': { default: '[CARD_1]' }, 'enum': ['[EMAIL_1]', { deep: [['[EMAIL_1]']] }] },
        },
      ],
      outcome: { status: 'failure', note: 'Ask [EMAIL_1]' },
    })
    expect(document.scrub.redactions.email).toBeGreaterThan(6)
  })

  test('removes a term that its contributor blocks later, on the next read and in the store', async () => {
    const [id] = await upload(
      makeTraceInput('a', { agent: { name: 'kumquat' }, tools: [{ name: 'kumquat', parameters: { kumquat: 1 } }] }),
    )
    await made.ask('PUT', '/api/account/blocked-terms', { headers: ann.bearer, json: { terms: ['kumquat'] } })
    const expected = {
      agent: { name: '[BLOCKED_1]' },
      tools: [{ name: '[BLOCKED_1]', parameters: { '[BLOCKED_1]': 1 } }],
    }
    expect(await download(id!)).toMatchObject(expected)
    await made.service.work()
    const stored = await place.others.traces.readTrace({ ownerId: ann.userId, id: id! })
    expect(JSON.stringify(stored)).not.toContain('kumquat')
    expect(await download(id!)).toMatchObject(expected)
  })

  test('treats the same messages with different details as a duplicate, and keeps the first details', async () => {
    const [id] = await upload(makeTraceInput('a', { outcome: { status: 'failure' } }))
    expect(await upload(makeTraceInput('a', { outcome: { status: 'success' } }))).toEqual([id])
    expect(await download(id!)).toMatchObject({ outcome: { status: 'failure' } })
  })

  test('replaces the details with the details of a longer version of the conversation', async () => {
    const longer = [{ content: 'hello from a' }, { content: 'more' }]
    const [id] = await upload(makeTraceInput('a', details))
    expect(await upload(makeTraceInput('a', { messages: longer, outcome: { status: 'partial' } }))).toEqual([id])
    const document = await download(id!)
    expect(document.outcome).toEqual({ status: 'partial' })
    for (const name of ['agent', 'tools', 'usage']) expect(document).not.toHaveProperty(name)
  })

  test('filters GET /api/traces, its totals, the dataset and sales by agent and outcome', async () => {
    const [one, two] = await upload(
      makeTraceInput('a', details),
      makeTraceInput('b', { agent: { name: 'codex' }, outcome: { status: 'failure' } }),
      makeTraceInput('c'),
    )
    const listed = async (query: string) =>
      (await get(`/api/traces?${query}`)).json.traces.map(({ id }: { id: string }) => id)
    expect(await listed('agent=codex')).toEqual([two])
    expect(await listed('outcome=success')).toEqual([one])
    expect(await listed('agent=codex&outcome=success')).toEqual([])
    expect((await get('/api/traces/stats?outcome=failure')).json.traces).toBe(1)
    expect((await lines('agent=claude-code')).map(({ id }) => id)).toEqual([one])
    expect((await get('/api/traces?outcome=solved')).status).toBe(400)
    expect((await get(`/api/traces?agent=${'x'.repeat(65)}`)).status).toBe(400)
    expect((await get('/api/admin/dataset?outcome=solved', admin)).status).toBe(400)
    const sell = (filter: object) =>
      made.ask('POST', '/api/admin/sales', { headers: admin, json: { buyer: 'Acme', usd: 1, filter } })
    expect((await sell({ outcome: 'solved' })).status).toBe(400)
    expect((await sell({ agent: 'nobody' })).json).toMatchObject({ traces: 0 })
    const { saleId, traces } = (await sell({ agent: 'codex', outcome: 'failure' })).json
    expect(traces).toBe(1)
    expect((await get(`/api/admin/sales/${saleId}`, admin)).json.sale.filter).toEqual({
      agent: 'codex',
      outcome: 'failure',
    })
  })
})
