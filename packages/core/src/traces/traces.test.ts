import {
  createTestStores,
  fixture,
  loseContent,
  makeHash,
  makeId,
  makeTrace,
  makeTraces,
  seedTraces,
  type Fixture,
  type Signed,
  type TestStores,
} from '@tributary/test-kit'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { createScrubber } from '../scrubber/index.ts'
import { VERSION } from '../scrubber/version.ts'
import { defaultDigest, silentLogger } from '../system.ts'
import { formatTraceDocument } from './dataset/formats.ts'
import { AtifTrajectory, MessagesLine, SessionTraceLine } from './dataset/lines.ts'
import { TraceDocument } from './trace-document.ts'
import { exportDocuments } from './export.ts'

const adminToken = 'operator-of-the-test'
const operator = { authorization: `Bearer ${adminToken}` }

let stores: TestStores
let ask: Fixture['ask']
let ann: Signed
let bob: Signed
/** The traces that `trace.damaged` events named. */
let logged: unknown[]

beforeEach(async () => {
  stores = createTestStores()
  logged = []
  const recordDamaged = (fields: Record<string, unknown>, event: string): void =>
    void (event === 'trace.damaged' && logged.push(fields['traceId']))
  const made = fixture({ stores, adminToken, logger: { ...silentLogger, error: recordDamaged } })
  ask = made.ask
  ann = await made.signIn('ann@example.com')
  bob = await made.signIn('bob@example.com')
  await seedTraces(stores.client, ann.userId, [...makeTraces(3, 'ann')])
  await seedTraces(stores.client, bob.userId, [...makeTraces(2, 'bob')])
})

const download = (n: number) => ask('GET', `/api/traces/${id(n)}/download`, { headers: ann.bearer })
const id = (n: number, label = 'ann'): string => makeId(label, n)
const sell = (...ids: string[]) =>
  ask('POST', '/api/admin/sales', { headers: operator, json: { buyer: 'Acme', traceIds: ids, usd: 10 } })

describe('GET /api/traces/:id', () => {
  test('returns the sale state to the owner, by token or cookie, with the id in upper or lower case', async () => {
    await sell(id(1))
    for (const headers of [ann.bearer, ann.cookie]) {
      const { status, json } = await ask('GET', `/api/traces/${id(1).toUpperCase()}`, { headers })
      expect([status, json]).toEqual([
        200,
        { ok: true, trace: { id: id(1), sellExcluded: false, saleCount: 1, locked: true } },
      ])
    }
  })

  test.each<[string, () => Record<string, string>, () => string, number, string]>([
    ['nobody', () => ({}), () => id(0), 401, 'unauthorized'],
    ['a stranger', () => bob.bearer, () => id(0), 404, 'not_found'],
    ['an unknown id', () => ann.bearer, () => id(9), 404, 'not_found'],
    ['the all-zero id', () => ann.bearer, () => '00000000-0000-0000-0000-000000000000', 404, 'not_found'],
    ['no id', () => ann.bearer, () => 'not-an-id', 400, 'invalid_id'],
  ])(
    'returns an error for %s, as PATCH /api/traces/:id and GET /api/traces/:id/download do',
    async (_, headers, which, status, error) => {
      for (const [method, path, json] of [
        ['GET', '', undefined],
        ['PATCH', '', { sellExcluded: true }],
        ['GET', '/download', undefined],
      ] as const) {
        const answer = await ask(method, `/api/traces/${which()}${path}`, {
          headers: headers(),
          ...(json ? { json } : {}),
        })
        expect([answer.status, answer.json]).toEqual([status, { ok: false, error }])
      }
    },
  )
})

