import type { Measurement } from '../measurements.ts'
import { fixture, type Ask, type Answer, type Fixture } from '@tributary/test-kit'
import { describe, expect, test, vi } from 'vitest'
import { storeKinds } from './stores.fixture.ts'

const minute = 60_000
const adminToken = 'operator-'.repeat(3)
type Asked = Pick<Ask, 'address' | 'headers'>
const send = ({ ask }: Fixture, email: string, asked: Asked = {}) =>
  ask('POST', '/api/auth/email', { json: { email }, ...asked })
const verify = ({ ask }: Fixture, email: string, code: string, challenge?: string, asked: Asked = {}) =>
  ask('POST', '/api/auth/email/verify', { json: { email, code, challenge }, ...asked })
const requestChallenge = async (place: Fixture, email: string): Promise<string> =>
  (await send(place, email)).json.challenge
/** Requests a sign-in code and returns it with its challenge. */
async function requestCode(
  place: Fixture,
  email: string,
  asked: Asked = {},
): Promise<[code: string, challenge: string]> {
  const { challenge } = (await send(place, email, asked)).json
  return [place.mailer.code(email), challenge]
}
const makeWrongCode = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

describe.each(storeKinds)('%s', (_, open) => {
  test('POST /api/auth/email/verify signs in once with the mailed code, and ignores the case of the address', async () => {
    const place = fixture({ stores: await open() })
    const sent = await send(place, 'Jane@Example.COM')
    expect([sent.status, sent.json]).toEqual([200, { ok: true, challenge: expect.stringMatching(/^[0-9A-Za-z]{43}$/) }])
    expect(place.mailer.mails).toHaveLength(1)
    const code = place.mailer.code('jane@example.com')
    expect(place.mailer.mails[0]).toMatchObject({ to: 'jane@example.com', subject: expect.stringContaining(code) })
    const entered = await verify(place, 'JANE@example.com', code, sent.json.challenge)
    expect(entered.json).toEqual({ ok: true, userId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/) })
    expect(entered.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^tributary_session=[0-9A-Za-z]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(
        /^tributary_browser=[0-9A-Za-z]{43}\.[0-9a-f]{32}; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Lax$/,
      ),
      'tributary_challenge=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax',
    ])
    expect(entered.headers.get('cache-control')).toBe('no-store')
    const again = await verify(place, 'jane@example.com', code, sent.json.challenge)
    expect([again.status, again.json, again.cookies]).toEqual([
      400,
      { ok: false, error: 'invalid_code', issues: expect.any(Array) },
      {},
    ])
  })

  test('POST /api/auth/email/verify sets a Secure cookie bound to the host over HTTPS', async () => {
    const place = fixture({ stores: await open(), baseUrl: 'https://traces.example.com/base' })
    const sent = await send(place, 'jane@example.com')
    const challenge = expect.stringMatching(
      /^__Host-tributary_challenge=[0-9A-Za-z]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
    )
    expect(sent.headers.getSetCookie()).toEqual([challenge])
    const entered = await verify(place, 'jane@example.com', place.mailer.code('jane@example.com'), sent.json.challenge)
    expect(entered.headers.getSetCookie()[0]).toMatch(
      /^__Host-tributary_session=[0-9A-Za-z]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$/,
    )
    const [name, value] = Object.entries(entered.cookies)[0]!
    expect((await place.ask('GET', '/api/account/machines', { headers: { cookie: `${name}=${value}` } })).status).toBe(
      200,
    )
    expect(
      (await place.ask('GET', '/api/account/machines', { headers: { cookie: `tributary_session=${value}` } })).status,
    ).toBe(401)
  })

  test('POST /api/auth/email/verify signs in one of fifty concurrent calls, and refuses the code of another address', async () => {
    const place = fixture({ stores: await open() })
    const [own, johns] = await Promise.all([
      requestChallenge(place, 'jane@example.com'),
      requestChallenge(place, 'john@example.com'),
    ])
    const [jane, john] = [place.mailer.code('jane@example.com'), place.mailer.code('john@example.com')]
    expect(jane).not.toBe(john)
    expect((await verify(place, 'jane@example.com', john, own)).status).toBe(400)
    const all = await Promise.all(Array.from({ length: 50 }, () => verify(place, 'jane@example.com', jane, own)))
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(all.filter(({ status }) => status === 400)).toHaveLength(49)
    expect((await verify(place, 'john@example.com', john, johns)).status).toBe(200)
  })

  test('POST /api/auth/email/verify refuses the right code after five wrong codes, also when all are sent concurrently', async () => {
    const place = fixture({ stores: await open() })
    const challenge = await requestChallenge(place, 'jane@example.com')
    const code = place.mailer.code('jane@example.com')
    const wrong = await Promise.all(
      Array.from({ length: 10 }, () => verify(place, 'jane@example.com', makeWrongCode(code), challenge)),
    )
    expect(new Set(wrong.map(({ status }) => status))).toEqual(new Set([400]))
    expect((await verify(place, 'jane@example.com', code, challenge)).status).toBe(400)
    const next = await requestChallenge(place, 'jane@example.com')
    expect((await verify(place, 'jane@example.com', place.mailer.code('jane@example.com'), next)).status).toBe(200)
  })

  test('POST /api/auth/email/verify accepts a code until a millisecond before ten minutes', async () => {
    const place = fixture({ stores: await open() })
    for (const [wait, status] of [
      [10 * minute, 400],
      [10 * minute - 1, 200],
    ] as const) {
      const challenge = await requestChallenge(place, 'jane@example.com')
      place.clock.advance(wait)
      expect((await verify(place, 'jane@example.com', place.mailer.code('jane@example.com'), challenge)).status).toBe(
        status,
      )
    }
  })

  test('POST /api/auth/email/verify refuses the right code without its challenge', async () => {
    const place = fixture({ stores: await open() })
    const jane = await send(place, 'jane@example.com')
    const code = place.mailer.code('jane@example.com')
    const other = await send(place, 'jane@example.com')
    const toChallengeHeaders = ({ cookies }: Answer) => ({
      headers: { cookie: `tributary_challenge=${cookies['tributary_challenge']}` },
    })
    for (const challenge of [undefined, '', 'x'.repeat(43), other.json.challenge]) {
      const { status, json } = await verify(place, 'jane@example.com', code, challenge)
      expect([status, json]).toEqual([400, { ok: false, error: 'invalid_code', issues: expect.any(Array) }])
    }
    expect((await verify(place, 'jane@example.com', code, undefined, toChallengeHeaders(other))).status).toBe(400)
    expect((await verify(place, 'jane@example.com', code, undefined, toChallengeHeaders(jane))).status).toBe(200)
    expect(
      (
        await verify(
          place,
          'jane@example.com',
          place.mailer.code('jane@example.com'),
          other.json.challenge,
          toChallengeHeaders(jane),
        )
      ).status,
    ).toBe(200)
  })

  // promise: guesses-tokens-sign-codes
  test('POST /api/auth/email mails a code of ten letters after twenty wrong guesses in a day, and never locks an account', async () => {
    const place = fixture({ stores: await open() })
    const email = 'jane@example.com'
    for (let codes = 0; codes < 4; codes++) {
      const challenge = await requestChallenge(place, email)
      expect(place.mailer.code(email)).toMatch(/^\d{6}$/)
      for (let i = 0; i < 5; i++)
        expect((await verify(place, email, makeWrongCode(place.mailer.code(email)), challenge)).status).toBe(400)
    }
    const [code, challenge] = await requestCode(place, email)
    expect(code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{10}$/)
    expect((await verify(place, email, code.toLowerCase().replace(/.{5}/, '$& - '), challenge)).status).toBe(200)
    const [form, formChallenge] = await requestCode(place, email)
    const entered = await place.ask('POST', '/sign-in', {
      form: { email, code: form },
      headers: { cookie: `tributary_challenge=${formChallenge}` },
    })
    expect([entered.status, entered.headers.get('location')]).toEqual([303, '/traces'])
    const [guessed, guessedChallenge] = await requestCode(place, email)
    const wrong = guessed.replace(/^./, (letter) => (letter === 'B' ? 'C' : 'B'))
    for (let i = 0; i < 5; i++) expect((await verify(place, email, wrong, guessedChallenge)).status).toBe(400)
    const afterFive = await verify(place, email, guessed, guessedChallenge)
    expect([afterFive.status, afterFive.json]).toEqual([
      400,
      { ok: false, error: 'invalid_code', issues: expect.any(Array) },
    ])
    expect((await requestCode(place, 'john@example.com'))[0]).toMatch(/^\d{6}$/)
    place.clock.advance(24 * 60 * minute)
    const [next, nextChallenge] = await requestCode(place, email)
    expect(next).toMatch(/^\d{6}$/)
    expect((await verify(place, email, next, nextChallenge)).status).toBe(200)
  })

  test('POST /api/auth/email applies the rate limit to the mailbox, without the tag of the address', async () => {
    const place = fixture({ stores: await open(), rates: {} })
    const statuses = []
    for (let i = 0; i < 7; i++)
      statuses.push((await send(place, `jane+${i}@example.com`, { address: `192.0.2.${i}` })).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429])
    expect((await send(place, 'JANE@example.com', { address: '192.0.2.99' })).status).toBe(429)
    expect((await send(place, 'john+1@example.com', { address: '192.0.2.99' })).status).toBe(200)
  })

  test('POST /api/auth/email sends codes to a known browser for its own account after others used up the limits', async () => {
    const place = fixture({ stores: await open(), rates: {} })
    const { cookies } = await verify(place, 'jane@example.com', ...(await requestCode(place, 'jane@example.com')))
    const known = { headers: { cookie: `tributary_browser=${cookies['tributary_browser']}` } }
    for (let i = 0; i < 31; i++) await send(place, `p${i}@example.com`)
    for (let i = 0; i < 5; i++) await send(place, 'jane@example.com', { address: '198.51.100.1' })
    for (let i = 0; i < 100; i++) await verify(place, 'jane@example.com', '000000')
    expect((await send(place, 'jane@example.com', { address: '203.0.113.1' })).status).toBe(429)
    expect((await send(place, 'john@example.com', known)).status).toBe(429)
    const forged = {
      headers: { cookie: `tributary_browser=${'x'.repeat(43)}.${cookies['tributary_browser']!.split('.')[1]}` },
    }
    expect((await send(place, 'jane@example.com', forged)).status).toBe(429)
    const [code, challenge] = await requestCode(place, 'jane@example.com', known)
    expect((await verify(place, 'jane@example.com', code, challenge, known)).status).toBe(200)
    const own = []
    for (let i = 0; i < 5; i++) own.push((await send(place, 'jane@example.com', known)).status)
    expect(own).toEqual([200, 200, 200, 200, 429])
  })

  test('POST /api/auth/email recognizes a browser for the last five accounts that signed in', async () => {
    const place = fixture({ stores: await open(), rates: {} })
    const known = { headers: {} }
    for (let i = 0; i < 6; i++) {
      const { cookies } = await verify(
        place,
        `p${i}@example.com`,
        ...(await requestCode(place, `p${i}@example.com`, known)),
        known,
      )
      known.headers = { cookie: `tributary_browser=${cookies['tributary_browser']}` }
    }
    for (let i = 0; i < 31; i++) await send(place, `other${i}@example.com`)
    const statuses = []
    for (let i = 0; i < 6; i++) statuses.push((await send(place, `p${i}@example.com`, known)).status)
    expect(statuses).toEqual([429, 200, 200, 200, 200, 200])
  })

  test('POST /api/auth/email gives the same reply for known, unknown and refused addresses', async () => {
    const place = fixture({ stores: await open() })
    await place.signIn('known@example.com')
    const [known, unknown] = [await send(place, 'known@example.com'), await send(place, 'unknown@example.com')]
    place.mailer.send = async () => {
      throw new Error('550 no such mailbox')
    }
    const refused = await send(place, 'refused@example.com')
    const shape = { ok: true, challenge: expect.stringMatching(/^[0-9A-Za-z]{43}$/) }
    expect([known.json, unknown.json, refused.json]).toEqual([shape, shape, shape])
    expect([known.status, refused.status]).toEqual([200, 200])
  })

  test('POST /api/auth/email stores a mail that the mail server refused, for the operator and without its code', async () => {
    const place = fixture({ stores: await open(), adminToken })
    const counted: unknown[] = []
    const take = ({ name, labels }: Measurement) => void (name === 'tributary_mails_total' && counted.push(labels))
    place.service.measure({ now: () => 0, take })
    place.mailer.send = async () => {
      throw new Error('550 no such mailbox refused@example.com')
    }
    await send(place, 'refused@example.com', { headers: { 'x-request-id': 'asked-1' } })
    place.mailer.send = async () => {
      throw Object.assign(new Error('too slow'), { name: 'TimeoutError' })
    }
    await send(place, 'slow@example.com')
    expect(counted).toEqual([{ outcome: 'dead' }, { outcome: 'unknown' }])
    const find = async (query: string) =>
      (await place.ask('GET', `/api/admin/outbox?${query}`, { headers: { authorization: `Bearer ${adminToken}` } }))
        .json.items
    const [mail] = await find('q=asked-1')
    expect(mail).toMatchObject({
      status: 'dead',
      recipient: 'refused@example.com',
      subject: 'Sign-in code',
      lastError: '550 no such mailbox [address]',
      requestId: 'asked-1',
      canResend: false,
    })
    expect(await find('q=refused@example.com&status=dead')).toEqual([mail])
    expect(await find('q=slow@example.com')).toMatchObject([{ status: 'unknown', canResend: false }])
    expect(await find(`q=asked-1&from=${mail.createdAt}&to=${mail.createdAt}`)).toEqual([mail])
    expect(await find('q=asked-1&to=2000-01-01')).toEqual([])
  })

  test('POST /api/auth/email returns 429 after five codes in ten minutes to an address, or thirty an hour from a network', async () => {
    const place = fixture({ stores: await open(), rates: {} })
    const statuses = await Promise.all(
      Array.from({ length: 7 }, (_, i) =>
        send(place, 'Jane@example.com', { address: `192.0.2.${i}` }).then(({ status }) => status),
      ),
    )
    expect(statuses.sort()).toEqual([200, 200, 200, 200, 200, 429, 429])
    const limited = await send(place, 'jane@example.com', { address: '192.0.2.99' })
    expect([limited.json, Number(limited.headers.get('retry-after')) > 0]).toEqual([
      { ok: false, error: 'rate_limited' },
      true,
    ])
    expect(limited.headers.get('ratelimit-policy')).toBe('"mail_address";q=5;w=600')
    const many = []
    for (let i = 0; i < 31; i++) many.push((await send(place, `p${i}@example.com`, { address: '198.51.100.7' })).status)
    expect(many).toEqual([...Array<number>(30).fill(200), 429])
    expect((await send(place, 'p31@example.com', { address: '198.51.100.8' })).status).toBe(200)
  })

  test('POST /api/auth/email/verify returns 429 after a hundred calls an hour from one network', async () => {
    const place = fixture({ stores: await open(), rates: {} })
    const statuses = []
    for (let i = 0; i < 101; i++) statuses.push((await verify(place, `p${i}@example.com`, '000000')).status)
    expect(statuses).toEqual([...Array<number>(100).fill(400), 429])
  })

  test('POST /api/auth/sign-out revokes only the credential of the request', async () => {
    const { ask, signIn } = fixture({ stores: await open() })
    const [jane, john] = [await signIn(), await signIn()]
    const out = await ask('POST', '/api/auth/sign-out', { headers: jane.cookie })
    expect([out.json, out.headers.getSetCookie()]).toEqual([
      { ok: true },
      ['tributary_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax'],
    ])
    expect((await ask('GET', '/api/account/machines', { headers: jane.cookie })).status).toBe(401)
    expect((await ask('GET', '/api/cli/session', { headers: jane.bearer })).status).toBe(200)
    expect((await ask('POST', '/api/auth/sign-out', { headers: jane.bearer })).cookies).toEqual({})
    expect((await ask('GET', '/api/cli/session', { headers: jane.bearer })).status).toBe(401)
    expect((await ask('GET', '/api/cli/session', { headers: john.bearer })).status).toBe(200)
    expect(
      (
        await ask('POST', '/api/auth/sign-out', {
          headers: { 'cookie': john.cookie.cookie, 'sec-fetch-site': 'cross-site' },
        })
      ).json,
    ).toEqual({ ok: false, error: 'cross_site_request' })
    expect((await ask('GET', '/api/account/machines', { headers: john.cookie })).status).toBe(200)
  })

  test("POST /api/auth/email/verify starts a session and revokes the browser's previous session", async () => {
    const place = fixture({ stores: await open() })
    const verifyAs = async (headers: Record<string, string>) => {
      const { cookies } = await verify(place, 'jane@example.com', ...(await requestCode(place, 'jane@example.com')), {
        headers,
      })
      return { cookie: `tributary_session=${cookies['tributary_session']}` }
    }
    const first = await verifyAs({})
    const readMachinesStatus = async (headers: Record<string, string>) =>
      (await place.ask('GET', '/api/account/machines', { headers })).status
    expect(await readMachinesStatus(first)).toBe(200)
    const second = await verifyAs(first)
    const elsewhere = await verifyAs({})
    expect([
      await readMachinesStatus(first),
      await readMachinesStatus(second),
      await readMachinesStatus(elsewhere),
    ]).toEqual([401, 200, 200])
  })

  test('DELETE /api/account/machines/:id signs a browser out, even the requesting browser', async () => {
    const place = fixture({ stores: await open() })
    const jane = await place.signIn('jane@example.com')
    const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
    const { cookies } = await verify(place, 'jane@example.com', ...(await requestCode(place, 'jane@example.com')), {
      headers,
    })
    const other = { cookie: `tributary_session=${cookies['tributary_session']}` }
    const listed = (await place.ask('GET', '/api/account/machines', { headers: jane.cookie })).json.machines as {
      id: string
      kind: string
      label: string
      current: boolean
    }[]
    const browsers = listed.filter(({ kind }) => kind === 'browser')
    expect(browsers.map(({ label, current }) => [label, current]).sort()).toEqual([
      ['Browser', true],
      ['Firefox on Linux', false],
    ])
    const revoke = (current: boolean) =>
      place.ask('DELETE', `/api/account/machines/${browsers.find((one) => one.current === current)!.id}`, {
        headers: jane.cookie,
      })
    expect((await revoke(false)).headers.getSetCookie()).toEqual([])
    expect((await place.ask('GET', '/api/account/machines', { headers: other })).status).toBe(401)
    expect((await revoke(true)).headers.getSetCookie()).toEqual([
      'tributary_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax',
    ])
    expect((await place.ask('GET', '/api/account/machines', { headers: jane.cookie })).status).toBe(401)
    expect((await place.ask('GET', '/api/cli/session', { headers: jane.bearer })).status).toBe(200)
  })

  test("GET and DELETE /api/account/machines list and revoke only the caller's machines, and return 404 for others", async () => {
    const { ask, signIn } = fixture({ stores: await open() })
    const [jane, john] = [await signIn(), await signIn()]
    const list = async (who: typeof jane) =>
      (await ask('GET', '/api/account/machines', { headers: who.bearer })).json.machines
    const mine = (await list(jane)).find(({ kind }: { kind: string }) => kind === 'machine')
    const at = '2026-11-20T12:00:00.000Z'
    expect(mine).toEqual({
      id: expect.any(String),
      kind: 'machine',
      status: 'signed_in',
      label: 'test machine',
      createdAt: at,
      lastUsedAt: at,
      current: true,
    })
    const revoke = (id: string, who: typeof jane) =>
      ask('DELETE', `/api/account/machines/${id}`, { headers: who.cookie })
    expect((await revoke(mine.id, john)).json).toEqual({ ok: false, error: 'not_found' })
    expect((await revoke('nonsense', jane)).json).toEqual({ ok: false, error: 'invalid_id', issues: expect.any(Array) })
    const revoked = await Promise.all(Array.from({ length: 10 }, () => revoke(mine.id.toUpperCase(), jane)))
    expect(revoked.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(404)])
    expect((await ask('GET', '/api/cli/session', { headers: jane.bearer })).status).toBe(401)
    expect(await list(john)).toHaveLength(2)
  })
})

