import { createHash } from 'node:crypto'
import { createTestStores, fixture, type Fixture, type Signed } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { AdNetwork, AdQuestion, NetworkAd } from '../ports.ts'
import type { Stores } from '../stores.ts'
import { accountMessages } from '../messages/account.ts'
import { sentAlways, sentUntracked, sentWithAttribution } from './disclosure.ts'
import { operator, paidCampaign, type ServedAd } from './fixture.ts'
import { gravity } from './gravity.ts'
import { networkTimeoutMs } from './network.ts'

const sponsor: NetworkAd = {
  text: 'From the network',
  clickUrl: 'https://click.network.example/1',
  impUrl: 'https://imp.network.example/1',
  url: 'https://acme.example/',
}
const promotion = { text: 'Contribute a trace today', url: 'https://tributary.example/why' }
const printOf = (text: string, target: string): string =>
  createHash('sha256').update(`${text}\n${target}`).digest('hex')

let questions: AdQuestion[]
let reported: string[]
let answers: () => Promise<NetworkAd | null>
let stores: Stores
let made: Fixture
let ann: Signed
const network: AdNetwork = {
  name: 'test',
  report: async (url) => void reported.push(url),
  ask(question) {
    questions.push(question)
    return answers()
  },
}

beforeEach(async () => {
  questions = []
  reported = []
  answers = async () => sponsor
  stores = createTestStores()
  made = fixture({ stores, adminToken: operator.token, baseUrl: 'https://ads.example', ads: { network, promotion } })
  ann = await made.signIn('ann@mail.example')
  await made.ask('POST', '/api/program/claim', { headers: ann.bearer, json: { deviceId: 'device-1' } })
})
afterEach(() => vi.useRealTimers())

const requestAd = async (query = 'd=device-1', headers: Record<string, string> = {}): Promise<ServedAd> =>
  (await made.ask('GET', `/api/ad?${query}`, { headers: { ...ann.bearer, ...headers } })).json as ServedAd
const start = (changes: object = {}) =>
  made.ask('POST', '/api/admin/campaigns', {
    headers: operator.bearer,
    json: { ...paidCampaign, topics: [], ...changes },
  })
const claimQueued = async () =>
  (
    await stores.outbox.claim({
      channel: 'impression',
      lease: 'test',
      now: 9e15,
      until: 9e15,
      limit: 10,
    })
  ).map(({ id, payload }) => [id, payload])
const recordImpression = async ({ ad }: ServedAd) => {
  made.clock.advance(1000)
  await made.ask('GET', new URL(ad!.impUrl).pathname)
}