describe('PATCH /api/traces/:id', () => {
  test('excludes and includes a trace repeatedly', async () => {
    for (const sellExcluded of [true, true, false]) {
      const { status, json } = await ask('PATCH', `/api/traces/${id(0)}`, {
        headers: ann.cookie,
        json: { sellExcluded },
      })
      expect([status, json]).toEqual([
        200,
        { ok: true, trace: { id: id(0), sellExcluded, saleCount: 0, locked: false } },
      ])
    }
  })

  test('does not change a sold trace', async () => {
    await sell(id(0))
    for (const sellExcluded of [true, false]) {
      const { status, json } = await ask('PATCH', `/api/traces/${id(0)}`, {
        headers: ann.bearer,
        json: { sellExcluded },
      })
      expect([status, json]).toEqual([409, { ok: false, error: 'already_sold' }])
    }
    expect(
      (await ask('PATCH', `/api/traces/${id(0)}`, { headers: bob.bearer, json: { sellExcluded: true } })).status,
    ).toBe(404)
  })

  test.each([[{}], [{ sellExcluded: 'true' }], [{ sellExcluded: null }], [[]]])(
    'returns 400 for the body %j',
    async (json) => {
      const answer = await ask('PATCH', `/api/traces/${id(0)}`, { headers: ann.bearer, json })
      expect([answer.status, answer.json]).toEqual([400, { ok: false, error: 'invalid_body' }])
    },
  )

  test('leaves a withdrawn trace excluded, as POST /api/traces/bulk does', async () => {
    const reason = { reason: 'A name was left in' }
    await ask('POST', `/api/admin/traces/${id(0)}/withdraw`, { headers: operator, json: reason })
    const patched = await ask('PATCH', `/api/traces/${id(0)}`, { headers: ann.bearer, json: { sellExcluded: false } })
    const trace = { id: id(0), sellExcluded: true, saleCount: 0, locked: false }
    expect([patched.status, patched.json]).toEqual([200, { ok: true, trace }])
    const json = { ids: [id(0), id(1)], action: 'include' }
    const bulk = await ask('POST', '/api/traces/bulk', { headers: ann.bearer, json })
    expect(bulk.json).toEqual({ ok: true, updatedIds: [id(1)], updatedCount: 1, skippedCount: 1 })
    const stats = await ask('GET', '/api/traces/stats', { headers: ann.bearer })
    expect(stats.json).toMatchObject({ traces: 3, forSale: 2, excluded: 1, sold: 0 })
    const { traces } = (await ask('GET', '/api/traces?state=for_sale', { headers: ann.bearer })).json
    expect(traces.map((one: { id: string }) => one.id)).toEqual([id(2), id(1)])
  })
})

describe('POST /api/traces/bulk', () => {
  test("updates the caller's unsold traces, each once, and counts the other distinct ids", async () => {
    await sell(id(2))
    await ask('PATCH', `/api/traces/${id(1)}`, { headers: ann.bearer, json: { sellExcluded: true } })
    const ids = [id(1), id(0).toUpperCase(), id(2), id(0, 'bob'), id(9), id(0), id(9)]
    const { status, json } = await ask('POST', '/api/traces/bulk', {
      headers: ann.bearer,
      json: { ids, action: 'exclude' },
    })
    expect([status, json]).toEqual([200, { ok: true, updatedIds: [id(1), id(0)], updatedCount: 2, skippedCount: 3 }])
    expect((await ask('GET', `/api/traces/${id(0, 'bob')}`, { headers: bob.bearer })).json.trace.sellExcluded).toBe(
      false,
    )
    const back = await ask('POST', '/api/traces/bulk', {
      headers: ann.cookie,
      json: { ids: [id(0)], action: 'include' },
    })
    expect(back.json).toEqual({ ok: true, updatedIds: [id(0)], updatedCount: 1, skippedCount: 0 })
    expect((await ask('GET', `/api/traces/${id(0)}`, { headers: ann.bearer })).json.trace.sellExcluded).toBe(false)
  })

  test('accepts 1 to 500 ids', async () => {
    const ids = Array.from({ length: 501 }, (_, n) => id(n))
    const statuses = [[], ids.slice(0, 1), ids.slice(0, 500), ids].map(
      async (some) =>
        (await ask('POST', '/api/traces/bulk', { headers: ann.bearer, json: { ids: some, action: 'exclude' } })).status,
    )
    expect(await Promise.all(statuses)).toEqual([400, 200, 200, 400])
  })

  test.each([
    [{ ids: ['x'], action: 'exclude' }],
    [{ ids: [makeId('ann', 0)], action: 'delete' }],
    [{ ids: [makeId('ann', 0)] }],
    [{ action: 'include' }],
    [null],
  ])('returns 400 without issues for the body %j', async (json) => {
    const answer = await ask('POST', '/api/traces/bulk', { headers: ann.bearer, json })
    expect([answer.status, answer.json]).toEqual([400, { ok: false, error: 'invalid_body' }])
  })

  test('returns 401 without a credential', async () => {
    for (const method of ['POST', 'DELETE'])
      expect((await ask(method, '/api/traces/bulk', { json: { ids: [id(0)], action: 'include' } })).status).toBe(401)
    // A page of another site cannot use the browser's session.
    const answer = await ask('DELETE', '/api/traces/bulk', {
      headers: { 'cookie': ann.cookie.cookie, 'sec-fetch-site': 'cross-site' },
      json: { ids: [id(0)] },
    })
    expect([answer.status, answer.json]).toEqual([403, { ok: false, error: 'cross_site_request' }])
  })
})

