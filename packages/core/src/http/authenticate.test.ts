import { createTestStores, fixture, type Fixture } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { createFailureLimiter, isFromOwnPages } from './authenticate.ts'
import { fail, type Failure } from './failures.ts'
import type { PlainRequest } from './message.ts'

const adminToken = 'operator-'.repeat(3)

describe('wrong operator tokens', () => {
  const attacker = '198.51.100.66'
  const openPlace = async () => {
    const made = fixture({ stores: createTestStores(), adminToken, rates: {} })
    const list = (token: string | null, address = attacker) =>
      made.ask('GET', '/api/admin/jobs', {
        address,
        headers: token === null ? {} : { authorization: `Bearer ${token}` },
      })
    const submitToken = (token: string, address = attacker) =>
      made.ask('POST', '/admin/sign-in', { address, form: { token } })
    return { ...made, list, form: submitToken }
  }

  // promise: twenty-wrong-tokens-minute
  test('returns 429 to an address after twenty wrong tokens in a minute, and still answers other addresses', async () => {
    const { list, clock } = await openPlace()
    const replies = []
    for (let n = 0; n < 21; n++) replies.push(await list(`wrong-${n}`))
    expect(replies.map(({ status }) => status)).toEqual([...Array(20).fill(401), 429])
    const last = replies.at(-1)!
    expect([last.json, Number(last.headers.get('retry-after')) > 0, last.headers.get('ratelimit-policy')]).toEqual([
      { ok: false, error: 'rate_limited' },
      true,
      '"operator";q=20;w=60',
    ])
    // A blocked caller does not learn that a guess was right.
    expect((await list(adminToken)).status).toBe(429)
    expect([(await list(adminToken, '203.0.113.9')).status, (await list('wrong', '203.0.113.9')).status]).toEqual([
      200, 401,
    ])
    clock.advance(121_000)
    expect((await list(adminToken)).status).toBe(200)
  })

  test('does not count requests with the right token or without a token', async () => {
    const { list } = await openPlace()
    for (let n = 0; n < 30; n++)
      expect([(await list(adminToken)).status, (await list(null)).status]).toEqual([200, 401])
    expect(
      (await Promise.all(Array.from({ length: 30 }, () => list(adminToken)))).every(({ status }) => status === 200),
    ).toBe(true)
    expect((await list('wrong')).status).toBe(401)
  })

  test('compares only twenty of fifty concurrent wrong tokens', async () => {
    const { list } = await openPlace()
    const statuses = (await Promise.all(Array.from({ length: 50 }, (_, n) => list(`wrong-${n}`)))).map(
      ({ status }) => status,
    )
    expect(statuses.filter((status) => status === 401)).toHaveLength(20)
    expect(statuses.filter((status) => status === 429)).toHaveLength(30)
  })

  test('POST /admin/sign-in counts wrong tokens toward the same limit as the API', async () => {
    const { list, form } = await openPlace()
    for (let n = 0; n < 10; n++)
      expect([(await list(`wrong-${n}`)).status, (await form(`wrong-${n}`)).status]).toEqual([401, 401])
    const stopped = await form('wrong')
    expect([
      stopped.status,
      stopped.text.includes('Too many wrong tokens'),
      Number(stopped.headers.get('retry-after')) > 0,
    ]).toEqual([429, true, true])
    expect((await form(adminToken)).status).toBe(429)
    expect((await form(adminToken, '203.0.113.9')).status).toBe(303)
    for (let n = 0; n < 25; n++) expect((await form(adminToken, '203.0.113.10')).status).toBe(303)
  })

  test('counts wrong tokens across all hosts that share a store', async () => {
    const stores = createTestStores()
    const hosts = [0, 1].map(() => fixture({ stores, adminToken, rates: {} }))
    const statuses = []
    for (let n = 0; n < 42; n++)
      statuses.push(
        (
          await hosts[n % 2]!.ask('GET', '/api/admin/jobs', {
            address: attacker,
            headers: { authorization: 'Bearer no' },
          })
        ).status,
      )
    expect(statuses.filter((status) => status === 401)).toHaveLength(20)
  })

  test('does not count wrong tokens if rates are off', async () => {
    const made = fixture({ stores: createTestStores(), adminToken, rates: 'off' })
    for (let n = 0; n < 40; n++)
      expect((await made.ask('GET', '/api/admin/jobs', { headers: { authorization: 'Bearer no' } })).status).toBe(401)
  })
})

