import { fixture, type Fixture, type Signed } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { Unavailable } from '../unavailable.ts'
import { storeKinds } from './stores.fixture.ts'

const minute = 60_000
const start = async ({ ask }: Fixture, machine = "jane's laptop") =>
  (await ask('POST', '/api/cli/device/start', { json: { machine } })).json
const poll = ({ ask }: Fixture, deviceCode: string) => ask('GET', `/api/cli/device/poll?deviceCode=${deviceCode}`)
const decideLogin = (
  { ask }: Fixture,
  how: 'approve' | 'deny',
  { cookie }: Signed,
  userCode: string,
  address?: string,
) => ask('POST', `/api/cli/device/${how}`, { headers: cookie, json: { userCode }, ...(address ? { address } : {}) })
const answer = async (reply: Promise<{ status: number; json: unknown }>) =>
  reply.then(({ status, json }) => [status, json])

describe.each(storeKinds)('%s', (_, open) => {
  test('POST /api/cli/device/start needs no credential', async () => {
    const place = fixture({ stores: await open(), baseUrl: 'https://traces.example.com/base' })
    const { json } = await place.ask('POST', '/api/cli/device/start', { json: { machine: 'laptop' } })
    expect(json).toEqual({
      ok: true,
      deviceCode: expect.stringMatching(/^[0-9A-Za-z]{43}$/),
      userCode: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verificationUrl: 'https://traces.example.com/base/device',
      verificationUrlComplete: `https://traces.example.com/base/device?code=${json.userCode}`,
      expiresAt: '2026-11-20T12:15:00.000Z',
      interval: 5,
    })
  })

  test('GET /api/cli/device/poll returns `pending`, then the token once, then 409', async () => {
    const place = fixture({ stores: await open() })
    const [jane, login] = [await place.signIn(), await start(place)]
    expect(await answer(poll(place, login.deviceCode))).toEqual([202, { ok: true, status: 'pending' }])
    expect(await answer(decideLogin(place, 'approve', jane, login.userCode.toLowerCase().replace('-', ' . ')))).toEqual(
      [200, { ok: true, status: 'approved', machine: "jane's laptop" }],
    )
    expect((await place.ask('HEAD', `/api/cli/device/poll?deviceCode=${login.deviceCode}`)).status).toBe(405)
    const approved = await poll(place, login.deviceCode)
    expect([approved.status, approved.json]).toEqual([
      200,
      { ok: true, status: 'approved', token: expect.stringMatching(/^trb_[0-9A-Za-z]{36}$/), userId: jane.userId },
    ])
    expect(await answer(poll(place, login.deviceCode))).toEqual([409, { error: 'access_denied' }])
    expect(await answer(decideLogin(place, 'deny', jane, login.userCode))).toEqual([409, { error: 'already_decided' }])
    place.clock.advance(15 * minute)
    expect(await answer(poll(place, login.deviceCode))).toEqual([409, { error: 'access_denied' }])
  })

  test('GET /api/cli/device/poll gives one working token to fifty concurrent polls', async () => {
    const place = fixture({ stores: await open() })
    const [jane, login, strange] = [await place.signIn(), await start(place), await start(place)]
    await decideLogin(place, 'approve', jane, login.userCode)
    const polls = await Promise.all(Array.from({ length: 50 }, () => poll(place, login.deviceCode)))
    const won = polls.filter(({ status }) => status === 200)
    expect([won.length, polls.filter(({ status }) => status === 409).length]).toEqual([1, 49])
    expect(
      (await place.ask('GET', '/api/cli/session', { headers: { authorization: `Bearer ${won[0]!.json.token}` } })).json
        .userId,
    ).toBe(jane.userId)
    expect((await place.ask('GET', '/api/account/machines', { headers: jane.cookie })).json.machines).toHaveLength(3)
    expect((await poll(place, strange.deviceCode)).status).toBe(202)
  })

  // promise: code-works-once
  test('POST /api/cli/device/approve and /deny take effect only once when called concurrently', async () => {
    const place = fixture({ stores: await open() })
    const [jane, john] = [await place.signIn(), await place.signIn()]
    for (let round = 0; round < 5; round++) {
      const login = await start(place)
      const both = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          decideLogin(place, i % 2 ? 'approve' : 'deny', i % 3 ? jane : john, login.userCode),
        ),
      )
      const won = both.filter(({ status }) => status === 200)
      expect([won.length, both.filter(({ status }) => status === 409).length]).toEqual([1, 9])
      expect((await poll(place, login.deviceCode)).status).toBe(won[0]!.json.status === 'approved' ? 200 : 409)
    }
  })

  test('GET /api/cli/device/poll returns 409 after a denial and 410 after the expiry', async () => {
    const place = fixture({ stores: await open() })
    const [jane, denied, late, unfetched] = [
      await place.signIn(),
      await start(place),
      await start(place),
      await start(place),
    ]
    expect((await decideLogin(place, 'deny', jane, denied.userCode)).json).toEqual({
      ok: true,
      status: 'denied',
      machine: "jane's laptop",
    })
    await decideLogin(place, 'approve', jane, unfetched.userCode)
    expect(await answer(poll(place, denied.deviceCode))).toEqual([409, { error: 'access_denied' }])
    place.clock.advance(15 * minute)
    expect(await answer(poll(place, late.deviceCode))).toEqual([410, { error: 'expired_token' }])
    expect(await answer(poll(place, unfetched.deviceCode))).toEqual([410, { error: 'expired_token' }])
    expect(await answer(decideLogin(place, 'approve', jane, late.userCode))).toEqual([410, { error: 'expired_token' }])
    expect(await answer(decideLogin(place, 'deny', jane, late.userCode))).toEqual([410, { error: 'expired_token' }])
  })

  test('GET /api/cli/device/poll returns `slow_down` within the interval and adds five seconds', async () => {
    const place = fixture({ stores: await open() })
    const { deviceCode } = await start(place)
    expect((await poll(place, deviceCode)).status).toBe(202)
    place.clock.advance(4999)
    const fast = await poll(place, deviceCode)
    expect([fast.status, fast.json, fast.headers.get('retry-after')]).toEqual([429, { error: 'slow_down' }, '10'])
    place.clock.advance(9999)
    expect((await poll(place, deviceCode)).headers.get('retry-after')).toBe('15')
    for (let i = 0; i < 3; i++) {
      place.clock.advance(15_000)
      expect((await poll(place, deviceCode)).status).toBe(202)
    }
  })

  describe('GET /api/cli/device/poll returns 409 for an approved authorization after', () => {
    test.each<[string, (place: Fixture, jane: Signed) => Promise<unknown>]>([
      ['service.revoke', ({ service }, { userId }) => service.revoke(userId)],
      ['service.erase', ({ service }, { userId }) => service.erase(userId)],
      ['DELETE /api/account', ({ ask }, { cookie }) => ask('DELETE', '/api/account', { headers: cookie })],
      [
        'all other browsers were signed out',
        ({ ask }, { cookie }) => ask('POST', '/account', { headers: cookie, form: { action: 'revoke_others' } }),
      ],
      [
        'each listed machine was revoked',
        async ({ ask }, { cookie }) => {
          const { machines } = (await ask('GET', '/api/account/machines', { headers: cookie })).json
          for (const { id, current } of machines)
            if (!current) await ask('DELETE', `/api/account/machines/${id}`, { headers: cookie })
        },
      ],
    ])('%s', async (_name, revoke) => {
      const place = fixture({ stores: await open() })
      const [jane, john] = [await place.signIn(), await place.signIn()]
      const [login, other] = [await start(place), await start(place)]
      await decideLogin(place, 'approve', jane, login.userCode)
      await decideLogin(place, 'approve', john, other.userCode)
      await revoke(place, jane)
      expect((await poll(place, login.deviceCode)).status).toBeGreaterThanOrEqual(400)
      expect(await answer(poll(place, other.deviceCode))).toEqual([
        200,
        { ok: true, status: 'approved', token: expect.any(String), userId: john.userId },
      ])
    })
  })

  test('GET /api/account/machines lists an approved authorization under the same id before and after its token is fetched', async () => {
    const place = fixture({ stores: await open() })
    const [jane, john, login, unfetched] = [
      await place.signIn(),
      await place.signIn(),
      await start(place),
      await start(place, 'forgotten'),
    ]
    const list = async ({ cookie }: Signed) =>
      (await place.ask('GET', '/api/account/machines', { headers: cookie })).json.machines
    const before = await list(jane)
    await decideLogin(place, 'approve', jane, login.userCode)
    const [approved, ...others] = await list(jane)
    expect(approved).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      kind: 'machine',
      status: 'approved',
      label: "jane's laptop",
      createdAt: '2026-11-20T12:00:00.000Z',
      lastUsedAt: null,
      current: false,
    })
    expect(others).toEqual(before)
    expect((await place.ask('GET', '/account', { headers: jane.cookie })).text).toContain('has not signed in yet')
    await poll(place, login.deviceCode)
    expect((await list(jane)).find(({ id }: { id: string }) => id === approved.id)).toEqual({
      ...approved,
      status: 'signed_in',
    })
    await decideLogin(place, 'approve', jane, unfetched.userCode)
    const { id } = (await list(jane)).find(({ label }: { label: string }) => label === 'forgotten')
    const path = `/api/account/machines/${id}`
    expect((await place.ask('DELETE', path, { headers: john.cookie })).status).toBe(404)
    expect((await place.ask('DELETE', path, { headers: jane.cookie })).json).toEqual({ ok: true })
    expect((await place.ask('DELETE', path, { headers: jane.cookie })).status).toBe(404)
    expect(await answer(poll(place, unfetched.deviceCode))).toEqual([409, { error: 'access_denied' }])
    await decideLogin(place, 'approve', jane, (await start(place, 'expires')).userCode)
    place.clock.advance(15 * minute)
    expect((await list(jane)).filter(({ status }: { status: string }) => status === 'approved')).toEqual([])
  })

  test('POST /api/cli/device/approve and GET /api/cli/device/poll refuse missing, malformed and unknown codes', async () => {
    const place = fixture({ stores: await open() })
    const jane = await place.signIn()
    for (const query of [
      '',
      '?deviceCode=',
      '?deviceCode=short',
      `?deviceCode=${'a'.repeat(43)}`,
      `?deviceCode=${'é'.repeat(43)}`,
      `?deviceCode=${'a'.repeat(5000)}`,
    ]) {
      expect(await answer(place.ask('GET', `/api/cli/device/poll${query}`))).toEqual([
        400,
        { error: 'invalid_device_code' },
      ])
    }
    expect(await answer(place.ask('GET', '/api/cli/device/poll?deviceCode=a&deviceCode=b'))).toEqual([
      400,
      { error: 'invalid_device_code' },
    ])
    for (const code of ['', 'BCDF-GHJK', 'BCDF-GHJ', 'AEIO-UAEI', 'BCDFéGHJK']) {
      expect(await answer(decideLogin(place, 'approve', jane, code))).toEqual([404, { error: 'invalid_user_code' }])
      expect(await answer(decideLogin(place, 'deny', jane, code))).toEqual([404, { error: 'invalid_user_code' }])
    }
  })

  test('POST /api/cli/device/approve returns 429 after ten wrong codes an hour in a session; correct codes do not count', async () => {
    const place = fixture({ stores: await open(), rates: {} })
    const [jane, john] = [await place.signIn(), await place.signIn()]
    for (let i = 0; i < 12; i++)
      expect((await decideLogin(place, 'approve', jane, (await start(place)).userCode, '198.51.100.1')).status).toBe(
        200,
      )
    const wrong = await Promise.all(
      Array.from({ length: 40 }, () => decideLogin(place, 'approve', jane, 'BCDF-GHJK', '198.51.100.1')),
    )
    expect(wrong.filter(({ status }) => status === 404)).toHaveLength(10)
    const login = await start(place)
    const refused = await decideLogin(place, 'approve', jane, login.userCode, '198.51.100.2')
    expect([refused.status, refused.json, refused.headers.has('retry-after')]).toEqual([
      429,
      { error: 'rate_limited' },
      true,
    ])
    expect((await decideLogin(place, 'deny', john, login.userCode, '198.51.100.1')).status).toBe(200)
    place.clock.advance(2 * 60 * minute)
    expect((await decideLogin(place, 'approve', jane, (await start(place)).userCode, '198.51.100.1')).status).toBe(200)
  })

  test('POST /api/cli/device/approve slows down each session of a network that sends many wrong codes, but blocks no session', async () => {
    const place = fixture({ stores: await open(), rates: {} })
    const attackers = [
      await place.signIn(),
      await place.signIn(),
      await place.signIn(),
      await place.signIn(),
      await place.signIn(),
    ]
    const [jane, john] = [await place.signIn(), await place.signIn()]
    const makeAddress = (host: number) => `2001:db8::${host}`
    for (const attacker of attackers.slice(0, 3)) {
      for (let i = 0; i < 10; i++)
        expect((await decideLogin(place, 'approve', attacker, 'BCDF-GHJK', makeAddress(i))).status).toBe(404)
    }
    const statuses = []
    for (let i = 0; i < 5; i++)
      statuses.push((await decideLogin(place, 'approve', attackers[3]!, 'BCDF-GHJK', makeAddress(50))).status)
    expect(statuses).toEqual([404, 429, 429, 429, 429])
    expect((await decideLogin(place, 'approve', jane, (await start(place)).userCode, makeAddress(99))).status).toBe(200)
    // One typing mistake costs a wait of at most 30 seconds.
    expect((await decideLogin(place, 'approve', john, 'BCDF-GHJK', makeAddress(99))).status).toBe(404)
    const login = await start(place)
    const early = await decideLogin(place, 'approve', john, login.userCode, makeAddress(99))
    expect([early.status, Number(early.headers.get('retry-after')) <= 30]).toEqual([429, true])
    place.clock.advance(30_000)
    expect((await decideLogin(place, 'approve', john, login.userCode, makeAddress(99))).status).toBe(200)
    expect((await decideLogin(place, 'approve', attackers[4]!, 'BCDF-GHJK', '2001:db8:0:1::1')).status).toBe(404)
    expect((await decideLogin(place, 'approve', attackers[4]!, 'BCDF-GHJK', '2001:db8:0:1::1')).status).toBe(404)
  })

  test('GET /device does not count as a guess, and shows only the form after thirty unknown codes an hour from a network', async () => {
    const place = fixture({ stores: await open(), rates: {} })
    const [jane, login] = [await place.signIn(), await start(place)]
    const openPage = (code: string, address?: string) =>
      place.ask('GET', `/device?code=${code}`, {
        headers: { ...jane.cookie, 'sec-fetch-site': 'cross-site' },
        ...(address ? { address } : {}),
      })
    for (let i = 0; i < 30; i++) expect((await openPage('BCDF-GHJK')).status).toBe(404)
    for (const code of [login.userCode, 'BCDF-GHJK']) {
      const { status, text } = await openPage(code)
      expect([status, text.includes('jane&#39;s laptop'), text.includes(`value="${code}"`)]).toEqual([200, false, true])
    }
    expect((await openPage(login.userCode, '203.0.113.9')).text).toContain('laptop')
    const enter = (code: string) => place.ask('POST', '/device', { headers: jane.cookie, form: { code } })
    for (let i = 0; i < 9; i++) expect((await enter('BCDF-GHJK')).status).toBe(404)
    const shown = await enter(login.userCode)
    expect([shown.status, shown.text.includes('laptop'), shown.text.includes('name="decision"')]).toEqual([
      200,
      true,
      true,
    ])
    expect([(await enter('BCDF-GHJK')).status, (await enter(login.userCode)).status]).toEqual([404, 429])
  })

  test('GET /api/cli/device/poll limits early polls and unknown codes to 600 a minute per IP address, but not due polls', async () => {
    const stores = await open()
    let writes = 0
    const auth = {
      ...stores.auth,
      pollDeviceToken: (params: Parameters<typeof stores.auth.pollDeviceToken>[0]) => {
        writes++
        return stores.auth.pollDeviceToken(params)
      },
    }
    const place = fixture({ stores: { ...stores, auth }, rates: {} })
    const [jane, login, other] = [await place.signIn(), await start(place), await start(place)]
    const pollFrom = (code: string, address: string) =>
      answer(place.ask('GET', `/api/cli/device/poll?deviceCode=${code}`, { address }))
    expect(await pollFrom(login.deviceCode, '198.51.100.1')).toEqual([202, { ok: true, status: 'pending' }])
    writes = 0
    const codes = ['short', 'a'.repeat(43), login.deviceCode]
    for (let i = 0; i < 600; i++) expect([400, 429]).toContain((await pollFrom(codes[i % 3]!, '198.51.100.1'))[0])
    expect(writes).toBe(200)
    for (const code of codes) expect(await pollFrom(code, '198.51.100.1')).toEqual([429, { error: 'rate_limited' }])
    expect(writes).toBe(200)
    expect(await pollFrom(other.deviceCode, '198.51.100.1')).toEqual([202, { ok: true, status: 'pending' }])
    expect(await pollFrom('a'.repeat(43), '198.51.100.2')).toEqual([400, { error: 'invalid_device_code' }])
    await decideLogin(place, 'approve', jane, login.userCode)
    expect((await pollFrom(login.deviceCode, '198.51.100.1'))[0]).toBe(200)
  })

  test('POST /api/cli/device/start returns 429 after twenty calls a minute from one IP address', async () => {
    const { ask } = fixture({ stores: await open(), rates: {} })
    const begin = (address: string) => ask('POST', '/api/cli/device/start', { json: { machine: 'x' }, address })
    const statuses = await Promise.all(Array.from({ length: 21 }, () => begin('198.51.100.1')))
    expect(statuses.map(({ status }) => status).sort()).toEqual([...Array<number>(20).fill(200), 429])
    expect(statuses.find(({ status }) => status === 429)!.json).toEqual({ error: 'rate_limited' })
    expect((await begin('198.51.100.2')).status).toBe(200)
  })

  test('POST /api/cli/device/approve requires a browser session, and refuses requests from other sites', async () => {
    const place = fixture({ stores: await open() })
    const [jane, login] = [await place.signIn(), await start(place)]
    for (const how of ['approve', 'deny']) {
      const decideWith = (headers: Record<string, string>) =>
        answer(place.ask('POST', `/api/cli/device/${how}`, { headers, json: { userCode: login.userCode } }))
      expect(await decideWith({})).toEqual([401, { error: 'unauthorized' }])
      expect(await decideWith(jane.bearer)).toEqual([401, { error: 'unauthorized' }])
      expect(await decideWith({ cookie: jane.cookie.cookie })).toEqual([403, { error: 'cross_site_request' }])
      expect(await decideWith({ 'cookie': jane.cookie.cookie, 'sec-fetch-site': 'same-site' })).toEqual([
        403,
        { error: 'cross_site_request' },
      ])
    }
    expect((await poll(place, login.deviceCode)).status).toBe(202)
  })

  test('POST /api/cli/device/start stores the machine name on one line, without hidden characters and secrets', async () => {
    const place = fixture({ stores: await open() })
    const jane = await place.signIn()
    const approveMachine = async (machine: string) =>
      (await decideLogin(place, 'approve', jane, (await start(place, machine)).userCode)).json.machine
    expect(await approveMachine('web\u202E\u0000 \n\t box\u200B')).toBe('web\uFFFD box')
    expect(await approveMachine('\u200B')).toBe('unnamed machine')
    expect(await approveMachine('DESKTOP-4F7G2K1')).toBe('DESKTOP-4F7G2K1')
    expect(await approveMachine("Jane Miller's laptop")).toBe("Jane Miller's laptop")
    expect(await approveMachine('mac of jana.dorn@corp.io')).not.toContain('jana.dorn')
    expect(await approveMachine('x'.repeat(256))).toBe('x'.repeat(256))
    for (const machine of ['', 'x'.repeat(257), 7]) {
      const { status, json, headers } = await place.ask('POST', '/api/cli/device/start', { json: { machine } })
      expect([status, json]).toEqual([400, { error: 'invalid_body' }])
      expect(headers.get('x-error-detail')).toMatch(/^machine: /)
    }
    for (const decision of ['approve', 'deny']) {
      const { status, json, headers } = await place.ask('POST', `/api/cli/device/${decision}`, {
        json: { userCode: 7 },
        headers: jane.cookie,
      })
      expect([status, json]).toEqual([400, { error: 'invalid_body' }])
      expect(headers.get('x-error-detail')).toMatch(/^userCode: /)
    }
  })

  test('POST /api/cli/device/start stores a default name if the scrubber refuses the name', async () => {
    const place = fixture({
      stores: await open(),
      scrubber: { version: 'test', scrub: () => ({ ok: false, reason: 'refused' }) },
    })
    const jane = await place.signIn()
    expect((await decideLogin(place, 'approve', jane, (await start(place)).userCode)).json.machine).toBe(
      'unnamed machine',
    )
  })

  test('GET /api/cli/device/poll returns 503 device_login_unavailable when the store does not answer', async () => {
    const stores = await open()
    const auth = {
      ...stores.auth,
      pollDeviceToken: async () => {
        throw new Unavailable('locked')
      },
    }
    const place = fixture({ stores: { ...stores, auth } })
    expect(await answer(poll(place, (await start(place)).deviceCode))).toEqual([
      503,
      { error: 'device_login_unavailable' },
    ])
  })
})