describe('DELETE /api/traces/bulk', () => {
  // promise: sold-first-time-also
  test('deletes unsold traces, keeps sold traces, and does not reveal unknown or foreign ids', async () => {
    await sell(id(1), id(1, 'bob'))
    const ids = [id(2).toUpperCase(), id(1), id(0, 'bob'), id(1, 'bob'), id(9), id(2)]
    const { status, json } = await ask('DELETE', '/api/traces/bulk', { headers: ann.cookie, json: { ids } })
    expect([status, json]).toEqual([200, { ok: true, deletedIds: [id(2)], skippedSoldIds: [id(1)] }])
    expect((await ask('GET', `/api/traces/${id(2)}`, { headers: ann.bearer })).status).toBe(404)
    expect((await ask('GET', `/api/traces/${id(0, 'bob')}`, { headers: bob.bearer })).status).toBe(200)
    expect(
      (await ask('POST', '/api/traces/known', { headers: ann.bearer, json: { hashes: [makeHash('ann', 2)] } })).json
        .known,
    ).toHaveLength(1)
  })

  test('accepts 1 to 500 ids', async () => {
    const ids = Array.from({ length: 501 }, (_, n) => id(n))
    const statuses = [[], ids.slice(0, 500), ids].map(
      async (some) => (await ask('DELETE', '/api/traces/bulk', { headers: ann.bearer, json: { ids: some } })).status,
    )
    expect(await Promise.all(statuses)).toEqual([400, 200, 400])
  })
})

describe('POST /api/traces/known', () => {
  const askKnown = (hashes: unknown, headers: Record<string, string> = ann.bearer) =>
    ask('POST', '/api/traces/known', { headers, json: { hashes } })

  test('returns exactly the hashes that the caller has, each once, in the order sent', async () => {
    const [a, b] = [makeHash('ann', 2), makeHash('ann', 0)]
    expect((await askKnown([a, 'x', b, makeHash('bob', 0), a, b.toUpperCase()])).json).toEqual({
      ok: true,
      known: [a, b],
    })
    expect((await askKnown([a, makeHash('bob', 0)], bob.cookie)).json).toEqual({
      ok: true,
      known: [makeHash('bob', 0)],
    })
    expect((await askKnown([])).json).toEqual({ ok: true, known: [] })
  })

  test('accepts 5,000 hashes of 1 to 128 characters, and names invalid hashes', async () => {
    expect((await askKnown(Array.from({ length: 5000 }, (_, n) => makeHash('none', n)))).status).toBe(200)
    expect((await askKnown(['x'.repeat(128)])).status).toBe(200)
    const wrong = [
      [
        ['x', ''],
        ['hashes', 1],
      ],
      [['x'.repeat(129)], ['hashes', 0]],
      [[1], ['hashes', 0]],
      [Array(5001).fill('x'), ['hashes']],
      ['x', ['hashes']],
    ] as const
    for (const [hashes, path] of wrong) {
      const { status, json } = await askKnown(hashes)
      expect([status, json.error, json.issues.length, json.issues[0].path]).toEqual([400, 'invalid_body', 1, path])
    }
    expect((await ask('POST', '/api/traces/known', { json: { hashes: [] } })).status).toBe(401)
  })

  test('accepts a body of 1 MiB, and returns 413 for one byte more', async () => {
    const makeBodyOfSize = (size: number) => ({
      hashes: [] as string[],
      pad: 'x'.repeat(size - JSON.stringify({ hashes: [], pad: '' }).length),
    })
    const askKnownOfSize = async (size: number) =>
      ask('POST', '/api/traces/known', { headers: ann.bearer, json: makeBodyOfSize(size) })
    expect((await askKnownOfSize(1024 * 1024)).status).toBe(200)
    const over = await askKnownOfSize(1024 * 1024 + 1)
    expect([over.status, over.headers.get('x-body-limit')]).toEqual([413, '1048576'])
  })
})

