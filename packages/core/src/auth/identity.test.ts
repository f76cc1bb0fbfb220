import { fixture } from '@tributary/test-kit'
import { describe, expect, test, vi } from 'vitest'
import type { Person } from '../ports.ts'
import { storeKinds } from './stores.fixture.ts'

describe.each(storeKinds)('ServiceOptions.identity over %s', (_, open) => {
  const createIdentity =
    (seen: Record<string, string | undefined>[]) =>
    (request: { headers: Readonly<Record<string, string | undefined>> }): Person | null => {
      seen.push({ ...request.headers })
      if (request.headers['authorization'] === 'Bearer app-key') return { id: 'app-1', email: 'App@Example.com' }
      return request.headers['cookie']?.includes('app=7') ? { id: 'app-7' } : null
    }

  test('is called for requests without a credential of the service, and its users get accounts', async () => {
    const seen: Record<string, string | undefined>[] = []
    const { ask } = fixture({ stores: await open(), identity: createIdentity(seen) })
    const requestSession = (headers: Record<string, string>) => ask('GET', '/api/cli/session', { headers })
    expect((await requestSession({ authorization: 'Bearer app-key', cookie: 'app=7' })).json).toEqual({
      ok: true,
      userId: 'app-1',
    })
    expect(seen.at(-1)).not.toHaveProperty('cookie')
    expect((await requestSession({ authorization: 'Bearer other', cookie: 'app=7' })).status).toBe(401)
    expect((await ask('GET', '/api/account/machines', { headers: { cookie: 'app=7' } })).json).toEqual({
      ok: true,
      machines: [],
    })
    const before = seen.length
    expect((await requestSession({ authorization: 'Bearer trb_nonsense', cookie: 'app=7' })).status).toBe(401)
    expect(seen).toHaveLength(before)
    expect((await ask('POST', '/api/auth/sign-out', { headers: { authorization: 'Bearer app-key' } })).json).toEqual({
      ok: true,
    })
  })

  test('replaces the sign-in: no code is mailed, and /sign-in redirects to the sign-in of the app', async () => {
    const { ask, mailer } = fixture({
      stores: await open(),
      identity: createIdentity([]),
      signInUrl: 'https://app.example.com/login?from=t',
    })
    expect((await ask('POST', '/api/auth/email', { json: { email: 'jane@example.com' } })).status).toBe(503)
    expect(mailer.mails).toEqual([])
    const away = await ask('GET', '/sign-in?next=/device%3Fcode%3DBCDF-GHJK')
    expect([away.status, away.headers.get('location')]).toEqual([
      303,
      'https://app.example.com/login?from=t&next=http%3A%2F%2F127.0.0.1%3A8787%2Fdevice%3Fcode%3DBCDF-GHJK',
    ])
  })

  test.each([
    ['', 'not 0'],
    ['x'.repeat(129), 'not 129'],
    [undefined, 'not undefined'],
    [7, 'not number'],
  ])('logs an id that is not a text of 1 to 128 characters, and returns 500: %j', async (id, found) => {
    const error = vi.fn()
    const identity = () => ({ id }) as { id: string }
    const { ask } = fixture({ stores: await open(), identity, logger: { info() {}, warn() {}, error } })
    expect((await ask('GET', '/api/account/machines', { headers: { cookie: 'app=7' } })).status).toBe(500)
    const message = `identity: id must be a text of 1 to 128 characters, ${found}`
    expect(error).toHaveBeenCalledWith(
      expect.objectContaining({ err: expect.objectContaining({ message }) }),
      'http.request.failed',
    )
  })

  test('lets its users delete their account within 15 minutes after `signedInAt`', async () => {
    const subtractMinutes = (minutes: number) => clock() - minutes * 60_000
    let signedInAt: number | undefined
    const { ask, clock } = fixture({
      stores: await open(),
      signInUrl: 'https://app.example.com/login',
      identity: () => ({ id: 'app-7', ...(signedInAt === undefined ? {} : { signedInAt }) }),
    })
    const headers = { 'sec-fetch-site': 'same-origin' }
    for (const at of [undefined, subtractMinutes(15)]) {
      signedInAt = at
      expect((await ask('DELETE', '/api/account', { headers })).json).toEqual({
        ok: false,
        error: 'reauthentication_required',
      })
      const page = await ask('GET', '/account/erase', { headers })
      expect(page.text).toContain(
        'href="https://app.example.com/login?next=http%3A%2F%2F127.0.0.1%3A8787%2Faccount%2Ferase"',
      )
    }
    signedInAt = subtractMinutes(14)
    expect((await ask('DELETE', '/api/account', { headers })).status).toBe(200)
  })

  test("lets a user approve a device with the app's cookie, but only from the service's own pages", async () => {
    const { ask } = fixture({ stores: await open(), identity: createIdentity([]) })
    const { json } = await ask('POST', '/api/cli/device/start', { json: { machine: 'laptop' } })
    const approve = (headers: Record<string, string>) =>
      ask('POST', '/api/cli/device/approve', {
        headers: { cookie: 'app=7', ...headers },
        json: { userCode: json.userCode },
      })
    expect((await approve({ origin: 'https://evil.example' })).json).toEqual({ error: 'cross_site_request' })
    expect((await approve({ origin: 'http://127.0.0.1:8787' })).json).toEqual({
      ok: true,
      status: 'approved',
      machine: 'laptop',
    })
    const { token } = (await ask('GET', `/api/cli/device/poll?deviceCode=${json.deviceCode}`)).json
    expect((await ask('GET', '/api/cli/session', { headers: { authorization: `Bearer ${token}` } })).json).toEqual({
      ok: true,
      userId: 'app-7',
    })
  })
})