describe('GET /api/ad: order of sources', () => {
  test('returns a matching campaign without asking the network', async () => {
    await start()
    expect((await requestAd()).ad!.text).toBe(paidCampaign.text)
    expect(questions).toEqual([])
  })

  test("returns the network's ad without a campaign, and queues the network's impression once the impression counted here", async () => {
    const served = await requestAd('d=device-1&topic=ai')
    expect(served).toMatchObject({
      matchType: 'contextual',
      ad: { text: 'From the network', url: 'https://acme.example/' },
    })
    expect(served.nonce).not.toBeNull()
    expect((await requestAd()).matchType).toBe('general')
    const gone = await made.ask('GET', new URL(served.ad!.clickUrl).pathname)
    expect(gone.headers.get('location')).toBe('https://click.network.example/1')
    await recordImpression(served)
    await recordImpression(served)
    expect(await claimQueued()).toEqual([[served.serveId, 'https://imp.network.example/1']])
  })

  test('reports one impression to the network after the impression was counted here', async () => {
    const [seen, unseen] = [await requestAd(), await requestAd()]
    await made.service.work()
    expect(reported).toEqual([])
    await recordImpression(seen)
    await recordImpression(seen)
    await made.service.work()
    await made.service.work()
    expect([reported, unseen.nonce === null]).toEqual([['https://imp.network.example/1'], false])
  })

  test('returns the promotion when the network has no ad, fails or sends an invalid ad', async () => {
    for (const given of [
      async () => null,
      () => Promise.reject(new Error('down')),
      async () => ({ ...sponsor, clickUrl: 'javascript:1' }),
    ]) {
      answers = given
      expect((await requestAd()).matchType).toBe('promotional')
    }
  })

  test('returns a test ad of the network without a nonce', async () => {
    answers = async () => ({ ...sponsor, test: true })
    expect(await requestAd()).toMatchObject({
      nonce: null,
      feedback: null,
      matchType: 'general',
      ad: { text: 'From the network', impUrl: '' },
    })
  })

  test('repeats the previous creative only when no other paid creative is available', async () => {
    await start()
    const prev = printOf(paidCampaign.text, paidCampaign.url)
    expect((await requestAd(`d=device-1&prev=${prev}`)).ad!.text).toBe('From the network')
    answers = async () => null
    expect((await requestAd(`d=device-1&prev=${prev}`)).ad!.text).toBe(paidCampaign.text)
    answers = async () => sponsor
    expect(
      (await requestAd(`d=device-1&prev=${printOf('From the network', 'https://click.network.example/1')}`)).ad!.text,
    ).toBe(paidCampaign.text)
  })

  test('skips a creative of the network or of a campaign that the user voted down', async () => {
    const served = await requestAd()
    await recordImpression(served)
    await made.ask('POST', '/api/ad/feedback', {
      headers: ann.bearer,
      json: { deviceId: 'device-1', token: served.feedback!.token, vote: 'down' },
    })
    expect((await requestAd()).matchType).toBe('promotional')
    await start()
    expect((await requestAd()).ad!.text).toBe(paidCampaign.text)
  })
})

test('GET /api/ad waits for the network only until its timeout', async () => {
  answers = () => new Promise(() => {})
  vi.useFakeTimers()
  let done = false
  const asking = requestAd().then((served) => ((done = true), served))
  while (questions.length === 0) await vi.advanceTimersByTimeAsync(0)
  await vi.advanceTimersByTimeAsync(networkTimeoutMs - 1)
  expect(done).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect((await asking).matchType).toBe('promotional')
})