describe('GET /api/traces/:id/download', () => {
  test.each([
    ['documents', 'application/json', `trace-${id(6)}.json`, TraceDocument],
    ['messages', 'application/json', `trace-${id(6)}-messages.json`, MessagesLine],
    ['sts', 'application/jsonl', `trace-${id(6)}.jsonl`, SessionTraceLine],
    ['atif', 'application/json', `trace-${id(6)}-atif.json`, AtifTrajectory],
  ] as const)(
    'returns a trace of several parts in the format %s',
    { tags: 'long' },
    async (format, type, name, schema) => {
      const content = `${'long 😀 '.repeat(20_000)}\n\n\`\`\`tool_call\n{"id":"c","name":"Bash","arguments":{"n":1}}\n\`\`\``
      const messages = Array.from({ length: 8 }, (_, position) => {
        return { position, role: 'assistant', content, tokenCount: 1, createdAt: null, truncated: false }
      })
      await seedTraces(stores.client, ann.userId, [makeTrace('ann', 6, { messages: JSON.stringify(messages) })])
      const { headers, text } = await ask('GET', `/api/traces/${id(6)}/download?format=${format}`, {
        headers: ann.bearer,
      })
      expect([headers.get('content-type'), headers.get('content-disposition')]).toEqual([
        type,
        `attachment; filename="${name}"`,
      ])
      const lines = text.split('\n').map((line) => JSON.parse(line) as object)
      for (const line of lines) expect(schema.parse(line)).toEqual(line)
      const document = { ...(JSON.parse((await download(6)).text) as TraceDocument), messages }
      expect(text).toBe(formatTraceDocument(document, format))
    },
  )

  test('returns 400 for an unknown format', async () => {
    const { status, json } = await ask('GET', `/api/traces/${id(0)}/download?format=parquet`, { headers: ann.bearer })
    expect([status, json]).toEqual([400, { ok: false, error: 'invalid_query' }])
  })

  test('returns exactly the expected document, with its keys in order', async () => {
    const messages = [
      {
        position: 0,
        role: null,
        content: 'naïve "😀" \\ [EMAIL_1]',
        tokenCount: 4,
        createdAt: '2026-11-01T00:00:00.000Z',
        truncated: true,
      },
    ]
    await seedTraces(stores.client, ann.userId, [
      makeTrace('ann', 7, {
        segmentIndex: 2,
        parentTraceId: 'ann-0',
        model: null,
        redactions: '{"email":1}',
        details: '{"agent":{"name":"codex"}}',
        tools: '[{"name":"Bash"}]',
        scrubVersion: VERSION,
        messages: JSON.stringify(messages),
      }),
    ])
    const { status, headers, text } = await ask('GET', `/api/traces/${id(7).toUpperCase()}/download`, {
      headers: ann.bearer,
    })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json')
    expect(headers.get('content-disposition')).toBe(`attachment; filename="trace-${id(7)}.json"`)
    expect(headers.get('cache-control')).toBe('private, no-store')
    expect(text).toBe(
      JSON.stringify({
        id: id(7),
        source: 'claude_code_jsonl',
        sourceId: 'ann-7',
        title: 'ann 7',
        model: null,
        createdAt: '2026-11-01T00:00:00.000Z',
        parentTraceId: 'ann-0',
        segmentIndex: 2,
        contentHash: makeHash('ann', 7),
        scrub: { version: VERSION, redactions: { email: 1 } },
        agent: { name: 'codex' },
        tools: [{ name: 'Bash' }],
        messages,
      }),
    )
    expect(TraceDocument.parse(JSON.parse(text))).toEqual(JSON.parse(text))
  })

  const seedLarge = async (n: number, megabytes: number) => {
    const content = 'naïve 😀 '.repeat(100_000)
    const message = { role: 'user', content, tokenCount: 1, createdAt: null, truncated: false }
    const messages = Array.from({ length: megabytes }, (_, position) => ({ position, ...message }))
    await seedTraces(stores.client, ann.userId, [
      makeTrace('ann', n, { scrubVersion: VERSION, messages: JSON.stringify(messages) }),
    ])
    return messages
  }

  test('sends a large document in chunks, with its length', { tags: 'long' }, async () => {
    const messages = await seedLarge(7, 3)
    const { headers, text } = await ask('GET', `/api/traces/${id(7)}/download`, { headers: ann.bearer })
    expect(text.endsWith(`,"messages":${JSON.stringify(messages)}}`)).toBe(true)
    expect(headers.get('content-length')).toBe(String(Buffer.byteLength(text)))
  })

  test('returns 429 when a person has downloaded as much as the rate limit allows; other people can still download', async () => {
    const stores = createTestStores()
    const { readTrace } = stores.traces
    let reads = 0
    stores.traces.readTrace = (params) => (reads++, readTrace.call(stores.traces, params))
    const limited = fixture({ stores, rates: { download_bytes: { limit: 1_000, windowMs: 24 * 3_600_000 } } })
    const people = [await limited.signIn('carl@example.com'), await limited.signIn('dora@example.com')]
    for (const { userId } of people)
      await seedTraces(stores.client, userId, [...makeTraces(1, userId, 0, { scrubVersion: VERSION })])
    const [carl, dora] = people.map(
      ({ userId, bearer }) =>
        () =>
          limited.ask('GET', `/api/traces/${makeId(userId, 0)}/download`, { headers: bearer }),
    )
    const size = Buffer.byteLength((await carl!()).text)
    for (let n = 1; n < Math.floor(1_000 / size); n++) expect((await carl!()).status).toBe(200)
    const { status, json, headers } = await carl!()
    expect([status, json]).toEqual([429, { ok: false, error: 'rate_limited' }])
    expect(headers.get('ratelimit-policy')).toBe('"download_bytes";q=1000;w=86400;qu="content-bytes"')
    const before = reads
    const refused = await Promise.all(Array.from({ length: 20 }, () => carl!()))
    expect([refused.every((reply) => reply.status === 429), reads]).toEqual([true, before])
    expect((await dora!()).status).toBe(200)
  })

  test('returns 502 for missing and for damaged content, to the owner only', async () => {
    await loseContent(stores.client, id(0))
    await seedTraces(stores.client, ann.userId, [makeTrace('ann', 8, { messages: '[{"position":0,' })])
    for (const n of [0, 8]) {
      const { status, json } = await ask('GET', `/api/traces/${id(n)}/download`, { headers: ann.bearer })
      expect([status, json]).toEqual([502, { ok: false, error: 'blob_unavailable' }])
    }
    const lines = (await ask('GET', '/api/admin/dataset', { headers: operator })).text.trim().split('\n')
    expect(lines).toHaveLength(6)
    expect(lines.map((line) => JSON.parse(line)).filter(({ skipped }) => skipped)).toEqual(
      [0, 8].map((n) => ({ id: id(n), skipped: 'damaged' })),
    )
    expect(logged).toEqual([id(0), id(8), id(0), id(8)])
    expect((await ask('GET', `/api/traces/${id(0)}/download`, { headers: bob.bearer })).status).toBe(404)
  })
})