describe('unknown tokens', () => {
  const send = (made: Fixture, method: string, path: string, authorization: string, address = '198.51.100.66') =>
    made.ask(method, path, { headers: { authorization }, address })

  test('are limited to 600 a minute per address, and each refusal uses the envelope of its endpoint', async () => {
    const made = fixture({ stores: createTestStores(), rates: {} })
    const jane = await made.signIn()
    const unknown = (await made.signIn()).bearer.authorization
    await made.ask('POST', '/api/auth/sign-out', { headers: { authorization: unknown } })
    const junk = ['Bearer junk', 'Basic abc', `Bearer trb_${'x'.repeat(36)}`, unknown]
    const statuses = []
    for (let n = 0; n < 600; n++) statuses.push((await send(made, 'GET', '/api/traces/access', junk[n % 4]!)).status)
    expect(new Set(statuses)).toEqual(new Set([401]))
    const limited: [method: string, path: string, body: unknown][] = [
      ['GET', '/api/traces/access', { ok: false, error: 'rate_limited' }],
      ['GET', '/api/ad?d=device-1', { ad: null, nonce: null, ttlMs: null, error: 'rate_limited' }],
      ['GET', '/api/ad/config?d=device-1', { error: 'rate_limited' }],
      ['POST', '/api/ad/feedback', { error: 'rate_limited' }],
    ]
    for (const [method, path, body] of limited) {
      for (const authorization of junk) {
        const reply = await send(made, method, path, authorization)
        expect([reply.status, reply.json]).toEqual([429, body])
        expect([Number(reply.headers.get('retry-after')) > 0, reply.headers.get('ratelimit-policy')]).toEqual([
          true,
          '"unknown_bearer";q=600;w=60',
        ])
      }
    }
    const path = '/api/cli/session'
    expect((await send(made, 'GET', path, jane.bearer.authorization)).status).toBe(200)
    expect((await made.ask('GET', path, { address: '198.51.100.66' })).status).toBe(401)
    expect((await send(made, 'GET', path, 'Bearer junk', '203.0.113.9')).status).toBe(401)
    made.clock.advance(121_000)
    expect((await send(made, 'GET', path, 'Bearer junk')).status).toBe(401)
  })
})

describe('createFailureLimiter', () => {
  const now = 1_700_000_000_000
  const refuseFor = (seconds: number | null): Failure<'rate_limited'> =>
    fail('rate_limited', {}, seconds === null ? [] : [['retry-after', String(seconds)]])

  test.each([
    [30, 30_000],
    [null, 1000],
  ])('blocks an address for the time that the failure states, or for one second: %s', async (seconds, ms) => {
    const failure = refuseFor(seconds)
    const { blocked, recordFailure } = createFailureLimiter('operator', async () => failure)
    expect(blocked('192.0.2.1', now)).toBeNull()
    expect(await recordFailure('192.0.2.1', now)).toBe(failure)
    const times = [now, now + ms - 1, now + ms]
    expect(times.map((at) => blocked('192.0.2.1', at))).toEqual([failure, failure, null])
    expect(blocked('192.0.2.2', now)).toBeNull()
  })

  test('keeps ten thousand addresses, and drops the oldest one for each further address', async () => {
    const failure = refuseFor(30)
    const { blocked, recordFailure } = createFailureLimiter('operator', async () => failure)
    const addressOf = (index: number): string => `10.0.${index >> 8}.${index & 255}`
    for (let index = 0; index < 10_000; index++) await recordFailure(addressOf(index), now)
    expect(blocked(addressOf(0), now)).toBe(failure)
    await recordFailure(addressOf(10_000), now)
    expect([0, 1, 10_000].map((index) => blocked(addressOf(index), now))).toEqual([null, failure, failure])
  })
})

test('GET /account accepts the cookie, and returns 401 for a valid bearer token, with or without the cookie', async () => {
  const made = fixture({ stores: createTestStores() })
  const ann = await made.signIn('ann@example.com')
  const read = async (headers: Record<string, string>) => (await made.ask('GET', '/account', { headers })).status
  expect([await read(ann.cookie), await read({ ...ann.cookie, ...ann.bearer }), await read(ann.bearer)]).toEqual([
    200, 401, 401,
  ])
})

describe('isFromOwnPages', () => {
  test.each([
    [{ 'sec-fetch-site': 'same-origin' }, true],
    [{ 'sec-fetch-site': 'none' }, true],
    [{ 'sec-fetch-site': 'same-site' }, false],
    [{ 'sec-fetch-site': 'cross-site' }, false],
    [{ origin: 'https://t.example' }, true],
    [{ origin: 'https://other.example' }, false],
    [{ origin: 'null' }, false],
    [{}, false],
  ])('called with %j returns %s', (headers, isOurs) => {
    expect(isFromOwnPages({ headers } as Partial<PlainRequest> as PlainRequest, ['https://t.example'])).toBe(isOurs)
  })
})