describe('GET /api/ad: request to the network', () => {
  const grantConsent = () =>
    made.ask('PUT', '/api/account/consent', { headers: ann.bearer, json: { attribution: true, pixel: false } })
  const context = { 'x-ad-device-context': '{"v":1,"os":"linux","shell":7}', 'x-ad-attribution-context': '{' }

  test('contains the topic, a session and the device context, and no id of a person', async () => {
    await requestAd('d=device-1&topic=ai', context)
    expect(questions[0]).toEqual({
      topic: 'ai',
      session: expect.stringMatching(/^[0-9a-f]{64}$/),
      sessionEvents: null,
      device: { os: 'linux' },
      ids: null,
    })
    expect(JSON.stringify(questions)).not.toContain(ann.userId)
    expect(JSON.stringify(questions)).not.toContain('device-1')
  })

  test('contains hashes of device and user with consent, unless the call declines tracking', async () => {
    await grantConsent()
    await requestAd()
    expect(questions[0]!.ids).toEqual({
      device: expect.stringMatching(/^[0-9a-f]{64}$/),
      user: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    await requestAd('d=device-1', { 'sec-gpc': '1' })
    await requestAd('d=device-1', { dnt: '1' })
    expect([questions[1]!.ids, questions[2]!.ids]).toEqual([null, null])
  })

  test('contains the same session for a day, and another session on the next day and on another device', async () => {
    await requestAd()
    await requestAd()
    await requestAd('d=device-2')
    made.clock.advance(24 * 60 * 60 * 1000)
    await requestAd()
    const [one, two, other, next] = questions.map(({ session }) => session)
    expect(two).toBe(one)
    expect(new Set([one, other, next]).size).toBe(3)
  })

  test('contains nothing about a device of another user', async () => {
    const bob = await made.signIn('bob@mail.example')
    await made.ask('POST', '/api/program/claim', { headers: bob.bearer, json: { deviceId: 'device-of-bob' } })
    expect((await made.ask('GET', '/api/ad?d=device-of-bob', { headers: ann.bearer })).status).toBe(403)
    expect(questions).toEqual([])
  })
})

describe('GET /api/ad: data sent to the ad network', () => {
  const context = {
    os: 'linux',
    osVersion: '6.1',
    arch: 'x64',
    shell: 'zsh',
    terminal: 'kitty',
    editor: 'vim',
    locale: 'en',
    timezone: 'UTC',
    columns: 80,
    rows: 24,
  }
  const makeContextHeaders = (): Record<string, string> => {
    const at = new Date(made.clock()).toISOString()
    return {
      'x-ad-device-context': JSON.stringify({ v: 1, ...context, unknown: 'x' }),
      'x-ad-attribution-context': JSON.stringify({
        v: 1,
        sessionId: 's-1',
        startedAt: at,
        lastActivityAt: at,
        events: 3,
      }),
    }
  }
  const listPaths = (value: unknown, at = ''): string[] => {
    if (typeof value !== 'object' || value === null) return value === null ? [] : [at]
    return Object.entries(value).flatMap(([name, inner]) => listPaths(inner, at === '' ? name : `${at}.${name}`))
  }
  const listFields = (sent: typeof sentAlways): string[] => sent.flatMap(({ fields }) => fields)

  // promise: pseudonymous-device-account
  test('is the data that /account lists, with and without consent', async () => {
    const { text } = await made.ask('GET', '/account', { headers: ann.cookie })
    for (const { text: named } of [...sentAlways, ...sentWithAttribution, ...sentUntracked])
      expect(text).toContain(accountMessages[named])
    await requestAd('d=device-1&topic=ai', makeContextHeaders())
    expect(listPaths(questions[0]).sort()).toEqual(listFields(sentAlways).sort())
    await made.ask('PUT', '/api/account/consent', { headers: ann.bearer, json: { attribution: true, pixel: false } })
    await requestAd('d=device-1&topic=ai', makeContextHeaders())
    expect(listPaths(questions[1]).sort()).toEqual(listFields([...sentAlways, ...sentWithAttribution]).sort())
  })

  // promise: session-request
  test.each(['sec-gpc', 'dnt'])('is only the topic and a session of that one request with %s: 1', async (header) => {
    await made.ask('PUT', '/api/account/consent', { headers: ann.bearer, json: { attribution: true, pixel: true } })
    for (let i = 0; i < 3; i++) await requestAd('d=device-1&topic=ai', { ...makeContextHeaders(), [header]: '1' })
    await requestAd('d=device-1&topic=ai', { [header]: '1' })
    for (const question of questions) expect(listPaths(question).sort()).toEqual(listFields(sentUntracked).sort())
    expect(new Set(questions.map(({ session }) => session)).size).toBe(4)
  })

  // promise: names-shell-terminal-editor
  test('is all that the Gravity adapter sends about a person', async () => {
    const bodies: string[] = []
    const answer = { status: 204, body: null }
    const asking = gravity({ apiKey: 'k', fetch: async (_, { body }) => (bodies.push(body!), answer) })
    await requestAd('d=device-1&topic=ai', makeContextHeaders())
    await asking.ask(
      { ...questions[0]!, ids: { device: 'hashed device', user: 'hashed user' } },
      AbortSignal.timeout(1000),
    )
    const known = [...Object.values(context).map(String), questions[0]!.session, 'hashed device', 'hashed user']
    const constant = ['user', 'software development: ai', 'bottom_page', 'tributary-statusline', 'cli', 'desktop']
    const listValues = (value: unknown): string[] =>
      typeof value === 'object' && value !== null ? Object.values(value).flatMap(listValues) : [String(value)]
    expect(listValues(JSON.parse(bodies[0]!)).filter((value) => ![...known, ...constant].includes(value))).toEqual([])
  })
})