describe('GET /api/traces', () => {
  test("returns the caller's traces, newest first, page by page", async () => {
    await sell(id(2))
    const first = (await ask('GET', '/api/traces?limit=2', { headers: ann.bearer })).json
    const rest = {
      source: 'claude_code_jsonl',
      model: 'model-1',
      createdAt: '2026-11-01T00:00:00.000Z',
      tokenCount: 2,
      estimatedUsd: 0.000002,
      uploadedAt: '1970-01-01T00:00:00.000Z',
      redactions: 0,
    }
    expect(first.traces).toEqual([
      { id: id(2), sellExcluded: false, saleCount: 1, locked: true, title: 'ann 2', ...rest },
      { id: id(1), sellExcluded: false, saleCount: 0, locked: false, title: 'ann 1', ...rest },
    ])
    const second = (await ask('GET', `/api/traces?limit=2&cursor=${first.nextCursor}`, { headers: ann.cookie })).json
    expect([second.traces.map((trace: { id: string }) => trace.id), second.nextCursor]).toEqual([[id(0)], null])
    expect((await ask('GET', '/api/traces?cursor=', { headers: bob.bearer })).json.traces).toHaveLength(2)
  })

  test('returns the traces that match a filter, and 400 for an invalid filter', async () => {
    await seedTraces(stores.client, ann.userId, [
      makeTrace('ann', 7, {
        title: 'Fix the parser',
        createdAt: '2026-10-31T23:59:59.999Z',
        redactions: '{"email":2}',
      }),
      makeTrace('ann', 8, { title: 'Fix the roof', createdAt: '2026-10-01T00:00:00.000Z', source: 'codex_jsonl' }),
    ])
    await sell(id(7))
    const listTitles = async (query: string) =>
      (await ask('GET', `/api/traces?${query}`, { headers: ann.bearer })).json.traces.map(
        ({ title }: { title: string }) => title,
      )
    expect(await listTitles('q=PARSER+fix')).toEqual(['Fix the parser'])
    expect(await listTitles('q=+')).toHaveLength(5)
    expect(await listTitles('from=2026-10-01&to=2026-10-31')).toEqual(['Fix the roof', 'Fix the parser'])
    expect(await listTitles('to=2026-10-31T01:00:00%2B02:00')).toEqual(['Fix the roof'])
    expect(await listTitles('state=sold&source=claude_code_jsonl')).toEqual(['Fix the parser'])
    const stats = await ask('GET', '/api/traces/stats?q=fix', { headers: ann.bearer })
    expect(stats.json).toEqual({
      ok: true,
      traces: 2,
      forSale: 1,
      excluded: 0,
      sold: 1,
      tokens: 4,
      estimatedUsd: 0.000004,
      redactions: { email: 2 },
    })
    for (const query of [
      'q=',
      `q=${'x'.repeat(101)}`,
      'state=x',
      'source=x',
      'from=x',
      'to=2026-02-30',
      'from=10000-01-01',
    ])
      for (const path of ['/api/traces', '/api/traces/stats']) {
        const { status, json } = await ask('GET', `${path}?${query}`, { headers: ann.bearer })
        expect([query, status]).toEqual([query, 400])
        expect(json).toMatchObject({ error: 'invalid_query', issues: [{ path: [query.split('=')[0]] }] })
      }
  })

  test('returns 50 traces by default and at most 200', async () => {
    await seedTraces(stores.client, ann.userId, [...makeTraces(60, 'more')])
    expect((await ask('GET', '/api/traces', { headers: ann.bearer })).json.traces).toHaveLength(50)
    for (const query of [
      'limit=0',
      'limit=201',
      'limit=1.5',
      'limit=x',
      'cursor=-1',
      'cursor=A',
      `cursor=${'z'.repeat(11)}`,
      'limit=2&limit=2',
    ]) {
      const { status, json } = await ask('GET', `/api/traces?${query}`, { headers: ann.bearer })
      expect([query, status]).toEqual([query, 400])
      expect(json).toMatchObject({ error: 'invalid_query', issues: [{ path: [query.split('=')[0]] }] })
    }
    expect((await ask('GET', '/api/traces?limit=200', { headers: ann.bearer })).json.traces).toHaveLength(63)
    expect((await ask('GET', '/api/traces')).status).toBe(401)
  })
})

