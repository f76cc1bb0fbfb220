import {
  createTestStores,
  fixture,
  makeId,
  makeTraces,
  seededRandom,
  seedTraces,
  type Fixture,
  type Signed,
  type TestStores,
} from '@tributary/test-kit'
import { beforeEach, describe, expect, test } from 'vitest'
import type { RecordSaleParams } from '../traces/dataset/store.ts'
import type { Stores } from '../stores.ts'
import { defaultDigest, silentLogger } from '../system.ts'
import { telemetryContract } from '../telemetry/contract.ts'
import { Unavailable } from '../unavailable.ts'
import { fail } from './failures.ts'
import { createIdempotency } from './idempotency.ts'

const adminToken = 'operator-of-the-test'
const contactEmail = 'desk@example.com'
const day = 24 * 60 * 60 * 1000
const campaign = {
  name: 'C',
  brandName: 'B',
  title: 'T',
  text: 'A line',
  url: 'https://x.example/',
  topics: [],
  cpmUsd: 10,
  budgetUsd: 5,
}

describe('Idempotency-Key', () => {
  let stores: TestStores
  let made: Fixture
  let ann: Signed
  const options = { adminToken, contactEmail }
  const openHost = (stores: Stores, seed = 9): Fixture =>
    fixture({ ...options, stores, clock: made.clock, random: seededRandom(seed) })
  beforeEach(async () => {
    stores = createTestStores()
    made = fixture({ ...options, stores })
    ann = await made.signIn('ann@example.com')
    await seedTraces(stores.client, ann.userId, makeTraces(3, 'ann'))
  })

  const operator = { authorization: `Bearer ${adminToken}` }
  const sale = { buyer: 'Acme', traceIds: [makeId('ann', 0), makeId('ann', 1)], usd: 10 }
  const routes = {
    'POST /api/admin/sales': {
      path: '/api/admin/sales',
      body: sale,
      other: { ...sale, usd: 11 },
      headers: () => operator,
    },
    'POST /api/admin/campaigns': {
      path: '/api/admin/campaigns',
      body: campaign,
      other: { ...campaign, budgetUsd: 6 },
      headers: () => operator,
    },
    'E2': { path: '/api/cli/feedback', body: { message: 'm' }, other: { message: 'n' }, headers: () => ann.bearer },
  } as const
  const effects: Record<keyof typeof routes, () => Promise<number>> = {
    'POST /api/admin/sales': async () => (await stores.dataset.listSales({ cursor: null, limit: 99 })).items.length,
    'POST /api/admin/campaigns': async () => (await stores.ads.listCampaigns({ cursor: null, limit: 99 })).items.length,
    'E2': async () => (await stores.telemetry.listFeedback({ cursor: null, limit: 99 })).items.length,
  }
  type Route = keyof typeof routes
  const send = (route: Route, key: string | null, { json = routes[route].body as unknown, at = made } = {}) =>
    at.ask('POST', routes[route].path, {
      json,
      headers: { ...routes[route].headers(), ...(key === null ? {} : { 'idempotency-key': key }) },
    })

  describe.each(Object.keys(routes) as Route[])('%s', (route) => {
    test('answers a repeated key with the first reply, from any host and with any key order in the body, and has one effect', async () => {
      const first = await send(route, 'k')
      expect([first.status < 300, first.headers.get('idempotency-replayed')]).toEqual([true, null])
      const reordered = Object.fromEntries(Object.entries({ unknown: 1, ...routes[route].body }).toReversed())
      for (const again of [
        await send(route, 'k', { at: openHost(stores) }),
        await send(route, 'k', { json: reordered }),
      ]) {
        expect([again.status, again.text, again.headers.get('idempotency-replayed')]).toEqual([
          first.status,
          first.text,
          'true',
        ])
      }
      expect(await effects[route]()).toBe(1)
      await made.service.work()
      expect(made.mailer.mails.filter(({ to }) => to === contactEmail)).toHaveLength(route === 'E2' ? 1 : 0)
    })

    test('has one effect for each call without an idempotency key', async () => {
      for (let call = 0; call < 2; call++)
        expect((await send(route, null)).headers.get('idempotency-replayed')).toBeNull()
      expect(await effects[route]()).toBe(2)
    })

    test('returns 422 for a different body with the same key, and 400 for an invalid key', async () => {
      await send(route, 'k')
      const reused = await send(route, 'k', { json: routes[route].other })
      expect([reused.status, reused.json]).toEqual([422, { ok: false, error: 'idempotency_key_reused' }])
      for (const key of ['', 'x'.repeat(256), 'ü']) {
        const invalid = await send(route, key)
        expect([key, invalid.status]).toEqual([key, 400])
        expect(invalid.json).toMatchObject({ ok: false, error: 'invalid_idempotency_key' })
        const reason = 'idempotency-key: 1 to 255 printable ASCII characters'
        const { issues } = invalid.json
        expect(invalid.headers.get('x-error-detail') ?? `${issues[0].path[0]}: ${issues[0].message}`).toBe(reason)
      }
      for (const key of ['x'.repeat(255), 'a b~!']) expect((await send(route, key)).status).toBeLessThan(300)
    })

    test('has one effect for 20 concurrent calls on two hosts, and returns 409 or the first reply to the others', async () => {
      const second = openHost(stores)
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, at) => send(route, 'k', { at: at % 2 ? made : second })),
      )
      const fresh = answers.filter(
        ({ status, headers }) => status < 300 && headers.get('idempotency-replayed') === null,
      )
      expect(fresh).toHaveLength(1)
      const [refused, replied] = [
        answers.filter(({ status }) => status === 409),
        answers.filter(({ status }) => status !== 409),
      ]
      for (const { json, headers } of refused)
        expect([json, headers.get('retry-after')]).toEqual([{ ok: false, error: 'idempotency_in_progress' }, '1'])
      for (const { text } of replied) expect(text).toBe(fresh[0]!.text)
      expect(await effects[route]()).toBe(1)
    })

    test('completes the first call after a crash between the effect and the record of its reply', async () => {
      const crashed = openHost({
        ...stores,
        idempotency: { ...stores.idempotency, storeReply: () => new Promise<void>(() => undefined) },
      })
      void send(route, 'k', { at: crashed })
      await expect.poll(effects[route]).toBe(1)
      expect((await send(route, 'k')).json).toEqual({ ok: false, error: 'idempotency_in_progress' })
      made.clock.advance(30_000)
      const done = await send(route, 'k')
      expect([done.status < 300, done.headers.get('idempotency-replayed')]).toEqual([true, null])
      expect((await send(route, 'k')).text).toBe(done.text)
      expect(await effects[route]()).toBe(1)
      await made.service.work()
      expect(made.mailer.mails.filter(({ to }) => to === contactEmail)).toHaveLength(route === 'E2' ? 1 : 0)
    })

    test('returns the reply although it could not be recorded, and the next call with the key has no second effect', async () => {
      const rejectUnavailable = async (): Promise<never> =>
        Promise.reject(new Unavailable(new Error('the store is away')))
      const first = await send(route, 'k', {
        at: openHost({ ...stores, idempotency: { ...stores.idempotency, storeReply: rejectUnavailable } }),
      })
      expect(first.status).toBeLessThan(300)
      made.clock.advance(30_000)
      expect((await send(route, 'k')).status).toBe(first.status)
      expect(await effects[route]()).toBe(1)
    })

    test('has a second effect for the same key after 30 days', async () => {
      await send(route, 'k')
      made.clock.advance(30 * day)
      expect((await send(route, 'k')).headers.get('idempotency-replayed')).toBe('true')
      made.clock.advance(1)
      const anew = await send(route, 'k')
      expect([anew.status < 300, anew.headers.get('idempotency-replayed')]).toEqual([true, null])
      expect(await effects[route]()).toBe(2)
    })
  })

  test('does not record an outage: the same call can be repeated immediately, with the same effect id', async () => {
    const ids: string[] = []
    const { dataset: whole } = stores
    const dataset = Object.create(whole, {
      findSale: { value: whole.findSale.bind(whole) },
      listSaleCandidates: { value: whole.listSaleCandidates.bind(whole) },
      listSkipReasons: { value: whole.listSkipReasons.bind(whole) },
      recordSale: {
        value: async ({ sale }: RecordSaleParams) => {
          ids.push(sale.id)
          throw new Unavailable(new Error('the reply was lost'))
        },
      },
    }) as Stores['dataset']
    expect((await send('POST /api/admin/sales', 'k', { at: openHost({ ...stores, dataset }) })).status).toBe(503)
    const { status, json } = await send('POST /api/admin/sales', 'k')
    expect([status, json.saleId]).toEqual([200, ids[0]])
  })

  test('counts the lease of a call from its claim, not from its arrival', async () => {
    const slow = openHost({
      ...stores,
      auth: {
        ...stores.auth,
        async findCredential(params) {
          made.clock.advance(40_000)
          return stores.auth.findCredential(params)
        },
      },
      idempotency: { ...stores.idempotency, storeReply: () => new Promise<void>(() => undefined) },
    })
    void send('E2', 'k', { at: slow })
    await expect.poll(effects['E2']).toBe(1)
    expect((await send('E2', 'k')).json).toEqual({ ok: false, error: 'idempotency_in_progress' })
  })

  test('treats the same key of two operators as two keys', async () => {
    const token = 'another-operator-of-the-test'
    const at = fixture({
      ...options,
      stores,
      clock: made.clock,
      random: seededRandom(9),
      adminTokens: [{ name: 'jo', token }],
    })
    const headers = { 'authorization': `Bearer ${token}`, 'idempotency-key': 'k' }
    const [first, second] = [
      await send('POST /api/admin/sales', 'k'),
      await at.ask('POST', '/api/admin/sales', { json: sale, headers }),
    ]
    expect([second.headers.get('idempotency-replayed'), second.json.saleId === first.json.saleId]).toEqual([
      null,
      false,
    ])
  })

  test('treats the same key of two users, or of two routes of an operator, as two keys', async () => {
    const bob = await made.signIn('bob@example.com')
    const [first, second] = [
      await send('E2', 'k'),
      await made.ask('POST', '/api/cli/feedback', {
        json: { message: 'm' },
        headers: { ...bob.bearer, 'idempotency-key': 'k' },
      }),
    ]
    expect(second.json.id).not.toBe(first.json.id)
    await send('POST /api/admin/sales', 'k')
    const campaignReply = await send('POST /api/admin/campaigns', 'k')
    expect([campaignReply.status, campaignReply.headers.get('idempotency-replayed')]).toEqual([201, null])
    expect(await effects['POST /api/admin/campaigns']()).toBe(1)
  })

  test('treats the same key for two campaigns as two keys, and either case of an id as the same campaign', async () => {
    const create = async () =>
      (await made.ask('POST', '/api/admin/campaigns', { json: campaign, headers: operator })).json.campaign.id as string
    const [first, second] = [await create(), await create()]
    const correct = async (id: string) => {
      const { json, headers } = await made.ask('POST', `/api/admin/campaigns/${id}/corrections`, {
        json: { usd: 1, reason: 'r' },
        headers: { ...operator, 'idempotency-key': 'k' },
      })
      return [json.campaign.id, json.campaign.spentUsd, headers.get('idempotency-replayed')]
    }
    expect(await correct(first)).toEqual([first, 1, null])
    expect(await correct(second)).toEqual([second, 1, null])
    expect(await correct(first.toUpperCase())).toEqual([first, 1, 'true'])
  })

  test.each([
    ['method', { method: 'PUT', path: '/a' }],
    ['path', { method: 'POST', path: '/b' }],
  ] as const)('returns 422 for a used key with a different %s and the same body', async (_, changed) => {
    const idempotency = createIdempotency({
      store: stores.idempotency,
      clock: made.clock,
      digest: defaultDigest,
      random: seededRandom(1),
      logger: silentLogger,
    })
    const user = { id: ann.userId, email: null, via: 'token', credential: null, signedInAt: null } as const
    const call = (route: { method: 'POST' | 'PUT'; path: string }) =>
      idempotency(
        {
          route: { ...telemetryContract.sendFeedback, ...route },
          user,
          operator: null,
          key: 'k',
          body: { message: 'm' },
          effectId: '01900000-0000-7000-8000-000000000001',
        },
        () => ({ ok: true }),
      )
    expect(await call({ method: 'POST', path: '/a' })).toEqual({ ok: true })
    expect(await call(changed)).toMatchObject({ code: 'idempotency_key_reused' })
  })

  test('does not record a rate limit: the same call can be repeated when the limit has passed', async () => {
    const idempotency = createIdempotency({
      store: stores.idempotency,
      clock: made.clock,
      digest: defaultDigest,
      random: seededRandom(1),
      logger: silentLogger,
    })
    const answers = [fail('rate_limited', {}, [['retry-after', '1']]), { ok: true }]
    const call = () =>
      idempotency(
        {
          route: telemetryContract.sendFeedback,
          user: { id: ann.userId, email: null, via: 'token', credential: null, signedInAt: null },
          operator: null,
          key: 'k',
          body: { message: 'm' },
          effectId: '01900000-0000-7000-8000-000000000001',
        },
        () => answers.shift(),
      )
    expect(await call()).toMatchObject({ code: 'rate_limited' })
    expect(await call()).toEqual({ ok: true })
  })

  test("work() deletes keys after 30 days, and deleting an account deletes the user's keys", async () => {
    const { idempotency } = stores
    await send('E2', 'old')
    made.clock.advance(30 * day + 1)
    const again = await made.signIn('ann@example.com')
    await made.ask('POST', '/api/cli/feedback', {
      json: { message: 'm' },
      headers: { ...again.bearer, 'idempotency-key': 'new' },
    })
    await made.service.work()
    expect((await idempotency.export({ ownerId: ann.userId })).map(({ key }) => key)).toEqual(['new'])
    await made.ask('DELETE', '/api/account', { headers: again.cookie })
    await made.service.work()
    expect(await idempotency.export({ ownerId: ann.userId })).toEqual([])
  })
})
