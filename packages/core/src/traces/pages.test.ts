import {
  byOperator,
  fixture,
  madeId,
  madeTrace,
  madeTraces,
  saleItems,
  saleShares,
  type Answer,
  type Fixture,
  type Signed,
} from '@tributary/test-kit'
import { beforeEach, expect, test } from 'vitest'
import { memoryStores, type MemoryTraces } from '../stores/memory/index.ts'
import type { Stores } from '../stores.ts'

let made: Fixture
let traces: MemoryTraces
let ingest: Stores['ingest']
let ann: Signed

beforeEach(async () => {
  const stores = memoryStores()
  traces = stores.traces as MemoryTraces
  ingest = stores.ingest
  made = fixture({ stores, baseUrl: 'https://example.com/tributary' })
  ann = await made.signIn('ann@example.com')
})

const id = (n: number): string => madeId('ann', n)
const state = async (n: number) => (await made.ask('GET', `/api/traces/${id(n)}`, { headers: ann.bearer })).json.trace
const open = (path = '/traces', headers: Record<string, string> = ann.cookie) => made.ask('GET', path, { headers })
const soldOnce = (n: number) =>
  traces.recordSale({
    sale: { id: madeId('sale', n), buyer: 'b', usd: 1, soldAt: 0 },
    items: saleItems([id(n)]),
    shares: saleShares(),
    audit: byOperator(),
  })

/** Sends the form as a browser does: one pair a ticked box. */
function send(pairs: [string, string][], headers: Record<string, string> = ann.cookie): Promise<Answer> {
  return made.ask('POST', '/traces', { headers, form: pairs as never })
}
const ticked = (...numbers: number[]): [string, string][] => numbers.map((n) => ['ids', id(n)])

test('who is not signed in is sent to sign in and comes back', async () => {
  for (const answer of [await open('/traces?cursor=a', {}), await send([['action', 'exclude'], ...ticked(0)], {})]) {
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toMatch(/^\/tributary\/sign-in\?next=%2Ftraces/)
  }
})

test('an empty page says how to upload', async () => {
  const { status, text } = await open()
  expect(status).toBe(200)
  expect(text).toContain('npm run example:contributor')
  expect(text).toContain('href="/tributary/terms"')
  expect(text).not.toContain('<table')
})