describe('exportDocuments', () => {
  const rescrubDeps = {
    verifier: null,
    scrubVersion: VERSION,
    scrubber: () => createScrubber(),
    readScrubContext: async () => ({ identity: {}, blockedTerms: [], identityRevision: 0 }),
    digest: defaultDigest,
    yieldToEventLoop: async () => undefined,
    logger: silentLogger,
  }
  async function exportAll(changes: Partial<typeof rescrubDeps> = {}): Promise<unknown[]> {
    const documents: unknown[] = []
    for await (const text of exportDocuments(stores.traces, ann.userId, { ...rescrubDeps, ...changes }))
      documents.push(JSON.parse(text))
    return documents
  }

  test('returns every document of the user, and marks a document whose messages are missing', async () => {
    await loseContent(stores.client, id(1))
    expect(await exportAll()).toMatchObject([
      { id: id(0), sourceId: 'ann-0' },
      { id: id(1), messages: null, skipped: 'damaged' },
      { id: id(2) },
    ])
  })

  test('reads the identity of the user once for all traces that are scrubbed again', async () => {
    const readScrubContext = vi.fn(rescrubDeps.readScrubContext)
    expect(await exportAll({ scrubVersion: 'another', readScrubContext })).toHaveLength(3)
    expect(readScrubContext).toHaveBeenCalledTimes(1)
  })
})
