import { fixture, temporaryDatabase, type Fixture, type TemporaryDatabase } from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { libsqlStores } from '../stores/libsql/index.ts'
import { purchaseOrder } from '../traces/buyers/contract.ts'
import { cursorAfter, type ListOrder, type ListQuery } from './list.ts'
import { openapi } from './openapi.ts'

const adminToken = 'operator-'.repeat(3)
let database: TemporaryDatabase
let made: Fixture
let person: Record<string, string>
let operator: Record<string, string>
let webhookId: string
let saleId: string
let buyer: Record<string, string>
/** The queries of the routes, by path. */
let queries: ReadonlyMap<string, unknown>
beforeAll(async () => {
  database = await temporaryDatabase()
  made = fixture({ stores: libsqlStores(database.client), adminToken })
  person = (await made.signIn()).bearer
  const headers = { authorization: `Bearer ${adminToken}` }
  const json = { url: 'https://hooks.example.com/' }
  webhookId = (await made.ask('POST', '/api/admin/webhooks', { headers, json })).json.webhook.id
  const added = await made.ask('POST', '/api/admin/buyers', { headers, json: { name: 'Lab' } })
  buyer = { authorization: `Bearer ${added.json.token}` }
  const sale = { buyer: 'Lab', usd: 1, traceIds: [webhookId] }
  saleId = (await made.ask('POST', '/api/admin/sales', { headers, json: sale })).json.saleId
  const reads = (await made.service.routes()).filter(({ route }) => route.method === 'GET')
  queries = new Map(reads.map(({ route }) => [route.path, route.query]))
  const { cookies } = await made.ask('POST', '/admin/sign-in', { form: { token: adminToken } })
  operator = {
    cookie: Object.entries(cookies)
      .map(([name, value]) => `${name}=${value}`)
      .join('; '),
  }
})
afterAll(() => database.close())

const paths = [
  '/api/traces',
  '/api/account/earnings',
  '/api/ingest/jobs',
  '/api/buyer/sales',
  '/api/buyer/sales/:id/dataset',
  '/api/buyer/removals',
  ...[
    'applications',
    'contributors',
    'jobs',
    'reports',
    'feedback',
    'outbox',
    'campaigns',
    'dataset',
    'waitlist',
    'audit',
    'webhooks/:id/deliveries',
    'balances',
    'sales',
    'sales/:id/traces',
    'payouts',
    'payout-requests',
    'buyers',
    'removals',
  ].map((name) => `/api/admin/${name}`),
]
const get = (path: string, pairs: readonly (readonly [string, string])[]) =>
  made.ask('GET', `${path.replace(':id', /\/sales\//.test(path) ? saleId : webhookId)}?${queryOf(pairs)}`, {
    headers: credentialOf(path),
  })
const queryOf = (pairs: readonly (readonly [string, string])[]): string =>
  new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString()
const credentialOf = (path: string): Record<string, string> => {
  if (path.startsWith('/api/buyer')) return buyer
  return path.startsWith('/api/admin') ? { authorization: `Bearer ${adminToken}` } : person
}
/** Returns two cursors without an entry: a cursor before the first entry and a cursor after the last entry. */
function unusedCursors(path: string): readonly [string, string] {
  if (['/api/ingest/jobs', 'deliveries', ':id/dataset'].some((name) => path.endsWith(name)))
    return ['00000000-0000-0000-0000-000000000000', 'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF']
  const isByNumber = ['/api/traces', 'earnings', '/api/buyer/removals', 'dataset']
  if (isByNumber.some((name) => path.endsWith(name))) return ['0', '9999999999']
  const [order] = listOrders(path)
  return [cursorAfter({ num: 0, value: 0 }, order), cursorAfter({ num: 9_999_999_999, value: 9_999_999_999 }, order)]
}
/** Returns every sort and order of a list whose cursors depend on them, the default first. */
function listOrders(path: string): readonly [ListOrder, ...ListOrder[]] {
  if (path === '/api/buyer/sales') return [purchaseOrder]
  const query = queries.get(path)! as ReturnType<typeof ListQuery>
  const { sort, order } = query.parse({})
  const sorts = query.shape.sort.unwrap().options
  const all = sorts.flatMap((one) => (['asc', 'desc'] as const).map((to) => ({ sort: one, order: to })))
  return [{ sort, order }, ...all.filter((one) => one.sort !== sort || one.order !== order)]
}
const refusedFor = (name: string) => [
  400,
  {
    ok: false,
    error: 'invalid_query',
    issues: [expect.objectContaining({ path: [name], message: expect.any(String) })],
  },
]

test('the tested paths are exactly the lists of the service', async () => {
  const lists = (await made.service.routes())
    .filter(({ route }) => route.query && 'cursor' in route.query.shape && route.path.startsWith('/api/'))
    .map(({ route }) => route.path)
  expect(lists.sort()).toEqual([...paths].sort())
})

