import { fixture, madeHash, madeId, madeTrace, madeTraces, type Fixture, type Signed } from '@tributary/test-kit'
import { beforeEach, describe, expect, test } from 'vitest'
import { memoryStores, type MemoryTraces } from '../../stores/memory/index.ts'
import { TraceDocument } from '../contract.ts'
import { contentHash } from '../hash.ts'

const adminToken = 'operator-of-the-test'
const operator = { authorization: `Bearer ${adminToken}` }

let traces: MemoryTraces
let ask: Fixture['ask']
let ann: Signed
let bob: Signed

beforeEach(async () => {
  const stores = memoryStores()
  traces = stores.traces as MemoryTraces
  const made = fixture({ stores, adminToken })
  ask = made.ask
  ann = await made.signIn('ann@example.com')
  bob = await made.signIn('bob@example.com')
  traces.seedTraces(ann.userId, [...madeTraces(3, 'ann')])
  traces.seedTraces(bob.userId, [...madeTraces(2, 'bob')])
})

const id = (n: number, label = 'ann'): string => madeId(label, n)
const sell = (...ids: string[]) =>
  ask('POST', '/api/admin/sales', { headers: operator, json: { buyer: 'Acme', traceIds: ids, usd: 10 } })

describe('GET /api/admin/dataset', () => {
  const dataset = async (query = '') => {
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

  test('with saleId gives what was sold under ids that are random for each sale and of no time, in their order', async () => {
    const sales = [(await sell(id(0), id(1), id(2), id(0, 'bob'))).json.saleId, (await sell(id(0), id(1))).json.saleId]
    const [first, second] = await Promise.all(sales.map((saleId) => dataset(`?saleId=${saleId}`)))
    expect([first!.lines.length, second!.lines.length]).toEqual([4, 2])
    const given = [...first!.lines, ...second!.lines]
    expect(new Set(given.flatMap(({ id: buyerId, sourceId }) => [buyerId, sourceId])).size).toBe(6)
    for (const { id: buyerId } of given) expect(buyerId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/)
    expect(first!.lines.map((line) => line.id)).toEqual(first!.lines.map((line) => line.id).sort())
    const known = [id(0), id(1), id(2), id(0, 'bob'), ann.userId, bob.userId, 'session-']
    expect(known.filter((name) => first!.text.includes(name))).toEqual([])
    for (const line of given) expect(TraceDocument.parse(line)).toEqual(line)
  })

  test('with saleId is read page by page, and again the same', async () => {
    const { saleId } = (await sell(id(0), id(1), id(2))).json
    const page = await dataset(`?saleId=${saleId}&limit=2`)
    const rest = await dataset(`?saleId=${saleId}&limit=2&cursor=${page.next}`)
    expect([page.lines.length, rest.lines.length, rest.next]).toEqual([2, 1, null])
    expect((await dataset(`?saleId=${saleId}`)).text).toBe(page.text + rest.text)
  })

  test('refuses a sale that is not there, and a cursor of the other list', async () => {
    const { saleId } = (await sell(id(0))).json
    expect(JSON.parse((await dataset(`?saleId=${id(9)}`)).text)).toEqual({ ok: false, error: 'not_found' })
    for (const query of ['?saleId=1', `?saleId=${saleId}&cursor=5`, `?cursor=${id(0)}`])
      expect([query, (await dataset(query)).status]).toEqual([query, 400])
  })

  test('has nothing of an erased person any more, and a sale sells nothing of them, while the sale before keeps it', async () => {
    const { saleId } = (await sell(id(0), id(0, 'bob'))).json
    await ask('DELETE', '/api/account', { headers: ann.cookie })
    expect((await dataset()).lines.map((line) => line.id)).toEqual([id(0, 'bob'), id(1, 'bob')])
    expect((await sell(id(0), id(1))).json).toMatchObject({ ok: true, soldIds: [], skippedIds: [id(0), id(1)] })
    expect((await dataset(`?saleId=${saleId}`)).lines).toHaveLength(2)
  })
})

describe('the operator', () => {
  test('sells what exists and is not excluded, in the order sent, and again', async () => {
    await ask('PATCH', `/api/traces/${id(1)}`, { headers: ann.bearer, json: { sellExcluded: true } })
    const { status, json } = await sell(id(2), id(1), id(0, 'bob').toUpperCase(), id(9), id(0), id(2))
    expect([status, json]).toEqual([
      200,
      {
        ok: true,
        saleId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
        soldIds: [id(2), id(0, 'bob'), id(0)],
        skippedIds: [id(1), id(9)],
      },
    ])
    expect((await sell(id(2))).json.soldIds).toEqual([id(2)])
    expect((await ask('GET', `/api/traces/${id(2)}`, { headers: ann.bearer })).json.trace.saleCount).toBe(2)
  })

  test('is refused what is no sale', async () => {
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
      expect([status, json]).toEqual([400, { ok: false, error: 'invalid_body' }])
    }
    for (const headers of [{}, ann.bearer, { authorization: 'Bearer wrong' }]) {
      expect((await ask('POST', '/api/admin/sales', { headers, json: sale })).status).toBe(401)
      expect((await ask('GET', '/api/admin/dataset', { headers })).status).toBe(401)
    }
  })

  test('reads what may be sold as JSON Lines, page by page', async () => {
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
    expect(documents[0]!.messages).toEqual(JSON.parse(madeTrace('ann', 0).messages))
  })

  test('reads nothing of who gave it, and no hash that would let a buyer test guesses of what was taken out', async () => {
    const hash = contentHash([{ role: 'user', content: 'call 555-12-3456' }])
    const shown = [
      { position: 0, role: 'user', content: 'call [SSN_1]', tokenCount: 2, createdAt: null, truncated: false },
    ]
    const piece = (n: number, owner: Signed, more: object) =>
      traces.seedTraces(owner.userId, [madeTrace('p', n, { sourceId: 'conversation 7', ...more })])
    piece(0, ann, { contentHash: hash, redactions: '{"ssn":1}', messages: JSON.stringify(shown) })
    piece(1, ann, { sourceId: 'other', parentTraceId: 'conversation 7' })
    piece(2, bob, {})
    const { text } = await ask('GET', '/api/admin/dataset?limit=200', { headers: operator })
    for (const name of [ann.userId, bob.userId, 'ann@', hash]) expect(text).not.toContain(name)
    const [a, b] = text
      .trim()
      .split('\n')
      .slice(-3)
      .map((line) => TraceDocument.parse(JSON.parse(line)))
    expect(b!.parentTraceId).toBe(a!.sourceId)
    expect(a!.contentHash).toBe(contentHash(shown))
    expect(b!.contentHash).toBe(madeHash('p', 1))
  })
})