test('each trace shows what it is, with a box unless it was sold', async () => {
  traces.seedTraces(ann.userId, [
    ...madeTraces(3, 'ann'),
    madeTrace('ann', 3, {
      sourceId: '<b>"x"</b>',
      model: null,
      tokenCount: 1234567,
      estimatedUsd: 1.234567,
      source: 'codex_jsonl',
    }),
  ])
  await soldOnce(1)
  await traces.setSellExcluded({ ownerId: ann.userId, ids: [id(2)], sellExcluded: true })
  const { text, headers } = await open()
  expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  const rows = text.split('<tr role="row">').slice(2)
  expect(rows).toHaveLength(4)
  expect(rows[0]).toContain('Codex')
  expect(rows[0]).toContain('&lt;b&gt;&quot;x&quot;&lt;/b&gt;')
  expect(rows[0]).toContain('1,234,567')
  expect(rows[0]).toContain('$1.23')
  expect(rows[0]).toContain('May be sold')
  expect(rows[1]).toContain('Excluded')
  expect(rows[2]).toContain('Sold once')
  expect(rows[2]).toMatch(
    new RegExp(`disabled aria-describedby="state-${id(1)}"[^]*id="state-${id(1)}"\\s*>Sold once, locked<`),
  )
  expect(text.replaceAll(/\s+/g, ' ')).toContain('a trace can no longer be excluded or deleted, and may be sold again.')
  expect(rows[3]).not.toContain('disabled')
  expect(rows[3]).toContain(`href="/tributary/api/traces/${id(0)}/download"`)
  expect(rows[3]).toContain('$0.000002')
  expect(text).not.toMatch(/<script|style=|\son[a-z]+="/)
})

test('a stranger sees none of it', async () => {
  traces.seedTraces(ann.userId, [...madeTraces(2, 'ann')])
  const bob = await made.signIn('bob@example.com')
  expect((await open('/traces', bob.cookie)).text).not.toContain(id(0))
  const answer = await send([['action', 'exclude'], ...ticked(0)], bob.cookie)
  expect(answer.headers.get('location')).toBe('/tributary/traces?done=exclude&count=0&skipped=1')
  expect(await state(0)).toMatchObject({ sellExcluded: false })
})

test('the chosen ones are excluded and included, and the page says how many', async () => {
  traces.seedTraces(ann.userId, [...madeTraces(4, 'ann')])
  await soldOnce(3)
  const answer = await send([['action', 'exclude'], ['cursor', 'zz'], ...ticked(0, 2, 3)])
  expect([answer.status, answer.headers.get('location')]).toEqual([
    303,
    '/tributary/traces?done=exclude&count=2&skipped=1&cursor=zz',
  ])
  expect(await Promise.all([0, 1, 2, 3].map(async (n) => (await state(n)).sellExcluded))).toEqual([
    true,
    false,
    true,
    false,
  ])
  expect((await open('/traces?done=exclude&count=2&skipped=1')).text).toContain(
    '2 traces excluded from sale. 1 trace left as before',
  )
  await send([['action', 'include'], ...ticked(0)])
  expect(await state(0)).toMatchObject({ sellExcluded: false })
})

test('deleting asks first, on a page that deletes nothing by itself', async () => {
  traces.seedTraces(ann.userId, [...madeTraces(3, 'ann')])
  const asked = await send([['action', 'delete'], ['cursor', 'zz'], ...ticked(0, 1)])
  expect(asked.status).toBe(200)
  expect(asked.text).toContain('Delete 2 traces?')
  expect(asked.text).toContain('href="/tributary/traces?cursor=zz"')
  expect(await state(0)).toMatchObject({ id: id(0) })
  const fields = [...asked.text.matchAll(/<input\s+type="hidden"\s+name="([^"]+)"\s+value="([^"]+)"\s*\/?>/g)].map(
    (found) => [found[1], found[2]] as [string, string],
  )
  const done = await send([...fields, ['action', 'delete']])
  expect([done.status, done.headers.get('location')]).toEqual([
    303,
    '/tributary/traces?done=delete&count=2&skipped=0&cursor=zz',
  ])
  expect((await made.ask('GET', `/api/traces/${id(0)}`, { headers: ann.bearer })).status).toBe(404)
  expect(await state(2)).toMatchObject({ id: id(2) })
})

test.each([
  ['nothing chosen', [['action', 'exclude']]],
  ['no action', [['ids', madeId('ann', 0)]]],
  [
    'another action',
    [
      ['ids', madeId('ann', 0)],
      ['action', 'sell'],
    ],
  ],
  [
    'no id',
    [
      ['ids', 'x'],
      ['action', 'delete'],
      ['cursor', '<'],
    ],
  ],
] as [string, [string, string][]][])('%s changes nothing and says so', async (_, pairs) => {
  traces.seedTraces(ann.userId, [...madeTraces(1, 'ann')])
  const { status, text } = await send(pairs)
  expect(status).toBe(200)
  expect(text).toContain('role="alert"')
  expect(await state(0)).toMatchObject({ sellExcluded: false })
})

test('another site cannot send the form', async () => {
  traces.seedTraces(ann.userId, [...madeTraces(1, 'ann')])
  const answer = await send([['action', 'exclude'], ...ticked(0)], {
    'cookie': ann.cookie.cookie,
    'sec-fetch-site': 'cross-site',
  })
  expect(answer.status).toBe(403)
  expect(await state(0)).toMatchObject({ sellExcluded: false })
})

test('more than a page goes on to older ones and back', async () => {
  traces.seedTraces(ann.userId, [...madeTraces(51, 'ann')])
  const first = (await open()).text
  const older = /href="\/tributary(\/traces\?cursor=[^"]+)" rel="next"/.exec(first)?.[1]
  expect(first.match(/type="checkbox"/g)).toHaveLength(50)
  const second = (await open(older)).text
  expect(second.match(/type="checkbox"/g)).toHaveLength(1)
  expect(second).toContain(id(0))
  expect(second).toContain('href="/tributary/traces">Newest')
  expect(second).not.toContain('rel="next"')
})

test('uploads under way are told, and only those', async () => {
  const job = (n: number) => ({
    id: madeId('job', n),
    source: 'codex_jsonl',
    total: 1,
    parts: 1,
    bytes: 1,
    enqueuedAt: Date.UTC(2026, 10, 20, 12, n),
  })
  await ingest.enqueueJob({ ownerId: ann.userId, ...job(1) })
  await ingest.enqueueJob({ ownerId: ann.userId, ...job(2) })
  const claim = (await ingest.claimJob({
    lease: 'lease',
    now: Date.UTC(2027, 0),
    leaseUntil: Date.UTC(2028, 0),
    jobId: madeId('job', 1),
  }))!
  await ingest.failJob({ claim, message: 'broken', now: 0 })
  await ingest.enqueueJob({ ownerId: 'stranger', ...job(3) })
  const { text } = await open()
  expect(text).toContain('Uploads under way')
  expect(text).toContain(
    '<li>Codex, sent <time datetime="2026-11-20T12:02:00.000Z">2026-11-20 12:02</time> UTC: queued</li>',
  )
  expect(text.match(/<li>Codex/g)).toHaveLength(1)
})
