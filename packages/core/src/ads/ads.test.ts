import { createTestStores, fixture, type Answer, type Fixture, type Signed, type TestStores } from '@tributary/test-kit'
import { beforeEach, describe, expect, test } from 'vitest'
import { openapi } from '../http/openapi.ts'
import type { ServiceOptions } from '../service/options.ts'
import { Unavailable } from '../unavailable.ts'
import { operator, paidCampaign, type ServedAd } from './fixture.ts'

const promotion = { text: 'Contribute a trace today', url: 'https://tributary.example/why', brandName: 'Tributary' }
const device = 'device-of-ann-1'

let stores: TestStores
let made: Fixture
let ann: Signed
let bob: Signed

async function open(options: Partial<ServiceOptions> = {}): Promise<void> {
  stores = createTestStores()
  made = fixture({ stores, adminToken: operator.token, baseUrl: 'https://example.com/tributary', ...options })
  ann = await made.signIn('ann@mail.example')
  bob = await made.signIn('bob@mail.example')
}
beforeEach(() => open())

const ask = (query: string, headers: Record<string, string> = ann.bearer): Promise<Answer> =>
  made.ask('GET', `/api/ad${query}`, { headers })
const requestAd = async (query = `?d=${device}`, headers: Record<string, string> = ann.bearer): Promise<ServedAd> =>
  (await ask(query, headers)).json as ServedAd
const start = (changes: object = {}) =>
  made.ask('POST', '/api/admin/campaigns', {
    headers: operator.bearer,
    json: { ...paidCampaign, topics: [], ...changes },
  })
const claim = (deviceId: string, person = ann, headers: Record<string, string> = {}) =>
  made.ask('POST', '/api/program/claim', { headers: { ...person.bearer, ...headers }, json: { deviceId } })
const toLocalPath = (address: string): string => address.replace('https://example.com/tributary', '')
const recordImpression = (served: ServedAd, method = 'GET') => made.ask(method, toLocalPath(served.ad!.impUrl))
const sendVote = (json: object, person = ann) => made.ask('POST', '/api/ad/feedback', { headers: person.bearer, json })
const pickStatusAndBody = ({ status, json }: Answer) => [status, json]

async function showAd(query?: string): Promise<ServedAd> {
  const served = await requestAd(query)
  made.clock.advance(1000)
  await recordImpression(served)
  return served
}