test('POST /api/auth/email includes the support address in the mail, if there is a support address', async () => {
  const sentText = async (brand: { name: string; supportEmail?: string }) => {
    const place = fixture({ stores: await storeKinds[0]![1](), brand })
    await send(place, 'jane@example.com')
    return place.mailer.mails[0]!.text
  }
  const support = '\nQuestions? Write to help@example.com.\n'
  const plain = await sentText({ name: 'Acme' })
  expect(await sentText({ name: 'Acme', supportEmail: 'help@example.com' })).toBe(plain + support)
})

test('POST /api/auth/email waits six seconds for a mail server that does not answer', async () => {
  const place = fixture({ stores: await storeKinds[0]![1]() })
  const sending = new Promise<void>((resolve) => {
    place.mailer.send = () => (resolve(), new Promise(() => undefined))
  })
  let isAnswered = false
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const waiting = send(place, 'jane@example.com').finally(() => (isAnswered = true))
    await sending
    await vi.advanceTimersByTimeAsync(5999)
    expect(isAnswered).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect((await waiting).status).toBe(200)
  } finally {
    vi.useRealTimers()
  }
})

test('POST /api/auth/email returns 503 without a mailer', async () => {
  const stores = await storeKinds[0]![1]()
  const { createService } = await import('../service/create.ts')
  const service = createService({ baseUrl: 'http://127.0.0.1:8787', stores, rates: 'off' })
  const post = (path: string, type: string, body: string) =>
    service.fetch(
      new Request(`http://127.0.0.1:8787${path}`, {
        method: 'POST',
        body,
        headers: { 'content-type': type, 'sec-fetch-site': 'same-origin' },
      }),
    )
  const answer = await post('/api/auth/email', 'application/json', '{"email":"jane@example.com"}')
  expect([answer!.status, await answer!.json()]).toEqual([503, { ok: false, error: 'unavailable' }])
  expect((await post('/sign-in', 'application/x-www-form-urlencoded', 'email=jane%40example.com'))!.status).toBe(503)
})
