import { fixture, makeId, makeTraces, seedTraces, type Fixture } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createStores } from '../../stores/libsql/stores.ts'
import { openTwoClients, sampledKinds, type TwoClients } from '../../stores/libsql/two-clients.fixture.ts'

const adminToken = 'operator-of-the-test'
const operator = { authorization: `Bearer ${adminToken}` }

describe.each(sampledKinds)('POST /api/admin/sales that sells nothing, %s', { tags: 'long' }, (kind) => {
  let database: TwoClients
  let made: Fixture
  beforeEach(async () => {
    database = await openTwoClients(kind)
    made = fixture({ stores: createStores(database.databases[0]), adminToken })
    await seedTraces(database.clients[0], (await made.signIn()).userId, makeTraces(2, 'ann'))
  })
  afterEach(() => database.close())

  const ask = async (method: string, path: string, json?: unknown) =>
    (await made.ask(method, path, { headers: operator, json })).json
  const sell = (sale: object) => ask('POST', '/api/admin/sales', { buyer: 'Lab', usd: 1000, ...sale })
  /** Returns the prices of the list of sales, and of the overview, in dollars. */
  const readPrices = async () => {
    const [{ items }, { days }] = await Promise.all([
      ask('GET', '/api/admin/sales'),
      ask('GET', '/api/admin/overview?days=1'),
    ])
    return { listed: items.map(({ usd }: { usd: number }) => usd), salesUsd: days[0].salesUsd }
  }

  test('records no price for unknown traces, and for a filter that no trace matches', async () => {
    const traceIds = [makeId('none', 0)]
    const listed = await sell({ traceIds })
    expect(listed).toMatchObject({ ok: true, soldIds: [], skippedIds: traceIds })
    const filtered = await sell({ filter: { minTokens: 1_000_000 } })
    expect(filtered).toMatchObject({ ok: true, traces: 0 })
    expect(await readPrices()).toEqual({ listed: [0, 0], salesUsd: 0 })
    for (const { saleId } of [listed, filtered])
      expect((await ask('GET', `/api/admin/sales/${saleId}`)).sale).toMatchObject({ usd: 0, traces: 0 })
    const audit = await ask('GET', '/api/admin/audit?action=sale.record')
    expect(audit.items.map(({ after }: { after: object }) => after)).toEqual([
      { buyer: 'Lab', usd: 0, traces: 0 },
      { buyer: 'Lab', usd: 0, traces: 0 },
    ])
  })

  test('records the price of one of six equal sales at once, which sells the traces', async () => {
    const traceIds = [makeId('ann', 0), makeId('ann', 1)]
    const sales = await Promise.all(Array.from({ length: 6 }, () => sell({ traceIds })))
    expect(sales.filter(({ soldIds }) => soldIds.length === 2)).toHaveLength(1)
    expect(sales.filter(({ soldIds }) => soldIds.length === 0)).toHaveLength(5)
    const { listed, salesUsd } = await readPrices()
    expect(listed.toSorted()).toEqual([0, 0, 0, 0, 0, 1000])
    expect(salesUsd).toBe(1000)
  })
})
