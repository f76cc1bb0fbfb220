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
import { beforeEach, describe, expect, test } from 'vitest'
import { queueTimes } from '../../queue/times.ts'
import { Unavailable } from '../../unavailable.ts'
import { admin, makeTraceInput, openAutoApprovingService, signInContributor } from '../../ingest/contributor.fixture.ts'
import { TraceDocument } from '../trace-document.ts'
import { contentHash } from '../hash.ts'

const adminToken = 'operator-of-the-test'
const operator = { authorization: `Bearer ${adminToken}` }

let stores: TestStores
let ask: Fixture['ask']
let ann: Signed
let bob: Signed
let made: Fixture

beforeEach(async () => {
  stores = createTestStores()
  made = fixture({ stores, adminToken })
  ask = made.ask
  ann = await made.signIn('ann@example.com')
  bob = await made.signIn('bob@example.com')
  await seedTraces(stores.client, ann.userId, [...makeTraces(3, 'ann')])
  await seedTraces(stores.client, bob.userId, [...makeTraces(2, 'bob')])
})

const id = (n: number, label = 'ann'): string => makeId(label, n)
const noCopies = { copies: { traces: 0, tokens: 0 } }
let buyers = 0
/** Sells traces to a new buyer. */
const sell = (...ids: string[]) =>
  ask('POST', '/api/admin/sales', { headers: operator, json: { buyer: `Buyer ${++buyers}`, traceIds: ids, usd: 10 } })