describe('GET /api/ad', () => {
  test('returns 401 with an empty ad when there is no session', async () => {
    expect(pickStatusAndBody(await ask(`?d=${device}`, {}))).toEqual([
      401,
      { ad: null, nonce: null, ttlMs: null, needsLogin: true },
    ])
  })

  test.each([
    '',
    '?d=',
    `?d=${'x'.repeat(513)}`,
    '?d=a&d=b',
    '?d=a&topic=cars',
    '?d=a&prev=abc',
    `?d=a&prev=${'A'.repeat(64)}`,
  ])('returns 400 for the query %s', async (query) => {
    expect(pickStatusAndBody(await ask(query))).toEqual([400, { error: 'invalid_query' }])
  })

  test("returns device_not_owned for another user's device, whether or not there is an ad", async () => {
    await claim(device, bob)
    expect(pickStatusAndBody(await ask(`?d=${device}`))).toEqual([403, { error: 'device_not_owned' }])
    await start()
    expect(pickStatusAndBody(await ask(`?d=${device}`))).toEqual([403, { error: 'device_not_owned' }])
    expect((await requestAd(`?d=${device}`, bob.bearer)).ad).not.toBeNull()
  })

  test('returns 503 when the store is unavailable and 429 above the rate limit, with an empty ad', async () => {
    stores.ads.listActiveCampaigns = () => Promise.reject(new Unavailable(new Error('gone')))
    expect(pickStatusAndBody(await ask(`?d=${device}`))).toEqual([
      503,
      { ad: null, nonce: null, ttlMs: null, error: 'unavailable' },
    ])
    await open({ rates: { person: { limit: 3, windowMs: 60_000 } } })
    while ((await ask(`?d=${device}`)).status === 200) {
      /* These calls use up the rate limit. */
    }
    const limited = await ask(`?d=${device}`)
    expect(pickStatusAndBody(limited)).toEqual([429, { ad: null, nonce: null, ttlMs: null, error: 'rate_limited' }])
    expect(limited.headers.get('retry-after')).toMatch(/^\d+$/)
  })

  test('returns upgrade_required to an old client before authentication; POST /api/ad/feedback and /api/program/claim do too', async () => {
    await open({ minVersion: '2.0.0' })
    const headers = { 'authorization': 'Bearer nobody', 'x-cli-version': '2.0.0-rc.1' }
    const upgrade = [
      426,
      { error: 'upgrade_required', minVersion: '2.0.0', upgradeCommand: 'upgrade this client to 2.0.0 or later' },
    ]
    expect(pickStatusAndBody(await ask('', headers))).toEqual(upgrade)
    expect(pickStatusAndBody(await made.ask('POST', '/api/ad/feedback', { headers }))).toEqual(upgrade)
    expect(pickStatusAndBody(await made.ask('POST', '/api/program/claim', { headers }))).toEqual(upgrade)
    expect((await made.ask('GET', '/api/ad/config?d=a', { headers })).status).toBe(401)
    expect((await ask(`?d=${device}`, { ...ann.bearer, 'x-cli-version': '2.0.0' })).status).toBe(200)
  })

  test('serves the promotion without a nonce when there is no campaign and no network', async () => {
    await open({ ads: { promotion } })
    const served = await requestAd()
    expect(served).toMatchObject({
      nonce: null,
      matchType: 'promotional',
      feedback: null,
      ttlMs: 300_000,
      ad: { text: promotion.text, impUrl: '', url: promotion.url },
    })
    const gone = await made.ask('GET', toLocalPath(served.ad!.clickUrl))
    expect([gone.status, gone.headers.get('location')]).toEqual([302, promotion.url])
  })

  test('skips a creative that the user voted down', async () => {
    await start()
    await claim(device)
    const served = await showAd()
    expect(
      (await sendVote({ deviceId: device, token: served.feedback!.token, vote: 'down', reason: 'repetitive' })).status,
    ).toBe(200)
    expect((await requestAd()).ad).toBeNull()
    expect((await requestAd('?d=device-of-bob-1', bob.bearer)).ad).not.toBeNull()
    await start({ text: 'Something else' })
    expect((await requestAd()).ad!.text).toBe('Something else')
  })
})