describe.each(paths)('%s', (path) => {
  test.each([
    'zz!',
    'zzz',
    '-1',
    '1.5',
    '1E3',
    '+5',
    ' 5',
    '0X1F',
    'Null',
    'NaN',
    '[object Object]',
    '5;drop table users',
    '\u0000',
    '\u0661',
    '😀',
    '../',
    'Z'.repeat(11),
    '9'.repeat(300),
  ])('returns 400 for the cursor %j', async (cursor) => {
    const { status, json } = await get(path, [['cursor', cursor]])
    expect([status, json]).toEqual(refusedFor('cursor'))
  })

  test.each([
    '0x10',
    '1e2',
    ' 5',
    '5 ',
    '+5',
    '-5',
    '5.0',
    '',
    '0',
    '201',
    'NaN',
    'Infinity',
    '\u0665',
    '99999999999999999999',
  ])('returns 400 for the limit %j', async (limit) => {
    const { status, json } = await get(path, [['limit', limit]])
    expect([status, json]).toEqual(refusedFor('limit'))
  })

  test('returns 400 for a repeated parameter, and 400 with the nearest name for an unknown parameter', async () => {
    expect(
      (
        await get(path, [
          ['limit', '5'],
          ['limit', '5'],
        ])
      ).status,
    ).toBe(400)
    const [cursor] = unusedCursors(path)
    expect(
      (
        await get(path, [
          ['cursor', cursor],
          ['cursor', cursor],
        ])
      ).status,
    ).toBe(400)
    const valid = [
      ['limit', '200'],
      ['cursor', cursor],
    ] as const
    expect((await get(path, valid)).status).toBe(200)
    for (const [name, message] of [
      ['limits', 'unknown parameter; did you mean limit?'],
      ['Cursor', 'unknown parameter; did you mean cursor?'],
      ['constructor', expect.stringMatching(/^unknown parameter; the parameters are .*limit/)],
      ['__proto__', expect.stringMatching(/^unknown parameter; /)],
    ] as const) {
      const { json } = await get(path, [...valid, [name, '1']])
      expect(json.issues).toEqual([{ path: [name], code: 'unknown_parameter', message }])
    }
  })

  test('returns 400 for a cursor of another sort or order, and 200 for a cursor of the same', async () => {
    if (!/~/.test(unusedCursors(path)[0])) return
    const orders = listOrders(path)
    const cursors = [...orders, { sort: 'another', order: 'desc' } as const].map((order) => [
      order,
      cursorAfter({ num: 5, value: 5 }, order),
    ]) as [ListOrder, string][]
    const accepted = [200, expect.anything()]
    for (const asked of orders) {
      const sort =
        orders.length === 1
          ? []
          : ([
              ['sort', asked.sort],
              ['order', asked.order],
            ] as const)
      for (const [{ sort: name, order }, cursor] of cursors) {
        const isSame = name === asked.sort && order === asked.order
        const { status, json } = await get(path, [...sort, ['cursor', cursor]])
        expect([asked, cursor, status, json]).toEqual([asked, cursor, ...(isSame ? accepted : refusedFor('cursor'))])
      }
    }
  })

  test('returns 200 for a valid cursor that no entry has', async () => {
    for (const cursor of unusedCursors(path)) expect((await get(path, [['cursor', cursor]])).status).toBe(200)
  })
})

test('a list without parameters returns 400 for an unknown parameter', async () => {
  const routes = (await made.service.routes()).map(({ route }) => route)
  const lists = routes.filter(
    ({ id, path, summary }) => id === undefined && path.startsWith('/api/') && /^List /.test(summary),
  )
  expect(lists.filter(({ query }) => query === undefined).map(({ path }) => path)).toEqual([])
  for (const path of [
    `/api/ingest/jobs/${webhookId}/outcomes`,
    '/api/account/blocked-terms',
    '/api/account/machines',
  ]) {
    const { status, json } = await get(path, [['limit', '5']])
    const message = 'unknown parameter; there are none here'
    expect([status, json.issues]).toEqual([400, [{ path: ['limit'], code: 'unknown_parameter', message }]])
  }
})

test('GET /admin/:section returns 200 for any cursor', async () => {
  for (const section of [
    'applications',
    'contributors',
    'jobs',
    'sales',
    'campaigns',
    'reports',
    'feedback',
    'outbox',
    'waitlist',
    'audit',
    'webhooks',
    'buyers',
  ]) {
    const cursors = ['junk', '-1', 'NaN', '1e9', '9'.repeat(200), '\u0001', '😀', 'createdAt.asc~1~n1', 'at.asc~1~n1']
    for (const cursor of cursors) {
      const { status, text } = await made.ask('GET', `/admin/${section}?cursor=${encodeURIComponent(cursor)}`, {
        headers: operator,
      })
      expect([section, cursor, status, text.includes('cannot be shown')]).toEqual([section, cursor, 200, false])
    }
  }
})

test('/openapi.json describes limit as an optional integer', async () => {
  const document = openapi(await made.service.routes(), { baseUrl: 'https://x.example' }) as {
    paths: Record<string, { get: { parameters: object[] } }>
    components: { parameters: Record<string, object> }
  }
  expect(document.paths['/api/traces']!.get.parameters).toContainEqual({ $ref: '#/components/parameters/limit' })
  expect(document.components.parameters['limit']).toMatchObject({
    name: 'limit',
    in: 'query',
    required: false,
    schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
  })
})