describe('GET /api/admin/dataset', () => {
  const readDataset = async (query = '') => {
    const { status, text, headers } = await ask('GET', `/api/admin/dataset${query}`, { headers: operator })
    const lines =
      status === 200
        ? text
            .split('\n')
            .filter((line) => line !== '')
            .map((line) => JSON.parse(line) as { id: string; sourceId: string })
        : []
    return { status, text, lines, next: headers.get('x-next-cursor') }
  }

  test('returns the sold traces of a saleId in their order, under ids that are random for each sale', async () => {
    const sales = [(await sell(id(0), id(1), id(2), id(0, 'bob'))).json.saleId, (await sell(id(0), id(1))).json.saleId]
    const [first, second] = await Promise.all(sales.map((saleId) => readDataset(`?saleId=${saleId}`)))
    expect([first!.lines.length, second!.lines.length]).toEqual([4, 2])
    const given = [...first!.lines, ...second!.lines]
    expect(new Set(given.flatMap(({ id: buyerId, sourceId }) => [buyerId, sourceId])).size).toBe(6)
    for (const { id: buyerId } of given) expect(buyerId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/)
    expect(first!.lines.map((line) => line.id)).toEqual(first!.lines.map((line) => line.id).sort())
    const known = [id(0), id(1), id(2), id(0, 'bob'), ann.userId, bob.userId, 'session-']
    expect(known.filter((name) => first!.text.includes(name))).toEqual([])
    for (const line of given) expect(TraceDocument.parse(line)).toEqual(line)
  })

  test('names the accepted terms and the country of the upload only with origin=true', async () => {
    const stores = createTestStores()
    const uploading = openAutoApprovingService(stores)
    const carl = await signInContributor(uploading)
    await uploading.ask('POST', '/api/ingest', { headers: carl.bearer, json: { traces: [makeTraceInput('sent')] } })
    await uploading.service.work()
    await seedTraces(stores.client, carl.userId, [makeTrace('old', 0)])
    const read = async (query: string) =>
      (await uploading.ask('GET', `/api/admin/dataset${query}`, { headers: admin })).text
    const lines = (await read('?origin=true'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map(({ origin }) => origin)).toEqual([
      { termsVersion: '2026-12-01', country: 'US' },
      { termsVersion: null, country: null },
    ])
    const sale = { buyer: 'Acme', usd: 1, traceIds: [lines[0].id] }
    const { saleId } = (await uploading.ask('POST', '/api/admin/sales', { headers: admin, json: sale })).json
    expect(JSON.parse(await read(`?saleId=${saleId}&origin=true`))).toMatchObject({ origin: { country: 'US' } })
    expect(await read(`?saleId=${saleId}`)).not.toContain('origin')
  })

  test('returns the same pages when a saleId is read again', async () => {
    const { saleId } = (await sell(id(0), id(1), id(2))).json
    const page = await readDataset(`?saleId=${saleId}&limit=2`)
    const rest = await readDataset(`?saleId=${saleId}&limit=2&cursor=${page.next}`)
    expect([page.lines.length, rest.lines.length, rest.next]).toEqual([2, 1, null])
    expect((await readDataset(`?saleId=${saleId}`)).text).toBe(page.text + rest.text)
  })

  test('returns an error for an unknown sale, and for a cursor of a different list', async () => {
    const { saleId } = (await sell(id(0))).json
    expect(JSON.parse((await readDataset(`?saleId=${id(9)}`)).text)).toEqual({ ok: false, error: 'not_found' })
    for (const query of ['?saleId=1', `?saleId=${saleId}&cursor=5`, `?cursor=${id(0)}`])
      expect([query, (await readDataset(query)).status]).toEqual([query, 400])
  })

  test('omits the traces of an erased user, also in a sale made before the erasure', async () => {
    const { saleId } = (await sell(id(0), id(0, 'bob'))).json
    await ask('DELETE', '/api/account', { headers: ann.cookie })
    expect((await readDataset()).lines.map((line) => line.id)).toEqual([id(0, 'bob'), id(1, 'bob')])
    expect((await sell(id(0), id(1))).json).toMatchObject({ ok: true, soldIds: [], skippedIds: [id(0), id(1)] })
    expect((await readDataset(`?saleId=${saleId}`)).lines).toHaveLength(1)
  })
})

describe('GET /api/admin/dataset and POST /api/admin/sales', () => {
  // promise: longer-exclude-delete-may
  test('sell existing traces that are not excluded, in the order sent, and sell a trace again', async () => {
    await ask('PATCH', `/api/traces/${id(1)}`, { headers: ann.bearer, json: { sellExcluded: true } })
    const { status, json } = await sell(id(2), id(1), id(0, 'bob').toUpperCase(), id(9), id(0), id(2))
    expect([status, json]).toEqual([
      200,
      {
        ok: true,
        saleId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
        soldIds: [id(2), id(0, 'bob'), id(0)],
        skippedIds: [id(1), id(9)],
        ...noCopies,
      },
    ])
    expect((await sell(id(2))).json.soldIds).toEqual([id(2)])
    expect((await ask('GET', `/api/traces/${id(2)}`, { headers: ann.bearer })).json.trace.saleCount).toBe(2)
  })

  test('refuse an invalid sale', async () => {
    const sale = { buyer: 'Acme', traceIds: [id(0)], usd: 0 }
    expect((await ask('POST', '/api/admin/sales', { headers: operator, json: sale })).status).toBe(200)
    const wrong = [
      { usd: -0.01 },
      { usd: 1e308 },
      { usd: '1' },
      { buyer: '' },
      { traceIds: [] },
      { traceIds: Array.from({ length: 501 }, (_, n) => id(n)) },
      { traceIds: ['x'] },
    ]
    for (const change of wrong) {
      const { status, json } = await ask('POST', '/api/admin/sales', {
        headers: operator,
        json: { ...sale, ...change },
      })
      expect([status, json]).toEqual([400, { ok: false, error: 'invalid_body', issues: expect.any(Array) }])
    }
    for (const headers of [{}, ann.bearer, { authorization: 'Bearer wrong' }]) {
      expect((await ask('POST', '/api/admin/sales', { headers, json: sale })).status).toBe(401)
      expect((await ask('GET', '/api/admin/dataset', { headers })).status).toBe(401)
    }
  })

  test('return the traces for sale as JSON Lines, page by page', async () => {
    await ask('PATCH', `/api/traces/${id(1)}`, { headers: ann.bearer, json: { sellExcluded: true } })
    await sell(id(2))
    const first = await ask('GET', '/api/admin/dataset?limit=3', { headers: operator })
    expect([first.status, first.headers.get('content-type')]).toEqual([200, 'application/jsonl'])
    const second = await ask('GET', `/api/admin/dataset?limit=3&cursor=${first.headers.get('x-next-cursor')}`, {
      headers: operator,
    })
    expect(second.headers.get('x-next-cursor')).toBeNull()
    const documents = (first.text + second.text)
      .split('\n')
      .slice(0, -1)
      .map((line) => TraceDocument.parse(JSON.parse(line)))
    expect(documents.map((document) => document.id)).toEqual([id(0), id(2), id(0, 'bob'), id(1, 'bob')])
    expect(documents[0]!.messages).toEqual(JSON.parse(makeTrace('ann', 0).messages))
  })

  // promise: line-names-contributor
  test('return neither the contributor nor a hash with which a buyer could guess removed values', async () => {
    const hash = contentHash([{ role: 'user', content: 'call 555-12-3456' }])
    const shown = [
      { position: 0, role: 'user', content: 'call [SSN_1]', tokenCount: 2, createdAt: null, truncated: false },
    ]
    const seedPiece = (n: number, owner: Signed, more: object) =>
      seedTraces(stores.client, owner.userId, [makeTrace('p', n, { sourceId: 'conversation 7', ...more })])
    await seedPiece(0, ann, { contentHash: hash, redactions: '{"ssn":1}', messages: JSON.stringify(shown) })
    await seedPiece(1, ann, { sourceId: 'other', parentTraceId: 'conversation 7' })
    await seedPiece(2, bob, {})
    const { text } = await ask('GET', '/api/admin/dataset?limit=200', { headers: operator })
    for (const name of [ann.userId, bob.userId, 'ann@', hash]) expect(text).not.toContain(name)
    const [a, b] = text
      .trim()
      .split('\n')
      .slice(-3)
      .map((line) => TraceDocument.parse(JSON.parse(line)))
    expect(b!.parentTraceId).toBe(a!.sourceId)
    expect(a!.contentHash).toBe(contentHash(shown))
    expect(b!.contentHash).toBe(makeHash('p', 1))
  })
})

describe('filters of the dataset and of sales', () => {
  const post = (json: object, headers: Record<string, string> = {}) =>
    ask('POST', '/api/admin/sales', { headers: { ...operator, ...headers }, json })
  const read = async (query: string) => {
    const { status, text } = await ask('GET', `/api/admin/dataset?${query}`, { headers: operator })
    return { status, lines: text.split('\n').filter((line) => line !== '') }
  }
  beforeEach(async () => {
    await seedTraces(stores.client, ann.userId, [
      makeTrace('f', 1, { source: 'codex_jsonl', createdAt: '2026-03-01T10:00:00.000Z', tokenCount: 100 }),
      makeTrace('f', 2, { source: 'codex_jsonl', createdAt: '2026-03-02T10:00:00.000Z', tokenCount: 200 }),
      makeTrace('f', 3, { source: 'gemini_cli', createdAt: '2026-03-02T23:30:00.000Z', tokenCount: 300 }),
    ])
  })
  const cases: [object, number[]][] = [
    [{ source: 'codex_jsonl' }, [1, 2]],
    [{ from: '2026-03-02', to: '2026-03-02' }, [2, 3]],
    [{ from: '2026-03-02T11:00:00+01:00', to: '2026-03-02T10:00:00Z' }, [2]],
    [{ source: 'gemini_cli', minTokens: 301 }, []],
  ]

  test.each(cases)(
    '%j selects the same traces in the dataset, in a dry run and in a sale',
    async (filter, expected) => {
      const query = new URLSearchParams(Object.entries(filter).map(([name, value]) => [name, String(value)]))
      const { lines } = await read(query.toString())
      expect(lines.map((line) => JSON.parse(line).id)).toEqual(expected.map((n) => id(n, 'f')))
      const totals = { traces: expected.length, tokens: expected.reduce((sum, n) => sum + n * 100, 0) }
      const body = { buyer: 'Acme', usd: 10, filter }
      const before = await ask('GET', '/api/admin/audit', { headers: operator })
      expect((await post({ ...body, dryRun: true })).json).toEqual({
        ok: true,
        dryRun: true,
        ...totals,
        soldBefore: 0,
        ...noCopies,
      })
      expect((await ask('GET', '/api/admin/audit', { headers: operator })).text).toBe(before.text)
      const { status, json } = await post(body)
      expect([status, json]).toEqual([200, { ok: true, saleId: expect.any(String), ...totals, ...noCopies }])
      expect((await read(`saleId=${json.saleId}`)).lines).toHaveLength(expected.length)
      const found = await ask('GET', `/api/admin/sales/${json.saleId}`, { headers: operator })
      // A sale that sells nothing has no price.
      const usd = expected.length > 0 ? 10 : 0
      expect(found.json).toMatchObject({ ok: true, sale: { id: json.saleId, buyer: 'Acme', usd, ...totals } })
    },
  )

  test('POST /api/admin/sales with dryRun counts listed traces and sells nothing', async () => {
    const { json } = await post({ buyer: 'Acme', usd: 1, traceIds: [id(1, 'f'), id(9, 'f'), id(1, 'f')], dryRun: true })
    expect(json).toEqual({ ok: true, dryRun: true, traces: 1, tokens: 100, soldBefore: 0, ...noCopies })
    expect((await ask('GET', `/api/traces/${id(1, 'f')}`, { headers: ann.bearer })).json.trace.saleCount).toBe(0)
  })

  test('POST /api/admin/sales returns 400 for an invalid filter, and for a filter together with trace ids', async () => {
    const filter = {}
    for (const body of [
      {},
      { filter: { source: 'nobody' } },
      { filter: { minTokens: -1 } },
      { filter: { minTokens: '1' } },
      { filter: { minToken: 1 } },
      { filter: { from: 'yesterday' } },
      { filter: { source: "codex_jsonl' or 1=1 --" } },
      { filter: [] },
      { filter, traceIds: [id(0)] },
      { filter, dryRun: 'yes' },
    ]) {
      const { status, json } = await post({ buyer: 'Acme', usd: 1, ...body })
      expect([body, status, json]).toEqual([body, 400, { ok: false, error: 'invalid_body', issues: expect.any(Array) }])
    }
  })

  test('GET /api/admin/dataset returns 400 for an invalid format or filter, and for a filter together with a sale', async () => {
    const { saleId } = (await sell(id(0))).json
    for (const query of [
      'format=parquet',
      'source=nobody',
      'minTokens=-1',
      'minTokens=1e3',
      'minTokens=9999999999999999',
      'from=2026-02-30',
      'to=now',
      'limit=1000000',
      `saleId=${saleId}&source=codex_jsonl`,
    ])
      expect([query, (await read(query)).status]).toEqual([query, 400])
    expect((await read('minTokens=0&limit=1')).lines).toHaveLength(1)
  })

  test('GET /api/admin/sales/:id returns a sale of listed traces, and 404 for an unknown id', async () => {
    const { saleId } = (await sell(id(0), id(1))).json
    const { json } = await ask('GET', `/api/admin/sales/${saleId}`, { headers: operator })
    expect(json.sale).toEqual({
      id: saleId,
      buyer: `Buyer ${buyers}`,
      usd: 10,
      soldAt: expect.any(String),
      traces: 2,
      tokens: 4,
      filter: null,
      skippedIds: [],
      ...noCopies,
    })
    expect((await ask('GET', `/api/admin/sales/${id(9)}`, { headers: operator })).status).toBe(404)
    expect((await ask('GET', `/api/admin/sales/${saleId}`)).status).toBe(401)
  })

  test('POST /api/admin/sales with a repeated idempotency key completes an interrupted sale and sells nothing twice', async () => {
    const add = stores.dataset.addSaleItems
    const body = { buyer: 'Acme', usd: 10, filter: { source: 'codex_jsonl' } }
    const key = { 'idempotency-key': 'sale-1' }
    stores.dataset.addSaleItems = () => Promise.reject(new Unavailable(new Error('the reply was lost')))
    expect((await post(body, key)).status).toBe(503)
    stores.dataset.addSaleItems = async (params) => {
      await add(params)
      throw new Unavailable(new Error('the reply was lost'))
    }
    expect((await post(body, key)).status).toBe(503)
    stores.dataset.addSaleItems = add
    const { json } = await post(body, key)
    expect(json).toMatchObject({ ok: true, traces: 2, tokens: 300 })
    expect((await post(body, key)).json).toEqual(json)
    expect((await ask('GET', `/api/traces/${id(1, 'f')}`, { headers: ann.bearer })).json.trace.saleCount).toBe(1)
    const sold = await ask('GET', '/api/admin/audit?action=sale.record', { headers: operator })
    expect(sold.json.items).toMatchObject([{ target: json.saleId, after: { traces: 2 } }])
  })

  test('POST /api/admin/sales returns what the first call sold if its reply was lost and its idempotency key is repeated', async () => {
    const record = stores.dataset.recordSale
    const body = { buyer: 'Acme', usd: 10, traceIds: [id(0), id(1)] }
    const key = { 'idempotency-key': 'sale-1' }
    stores.dataset.recordSale = async (params) => {
      await record(params)
      throw new Unavailable(new Error('the reply was lost'))
    }
    expect((await post(body, key)).status).toBe(503)
    stores.dataset.recordSale = record
    const { json } = await post(body, key)
    expect(json).toMatchObject({ soldIds: [id(0), id(1)], skippedIds: [], ...noCopies })
  })

  test('work completes a sale by filter whose request was interrupted', async () => {
    const add = stores.dataset.addSaleItems
    stores.dataset.addSaleItems = () => Promise.reject(new Unavailable(new Error('no database')))
    expect((await post({ buyer: 'Acme', usd: 10, filter: { source: 'codex_jsonl' } })).status).toBe(503)
    stores.dataset.addSaleItems = add
    const [saleId] = await stores.dataset.listPendingSales({ startedBefore: Number.MAX_SAFE_INTEGER })
    expect((await read(`saleId=${saleId}`)).status).toBe(404)
    await made.service.work()
    expect((await read(`saleId=${saleId}`)).status).toBe(404)
    made.clock.advance(queueTimes.outbox.sweepMs)
    await made.service.work()
    expect((await read(`saleId=${saleId}`)).lines).toHaveLength(2)
  })
})

describe('GET /api/admin/dataset with a format', () => {
  test.each(['documents', 'messages', 'sts'])(
    '%s contains no id, order or name of the contributors of a sale',
    async (format) => {
      const listed = [id(0), id(1), id(2), id(0, 'bob'), id(1, 'bob')]
      const { saleId } = (await sell(...listed)).json
      const { text } = await ask('GET', `/api/admin/dataset?saleId=${saleId}&format=${format}`, { headers: operator })
      for (const name of [...listed, ann.userId, bob.userId, 'ann-', 'bob-']) expect(text).not.toContain(name)
      const buyerIds = text.split('\n').flatMap((line) => {
        const { id: buyerId } = line === '' ? {} : JSON.parse(line)
        return buyerId ? [buyerId as string] : []
      })
      expect(buyerIds).toHaveLength(5)
      expect(buyerIds).toEqual([...buyerIds].sort())
    },
  )

  test.each([
    ['documents', 1],
    ['messages', 1],
    ['sts', 2],
    ['atif', 1],
  ] as const)(
    'return %s without additional lines when a contributor sent arguments with line breaks',
    async (format, lines) => {
      const sent = { id: 'call_1', function: { name: 'x', arguments: '{"a":\n{"messages":[],"id":"forged"}\n}' } }
      const content = `\`\`\`tool_call\n${JSON.stringify(sent)}\n\`\`\``
      const uploading = openAutoApprovingService(createTestStores())
      const carl = await signInContributor(uploading)
      const traces = [makeTraceInput('sent', { messages: [{ role: 'assistant', content }] })]
      await uploading.ask('POST', '/api/ingest', { headers: carl.bearer, json: { traces } })
      await uploading.service.work()
      const post = async (path: string, json: object) =>
        (await uploading.ask('POST', path, { headers: admin, json })).json
      const { token } = await post('/api/admin/buyers', { name: 'Acme' })
      const { saleId } = await post('/api/admin/sales', { buyer: 'Acme', usd: 1, filter: {} })
      for (const [path, headers] of [
        ['/api/admin/dataset?', admin],
        [`/api/admin/dataset?saleId=${saleId}&`, admin],
        [`/api/buyer/sales/${saleId}/dataset?`, { authorization: `Bearer ${token}` }],
      ] as const) {
        const { text } = await uploading.ask('GET', `${path}format=${format}`, { headers })
        expect(text.split('forged')).toHaveLength(2)
        expect(
          text
            .trimEnd()
            .split('\n')
            .map((line) => typeof JSON.parse(line)),
        ).toEqual(Array(lines).fill('object'))
      }
    },
  )

  test('ids returns only the ids of the traces, page by page, and records no download', async () => {
    const { saleId } = (await sell(id(0), id(1), id(2))).json
    const read = async (query: string) => {
      const { text, headers } = await ask('GET', `/api/admin/dataset?${query}`, { headers: operator })
      const lines = text.split('\n').filter((line) => line !== '')
      return { lines: lines.map((line) => JSON.parse(line)), next: headers.get('x-next-cursor') }
    }
    const countDownloads = async () =>
      (await ask('GET', '/api/admin/audit?action=dataset.download', { headers: operator })).json.items.length
    for (const selection of [`saleId=${saleId}`, 'minTokens=0']) {
      const all = (await read(selection)).lines.map((line) => ({ id: line.id }))
      const before = await countDownloads()
      const first = await read(`${selection}&format=ids&limit=2`)
      const rest = await read(`${selection}&format=ids&cursor=${first.next}`)
      expect([...first.lines, ...rest.lines]).toEqual(all)
      expect([first.lines.length, rest.next, await countDownloads()]).toEqual([2, null, before])
    }
  })

  test('messages and sts omit a trace that cannot be read', async () => {
    await loseContent(stores.client, id(1))
    for (const [format, lines] of [
      ['documents', 5],
      ['messages', 4],
      ['sts', 8],
    ] as const) {
      const { text } = await ask('GET', `/api/admin/dataset?format=${format}`, { headers: operator })
      expect([format, text.trim().split('\n').length]).toEqual([format, lines])
    }
  })
})

describe('GET /.well-known/tributary-keys.json', () => {
  const publicKey = `${'A'.repeat(43)}=`
  const key = { kid: 'new', publicKey, from: '2026-10-01T00:00:00.000Z', until: null }
  const old = { kid: 'old', publicKey, from: null, until: '2026-10-01T00:00:00.000Z' }

  test('lists the configured keys, newest first, and no keys without the option', async () => {
    const signed = fixture({ stores: createTestStores(), signingKeys: [key, old] })
    expect(await signed.ask('GET', '/.well-known/tributary-keys.json')).toMatchObject({
      status: 200,
      json: { keys: [key, old] },
    })
    expect((await ask('GET', '/.well-known/tributary-keys.json')).json).toEqual({ keys: [] })
  })

  test.each([
    [[key, key], 'a different kid'],
    [[{ ...key, publicKey: 'short' }], 'must be 32 bytes'],
    [[{ ...key, until: 'never' }], 'ISO 8601 or null'],
  ])('refuses %j', (signingKeys, message) => {
    expect(() => fixture({ stores: createTestStores(), signingKeys })).toThrow(message)
  })
})