describe('GET and POST /api/ad/imp/:nonce, GET /go/:code', () => {
  beforeEach(async () => {
    await start()
    await claim(device)
  })
  const countOutcomes = async () =>
    Object.fromEntries(
      (await stores.ads.listDays({ ownerId: ann.userId, device, fromDay: 0 })).map((one) => [one.outcome, one.count]),
    )

  // promise: reply-counted
  test('return the same reply whether or not the impression counts', async () => {
    const served = await requestAd()
    const answers = [
      await recordImpression(served),
      await made.ask('GET', '/api/ad/imp/nonsense'),
      await made.ask('POST', `/api/ad/imp/${served.nonce}x`),
    ]
    made.clock.advance(1000)
    answers.push(
      await recordImpression(served, 'HEAD'),
      await recordImpression(served, 'POST'),
      await recordImpression(served),
    )
    expect(answers.map(({ status, text }) => [status, text])).toEqual(answers.map(() => [204, '']))
    expect(await countOutcomes()).toEqual({ too_soon: 1, counted: 1, replayed: 1 })
    const unknown = { sql: "select count from ad_days where outcome = 'unknown'", args: [] }
    expect((await stores.client.execute(unknown)).rows).toMatchObject([{ count: 2 }])
  })

  test('count one of 200 concurrent calls with the same nonce', async () => {
    const served = await requestAd()
    made.clock.advance(1000)
    await Promise.all(Array.from({ length: 200 }, () => recordImpression(served)))
    expect(await countOutcomes()).toEqual({ counted: 1, replayed: 199 })
  })

  test('do not accept a token as a nonce, nor a nonce as a token', async () => {
    const served = await requestAd()
    made.clock.advance(1000)
    await made.ask('GET', `/api/ad/imp/${served.feedback!.token}`)
    expect(await countOutcomes()).toEqual({})
    await recordImpression(served)
    expect(pickStatusAndBody(await sendVote({ deviceId: device, token: served.nonce!, vote: 'up' }))).toEqual([
      404,
      { error: 'feedback_not_found' },
    ])
  })

  test('GET /go/:code returns 404 for an unknown code, and HEAD counts no click', async () => {
    for (const code of ['x', 'A'.repeat(22), `${'A'.repeat(21)}B`])
      expect(pickStatusAndBody(await made.ask('GET', `/go/${code}`))).toEqual([404, { ok: false, error: 'not_found' }])
    const served = await showAd()
    expect((await made.ask('HEAD', toLocalPath(served.ad!.clickUrl))).headers.get('location')).toBe(paidCampaign.url)
    expect(await countOutcomes()).toEqual({ counted: 1 })
  })

  test.each([
    ['warn', () => new Unavailable(new Error('gone'))],
    ['error', () => new Error('a bug')],
  ] as const)(
    'GET and POST /api/ad/imp/:nonce return 204 when the store fails, and log it at level %s',
    async (level, fault) => {
      const logged: [string, string][] = []
      const makeLogMethod = (name: string) => (_: object, message: string) => void logged.push([name, message])
      await open({
        country: () => 'US',
        logger: { info() {}, warn: makeLogMethod('warn'), error: makeLogMethod('error') },
      })
      await start()
      const served = await requestAd()
      Object.assign(
        stores.ads,
        Object.fromEntries(
          ['recordImpression', 'recordUnknownImpression', 'recordClick'].map((method) => [
            method,
            () => Promise.reject(fault()),
          ]),
        ),
      )
      for (const method of ['GET', 'POST']) expect((await recordImpression(served, method)).status).toBe(204)
      expect((await made.ask('GET', '/api/ad/imp/nonsense')).status).toBe(204)
      expect(logged).toEqual(Array.from({ length: 3 }, () => [level, 'ad.impression.failed']))
      expect((await made.ask('GET', toLocalPath(served.ad!.clickUrl))).status).toBe(level === 'warn' ? 503 : 500)
    },
  )

  test('return 429 above the rate limit of an IP address', async () => {
    await open({ rates: { events: { limit: 1, windowMs: 60_000 } } })
    await made.ask('GET', '/go/x')
    expect(pickStatusAndBody(await made.ask('GET', '/go/x'))).toEqual([429, { ok: false, error: 'rate_limited' }])
    expect((await made.ask('GET', '/api/ad/imp/x')).status).toBe(429)
    expect((await made.ask('POST', '/api/ad/imp/x')).status).toBe(429)
  })
})

