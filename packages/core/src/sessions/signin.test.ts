import { fixture, type Fixture } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { places } from './places.fixture.ts'

const minute = 60_000
const send = ({ ask }: Fixture, email: string, address?: string) => ask('POST', '/api/auth/email', { json: { email }, ...(address ? { address } : {}) })
const verify = ({ ask }: Fixture, email: string, code: string, address?: string) =>
  ask('POST', '/api/auth/email/verify', { json: { email, code }, ...(address ? { address } : {}) })
const wrongOf = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

describe.each(places)('%s', (_, open) => {
  test('the code in the mail signs in, once, whatever the case of the address', async () => {
    const place = fixture({ stores: await open() })
    const sent = await send(place, 'Jane@Example.COM')
    expect([sent.status, sent.json]).toEqual([200, { ok: true }])
    expect(place.mailer.mails).toHaveLength(1)
    const code = place.mailer.code('jane@example.com')
    expect(place.mailer.mails[0]).toMatchObject({ to: 'jane@example.com', subject: expect.stringContaining(code) })
    const entered = await verify(place, 'JANE@example.com', code)
    expect(entered.json).toEqual({ ok: true, userId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/) })
    expect(entered.headers.getSetCookie()).toEqual([expect.stringMatching(/^tributary_session=[0-9A-Za-z]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/)])
    expect(entered.headers.get('cache-control')).toBe('no-store')
    const again = await verify(place, 'jane@example.com', code)
    expect([again.status, again.json, again.cookies]).toEqual([400, { ok: false, error: 'invalid_code' }, {}])
  })

  test('over https the cookie is Secure and bound to the host', async () => {
    const place = fixture({ stores: await open(), baseUrl: 'https://traces.example.com/base' })
    await send(place, 'jane@example.com')
    const entered = await verify(place, 'jane@example.com', place.mailer.code('jane@example.com'))
    expect(entered.headers.getSetCookie()[0]).toMatch(/^__Host-tributary_session=[0-9A-Za-z]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax; Secure$/)
    const [[name, value]] = Object.entries(entered.cookies) as [[string, string]]
    expect((await place.ask('GET', '/api/account/machines', { headers: { cookie: `${name}=${value}` } })).status).toBe(200)
    expect((await place.ask('GET', '/api/account/machines', { headers: { cookie: `tributary_session=${value}` } })).status).toBe(401)
  })

  test('fifty verifications at once sign in once; a stranger\'s code does not fit', async () => {
    const place = fixture({ stores: await open() })
    await Promise.all([send(place, 'jane@example.com'), send(place, 'john@example.com')])
    const [jane, john] = [place.mailer.code('jane@example.com'), place.mailer.code('john@example.com')]
    expect(jane).not.toBe(john)
    expect((await verify(place, 'jane@example.com', john)).status).toBe(400)
    const all = await Promise.all(Array.from({ length: 50 }, () => verify(place, 'jane@example.com', jane)))
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(all.filter(({ status }) => status === 400)).toHaveLength(49)
    expect((await verify(place, 'john@example.com', john)).status).toBe(200)
  })

  test('five wrong codes end it, also when they come at once', async () => {
    const place = fixture({ stores: await open() })
    await send(place, 'jane@example.com')
    const code = place.mailer.code('jane@example.com')
    const wrong = await Promise.all(Array.from({ length: 20 }, () => verify(place, 'jane@example.com', wrongOf(code))))
    expect(new Set(wrong.map(({ status }) => status))).toEqual(new Set([400]))
    expect((await verify(place, 'jane@example.com', code)).status).toBe(400)
    await send(place, 'jane@example.com')
    expect((await verify(place, 'jane@example.com', place.mailer.code('jane@example.com'))).status).toBe(200)
  })

  test('a code holds for ten minutes less a millisecond', async () => {
    const place = fixture({ stores: await open() })
    for (const [wait, status] of [[10 * minute, 400], [10 * minute - 1, 200]] as const) {
      await send(place, 'jane@example.com')
      place.clock.advance(wait)
      expect((await verify(place, 'jane@example.com', place.mailer.code('jane@example.com'))).status).toBe(status)
    }
  })

  test('known and unknown addresses, and ones the mail server refuses, get the same answer', async () => {
    const place = fixture({ stores: await open() })
    await place.signIn('known@example.com')
    const [known, unknown] = [await send(place, 'known@example.com'), await send(place, 'unknown@example.com')]
    place.mailer.send = async () => { throw new Error('550 no such mailbox') }
    const refused = await send(place, 'refused@example.com')
    expect([known.text, refused.text]).toEqual([unknown.text, unknown.text])
    expect([known.status, refused.status]).toEqual([200, 200])
  })

  test('five codes in ten minutes for an address, thirty an hour from one place', async () => {
    const place = fixture({ stores: await open(), rates: {} })
    const statuses = await Promise.all(Array.from({ length: 7 }, (_, i) => send(place, 'Jane@example.com', `192.0.2.${i}`).then(({ status }) => status)))
    expect(statuses.sort()).toEqual([200, 200, 200, 200, 200, 429, 429])
    const limited = await send(place, 'jane@example.com', '192.0.2.99')
    expect([limited.json, Number(limited.headers.get('retry-after')) > 0]).toEqual([{ ok: false, error: 'rate_limited' }, true])
    expect(limited.headers.get('ratelimit-policy')).toBe('"mail_address";q=5;w=600')
    const many = []
    for (let i = 0; i < 31; i++) many.push((await send(place, `p${i}@example.com`, '198.51.100.7')).status)
    expect(many).toEqual([...Array<number>(30).fill(200), 429])
    expect((await send(place, 'p31@example.com', '198.51.100.8')).status).toBe(200)
  })

  test('codes are tried a hundred times an hour from one place', async () => {
    const place = fixture({ stores: await open(), rates: {} })
    const statuses = []
    for (let i = 0; i < 101; i++) statuses.push((await verify(place, `p${i}@example.com`, '000000')).status)
    expect(statuses).toEqual([...Array<number>(100).fill(400), 429])
  })

  test('sign-out ends what asked and nothing else', async () => {
    const { ask, signIn } = fixture({ stores: await open() })
    const [jane, john] = [await signIn(), await signIn()]
    const out = await ask('POST', '/api/auth/sign-out', { headers: jane.cookie })
    expect([out.json, out.headers.getSetCookie()]).toEqual([{ ok: true }, ['tributary_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax']])
    expect((await ask('GET', '/api/account/machines', { headers: jane.cookie })).status).toBe(401)
    expect((await ask('GET', '/api/cli/session', { headers: jane.bearer })).status).toBe(200)
    expect((await ask('POST', '/api/auth/sign-out', { headers: jane.bearer })).cookies).toEqual({})
    expect((await ask('GET', '/api/cli/session', { headers: jane.bearer })).status).toBe(401)
    expect((await ask('GET', '/api/cli/session', { headers: john.bearer })).status).toBe(200)
    expect((await ask('POST', '/api/auth/sign-out', { headers: { cookie: john.cookie.cookie, 'sec-fetch-site': 'cross-site' } })).json)
      .toEqual({ ok: false, error: 'cross_site_request' })
    expect((await ask('GET', '/api/account/machines', { headers: john.cookie })).status).toBe(200)
  })

  test('machines are the caller\'s own, and revoking an unknown or another\'s is 404', async () => {
    const { ask, signIn } = fixture({ stores: await open() })
    const [jane, john] = [await signIn(), await signIn()]
    const list = async (who: typeof jane) => (await ask('GET', '/api/account/machines', { headers: who.bearer })).json.machines
    const [mine] = await list(jane)
    expect(mine).toEqual({ id: expect.any(String), label: 'test machine', createdAt: '2026-11-20T12:00:00.000Z', lastUsedAt: '2026-11-20T12:00:00.000Z' })
    const revoke = (id: string, who: typeof jane) => ask('DELETE', `/api/account/machines/${id}`, { headers: who.cookie })
    expect((await revoke(mine.id, john)).json).toEqual({ ok: false, error: 'not_found' })
    expect((await revoke('nonsense', jane)).json).toEqual({ ok: false, error: 'invalid_id' })
    const revoked = await Promise.all(Array.from({ length: 10 }, () => revoke(mine.id.toUpperCase(), jane)))
    expect(revoked.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(404)])
    expect((await ask('GET', '/api/cli/session', { headers: jane.bearer })).status).toBe(401)
    expect(await list(john)).toHaveLength(1)
  })
})

test('without a mailer there are no codes', async () => {
  const stores = await places[0]![1]()
  const { createService } = await import('../service.ts')
  const service = createService({ baseUrl: 'http://127.0.0.1:8787', stores, rates: 'off' })
  const post = (path: string, type: string, body: string) => service.fetch(new Request(`http://127.0.0.1:8787${path}`, {
    method: 'POST', body, headers: { 'content-type': type, 'sec-fetch-site': 'same-origin' },
  }))
  const answer = await post('/api/auth/email', 'application/json', '{"email":"jane@example.com"}')
  expect([answer!.status, await answer!.json()]).toEqual([503, { ok: false, error: 'unavailable' }])
  expect((await post('/sign-in', 'application/x-www-form-urlencoded', 'email=jane%40example.com'))!.status).toBe(503)
})