describe('GET /api/ad/config', () => {
  const requestConfig = (headers: Record<string, string> = {}, query = `?d=${device}`) =>
    made.ask('GET', `/api/ad/config${query}`, { headers: { ...ann.bearer, ...headers } })
  const setConsent = (attribution: boolean, pixel: boolean) =>
    made.ask('PUT', '/api/account/consent', { headers: ann.bearer, json: { attribution, pixel } })

  test('returns the consent of the user, and false for a client that declines tracking', async () => {
    await open({ ads: { pixelId: 'px-1' } })
    await claim(device)
    expect((await requestConfig()).json).toEqual({ attribution: false, pixel: { enabled: false, id: 'px-1' } })
    await setConsent(true, true)
    expect((await requestConfig()).json).toEqual({ attribution: true, pixel: { enabled: true, id: 'px-1' } })
    for (const header of ['sec-gpc', 'dnt'])
      expect((await requestConfig({ [header]: '1' })).json).toEqual({
        attribution: false,
        pixel: { enabled: false, id: 'px-1' },
      })
    expect((await requestConfig({ dnt: '0' })).json.attribution).toBe(true)
  })

  test('returns an error for an unclaimed or foreign device, an invalid query and an unavailable store', async () => {
    expect(pickStatusAndBody(await requestConfig())).toEqual([403, { error: 'device_not_owned' }])
    await claim(device, bob)
    expect(pickStatusAndBody(await requestConfig())).toEqual([403, { error: 'device_not_owned' }])
    expect(pickStatusAndBody(await requestConfig({}, ''))).toEqual([400, { error: 'invalid_query' }])
    stores.contributors.getConsent = () => Promise.reject(new Unavailable(new Error('gone')))
    expect(pickStatusAndBody(await requestConfig())).toEqual([503, { error: 'config_unavailable' }])
    expect(pickStatusAndBody(await made.ask('GET', `/api/ad/config?d=${device}`))).toEqual([
      401,
      { error: 'unauthorized' },
    ])
  })
})

describe('POST /api/ad/feedback', () => {
  beforeEach(() => start())

  test('records a vote on the latest counted impression, and returns why any other vote is refused', async () => {
    await claim(device)
    const first = await requestAd()
    const up = { deviceId: device, token: first.feedback!.token, vote: 'up', reason: 'helpful' }
    expect(pickStatusAndBody(await sendVote(up))).toEqual([404, { error: 'feedback_not_found' }])
    made.clock.advance(1000)
    await recordImpression(first)
    for (let n = 0; n < 2; n++)
      expect(pickStatusAndBody(await sendVote(up))).toEqual([200, { ok: true, status: 'recorded' }])
    expect(pickStatusAndBody(await sendVote({ ...up, deviceId: 'device-9' }))).toEqual([
      404,
      { error: 'feedback_not_found' },
    ])
    expect(pickStatusAndBody(await sendVote(up, bob))).toEqual([403, { error: 'device_not_owned' }])
    expect(pickStatusAndBody(await sendVote({ ...up, deviceId: 'device-of-bob-1' }, bob))).toEqual([
      404,
      { error: 'feedback_not_found' },
    ])
    const second = await showAd()
    expect(pickStatusAndBody(await sendVote(up))).toEqual([409, { error: 'feedback_superseded' }])
    const later = { ...up, token: second.feedback!.token }
    made.clock.set(Date.parse(second.feedback!.expiresAt))
    expect(pickStatusAndBody(await sendVote(later))).toEqual([410, { error: 'feedback_expired' }])
    made.clock.advance(-1)
    expect((await sendVote(later)).status).toBe(200)
  })

  test('returns feedback_expired from 24 hours after the ad was served, as long as the serve is stored', async () => {
    await claim(device)
    const { feedback } = await showAd()
    const vote = { deviceId: device, token: feedback!.token, vote: 'up' }
    made.clock.set(Date.parse(feedback!.expiresAt))
    for (let days = 1; days < 7; days++) {
      expect(pickStatusAndBody(await sendVote(vote)), `after ${days} days`).toEqual([
        410,
        { error: 'feedback_expired' },
      ])
      made.clock.advance(24 * 60 * 60 * 1000)
    }
  })

  test("returns device_not_owned for another user's device, regardless of the token", async () => {
    const served = await showAd()
    await claim(device, bob)
    for (const token of [served.feedback!.token, 'x']) {
      expect(pickStatusAndBody(await sendVote({ deviceId: device, token, vote: 'up' }))).toEqual([
        403,
        { error: 'device_not_owned' },
      ])
    }
  })

  test.each([
    {},
    { token: 'x', vote: 'up' },
    { deviceId: device, token: 'x', vote: 'maybe' },
    { deviceId: device, token: 'x', vote: 'down', reason: 'helpful' },
    { deviceId: device, token: 'x', vote: 'up', reason: 'irrelevant' },
    { deviceId: device, token: 'x', vote: 'down', reason: 'because' },
  ])('returns 400 for %j', async (body) => {
    expect(pickStatusAndBody(await sendVote(body))).toEqual([400, { error: 'invalid_body' }])
  })
})

describe('POST /api/program/claim', () => {
  test('claims a device for one user, who can repeat the call', async () => {
    for (let n = 0; n < 2; n++)
      expect(pickStatusAndBody(await claim(device))).toEqual([200, { ok: true, result: 'claimed' }])
    expect(pickStatusAndBody(await claim(device, bob))).toEqual([409, { ok: false, error: 'already_claimed' }])
  })

  test('returns 409 too_many_devices for the eleventh device, and keeps the first ten devices', async () => {
    await open({ rates: {} })
    const replies = await Promise.all(Array.from({ length: 20 }, (_, n) => claim(`device-${n}-of-ann`)))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(10)
    const refused = replies.filter(({ status }) => status === 409)
    expect(refused.map(({ json }) => json)).toEqual(
      Array.from({ length: 10 }, () => ({ ok: false, error: 'too_many_devices' })),
    )
    const [own] = await stores.program.listDevices({ ownerId: ann.userId })
    expect((await claim(own!.id)).status).toBe(200)
    expect((await claim(device, bob)).status).toBe(200)
  })

  test('allows ads.maxDevices devices, or any number of devices when rates are off', async () => {
    for (let n = 0; n < 12; n++) expect((await claim(`device-${n}-of-ann`)).status).toBe(200)
    await open({ rates: {}, ads: { maxDevices: 1 } })
    expect([(await claim(device)).status, (await claim('device-of-ann-2')).status]).toEqual([200, 409])
  })

  test.each(['short', 'x'.repeat(65), 'under_score', 'slash/slash', 'späti-123', 'ann@example.com', ''])(
    'returns 400 for %j',
    async (deviceId) => {
      expect(pickStatusAndBody(await claim(deviceId))).toEqual([400, { ok: false, error: 'invalid_body' }])
    },
  )
})

test('/openapi.json lists the headers of GET /api/ad', async () => {
  const { paths } = openapi(await made.service.routes(), { baseUrl: 'https://example.com' }) as {
    paths: Record<string, Record<string, { parameters: { name: string; in: string; required: boolean }[] }>>
  }
  const { parameters } = paths['/api/ad']!['get']!
  const headers = parameters.filter((one) => one.in === 'header')
  expect(headers.map(({ name, required }) => [name, required])).toEqual([
    ['x-ad-device-context', false],
    ['x-ad-attribution-context', false],
    ['sec-gpc', false],
  ])
  expect(parameters).toContainEqual({ $ref: '#/components/parameters/x-cli-version' })
})

describe('GET /api/account/export and DELETE /api/account', () => {
  test('export and erase serves, votes and devices', async () => {
    await start()
    await claim(device)
    const served = await showAd()
    const exported = (await made.ask('GET', '/api/account/export', { headers: ann.bearer })).json
    expect(exported.account.ads).toMatchObject({
      serves: [{ id: served.serveId, device, outcome: 'counted' }],
      votes: [],
    })
    expect(exported.account.program).toMatchObject([{ id: device, claimedAt: '2026-11-20T12:00:00.000Z' }])
    await made.ask('DELETE', '/api/account', { headers: ann.cookie })
    await made.service.work()
    expect((await stores.ads.export({ ownerId: ann.userId })).serves).toEqual([])
    expect((await claim(device, bob)).status).toBe(200)
  })
})
