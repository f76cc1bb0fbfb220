import { fixture, type Fixture, type Signed } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { storeKinds } from '../stores.fixture.ts'
import { chooseTag } from '../../http/listing.ts'
import { Unavailable } from '../../unavailable.ts'
import { oauthContract } from './contract.ts'

const grant = 'urn:ietf:params:oauth:grant-type:device_code'
const post = ({ ask }: Fixture, path: string, form: Record<string, string>, address = '192.0.2.1') =>
  // Programs do not send the headers by which a browser shows that a form comes from the service's own pages.
  ask('POST', path, { form, headers: { 'sec-fetch-site': 'cross-site' }, address })
const start = async (place: Fixture, name = 'my-cli') =>
  (await post(place, '/oauth/device_authorization', { client_id: name })).json
const poll = async (place: Fixture, code: string, address?: string, client = 'my-cli') => {
  const form = { grant_type: grant, client_id: client, device_code: code }
  const { status, json, headers } = await post(place, '/oauth/token', form, address)
  return [status, json, headers.get('retry-after')]
}
const decide = ({ ask }: Fixture, how: string, { cookie }: Signed, userCode: string) =>
  ask('POST', `/api/cli/device/${how}`, { headers: cookie, json: { userCode } })
const makeError = (error: string) => ({ error, error_description: expect.stringMatching(/^[ -~]+$/) })

describe.each(storeKinds)('%s', (_, open) => {
  test('POST /oauth/token returns authorization_pending, then returns a token once; the token works and is listed', async () => {
    const place = fixture({ stores: await open(), baseUrl: 'https://traces.example.com/base' })
    const jane = await place.signIn()
    const login = await start(place)
    expect(login).toEqual({
      device_code: expect.stringMatching(/^[0-9A-Za-z]{43}$/),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: 'https://traces.example.com/base/device',
      verification_uri_complete: `https://traces.example.com/base/device?code=${login.user_code}`,
      expires_in: 900,
      interval: 5,
    })
    expect(await poll(place, login.device_code)).toEqual([400, makeError('authorization_pending'), null])
    expect((await decide(place, 'approve', jane, login.user_code)).json.machine).toBe('my-cli')
    const [status, token] = (await poll(place, login.device_code)) as [number, { access_token: string }]
    expect([status, token]).toEqual([
      200,
      {
        access_token: expect.stringMatching(/^trb_[0-9A-Za-z]{36}$/),
        token_type: 'Bearer',
        expires_in: 7_776_000,
        scope: 'tributary',
      },
    ])
    expect(await poll(place, login.device_code)).toEqual([400, makeError('invalid_grant'), null])
    const authorization = `Bearer ${token.access_token}`
    const session = () => place.ask('GET', '/api/cli/session', { headers: { authorization } })
    expect((await session()).json).toEqual({ ok: true, userId: jane.userId })
    for (const given of [token.access_token, token.access_token, 'unknown', jane.cookie.cookie.split('=')[1]!]) {
      const revoked = await post(place, '/oauth/revoke', { token: given, client_id: 'my-cli' })
      expect([revoked.status, revoked.text]).toEqual([200, ''])
    }
    expect((await session()).status).toBe(401)
    expect((await place.ask('GET', '/api/account/machines', { headers: jane.cookie })).status).toBe(200)
  })

  test('POST /oauth/token returns the errors of RFC 8628 after a denial, a revocation and the expiry', async () => {
    const place = fixture({ stores: await open() })
    const [jane, denied, revoked, late] = [
      await place.signIn(),
      await start(place),
      await start(place),
      await start(place),
    ]
    await decide(place, 'deny', jane, denied.user_code)
    await decide(place, 'approve', jane, revoked.user_code)
    await place.service.revoke(jane.userId)
    expect(await poll(place, denied.device_code)).toEqual([400, makeError('access_denied'), null])
    expect(await poll(place, revoked.device_code)).toEqual([400, makeError('access_denied'), null])
    place.clock.advance(15 * 60_000)
    expect(await poll(place, late.device_code)).toEqual([400, makeError('expired_token'), null])
    expect(await poll(place, 'a'.repeat(43))).toEqual([400, makeError('invalid_grant'), null])
  })

  test('POST /oauth/token returns a token only to the client that started the authorization; /api/cli/device/poll gets none', async () => {
    const place = fixture({ stores: await open() })
    const [jane, login] = [await place.signIn(), await start(place)]
    await decide(place, 'approve', jane, login.user_code)
    for (const other of ['other-cli', 'My-cli', 'my-cli2'])
      expect(await poll(place, login.device_code, undefined, other)).toEqual([400, makeError('invalid_grant'), null])
    const plain = await place.ask('GET', `/api/cli/device/poll?deviceCode=${login.device_code}`)
    expect([plain.status, plain.json]).toEqual([400, { error: 'invalid_device_code' }])
    const own = (await place.ask('POST', '/api/cli/device/start', { json: { machine: 'my-cli' } })).json
    expect(await poll(place, own.deviceCode)).toEqual([400, makeError('invalid_grant'), null])
    expect((await poll(place, login.device_code))[0]).toBe(200)
  })

  test('POST /oauth/token returns `slow_down` for an early poll, and never for a poll that keeps the interval', async () => {
    const place = fixture({ stores: await open(), rates: {} })
    const { device_code: code } = await start(place)
    const pollAfter = (ms: number) => {
      place.clock.advance(ms)
      return poll(place, code)
    }
    const pending = [400, makeError('authorization_pending'), null]
    expect(await poll(place, code)).toEqual(pending)
    // The timer of this client fires slightly early at every poll.
    for (let i = 0; i < 20; i++) expect(await pollAfter(4_100)).toEqual(pending)
    expect(await pollAfter(2_000)).toEqual([400, makeError('slow_down'), '10'])
    for (let i = 0; i < 10; i++) expect(await pollAfter(9_100)).toEqual(pending)
    expect(await pollAfter(5_000)).toEqual([400, makeError('slow_down'), '15'])
    expect(await pollAfter(14_100)).toEqual(pending)
  })

  test('POST /oauth/token answers polls that keep the interval while their network exceeds its limit', async () => {
    const place = fixture({ stores: await open(), rates: {} })
    const [jane, login] = [await place.signIn(), await start(place)]
    for (let i = 0; i < 600; i++) expect((await poll(place, 'none'))[0]).toBe(400)
    expect(await poll(place, 'none')).toEqual([429, makeError('slow_down'), expect.any(String)])
    expect((await poll(place, login.device_code))[1]).toEqual(makeError('authorization_pending'))
    await decide(place, 'approve', jane, login.user_code)
    expect((await poll(place, login.device_code))[0]).toBe(200)
  })

  test('POST /oauth/device_authorization and /oauth/revoke return 429 with an OAuth body', async () => {
    const place = fixture({ stores: await open(), rates: {} })
    for (let i = 0; i < 20; i++) await start(place)
    const limited = await post(place, '/oauth/device_authorization', { client_id: 'my-cli' })
    expect([limited.status, limited.json]).toEqual([429, makeError('slow_down')])
    for (let i = 0; i < 600; i++) await post(place, '/oauth/revoke', { token: `junk-${i}` })
    const junk = await post(place, '/oauth/revoke', { token: 'junk' })
    expect([junk.status, junk.json]).toEqual([429, makeError('slow_down')])
  })

  test('POST /oauth/… returns OAuth errors for requests with missing, repeated or invalid parameters', async () => {
    const place = fixture({ stores: await open() })
    const { ask } = place
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const sendText = async (path: string, text: string) => {
      const url = `http://127.0.0.1:8787${path}`
      const reply = await place.service.fetch(new Request(url, { method: 'POST', body: text, headers: type }))
      return [reply!.status, await reply!.json()]
    }
    const invalid = [400, makeError('invalid_request')]
    for (const text of ['', 'client_id=', 'client_id=a&client_id=b', `client_id=${'a'.repeat(257)}`])
      expect(await sendText('/oauth/device_authorization', text)).toEqual(invalid)
    for (const text of ['', 'client_id=a', `grant_type=${grant}`, `grant_type=${grant}&client_id=a`])
      expect(await sendText('/oauth/token', text)).toEqual(invalid)
    expect(await sendText('/oauth/token', 'grant_type=client_credentials&client_id=a')).toEqual([
      400,
      makeError('unsupported_grant_type'),
    ])
    expect(await sendText('/oauth/revoke', '')).toEqual(invalid)
    const json = await ask('POST', '/oauth/token', { json: {} })
    expect([json.status, json.json]).toEqual([415, makeError('invalid_request')])
    const large = await ask('POST', '/oauth/token', { form: { client_id: 'a'.repeat(256 * 1024) } })
    expect([large.status, large.json]).toEqual([413, makeError('invalid_request')])
    const get = await ask('GET', '/oauth/token')
    expect([get.status, get.json, get.headers.get('allow')]).toEqual([405, makeError('invalid_request'), 'POST'])
  })

  test('POST /oauth/token returns 503 temporarily_unavailable when the store does not answer', async () => {
    const stores = await open()
    const auth = {
      ...stores.auth,
      findPolledAuthorization: async () => {
        throw new Unavailable('locked')
      },
    }
    const place = fixture({ stores: { ...stores, auth } })
    expect(await poll(place, 'a'.repeat(43))).toEqual([503, makeError('temporarily_unavailable'), '1'])
  })

  test('POST /oauth/token forbids caches to keep a reply, also in HTTP/1.0 (RFC 6749, section 5.1)', async () => {
    const place = fixture({ stores: await open() })
    const login = await start(place)
    await decide(place, 'approve', await place.signIn(), login.user_code)
    const form = { grant_type: grant, client_id: 'my-cli', device_code: login.device_code }
    for (const status of [200, 400]) {
      const { headers, ...reply } = await post(place, '/oauth/token', form)
      expect([reply.status, headers.get('cache-control'), headers.get('pragma')]).toEqual([
        status,
        'no-store',
        'no-cache',
      ])
    }
    expect((await place.ask('GET', '/healthz')).headers.get('pragma')).toBeNull()
  })
})

describe('GET /.well-known/oauth-…', () => {
  test('describe the server and the resource, below the mount path and at the paths of RFC 8414 and RFC 9728', async () => {
    const [[, open]] = storeKinds as [(typeof storeKinds)[number]]
    const place = fixture({ stores: await open(), baseUrl: 'https://traces.example.com/base' })
    const issuer = 'https://traces.example.com/base'
    const server = {
      issuer,
      device_authorization_endpoint: `${issuer}/oauth/device_authorization`,
      token_endpoint: `${issuer}/oauth/token`,
      revocation_endpoint: `${issuer}/oauth/revoke`,
      grant_types_supported: [grant],
      response_types_supported: [],
      scopes_supported: ['tributary'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      service_documentation: `${issuer}/docs`,
    }
    const resource = {
      resource: issuer,
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
      scopes_supported: ['tributary'],
      resource_documentation: `${issuer}/docs`,
    }
    for (const [name, body] of [
      ['oauth-authorization-server', server],
      ['oauth-protected-resource', resource],
    ] as const) {
      for (const path of [`/base/.well-known/${name}`, `/.well-known/${name}/base`]) {
        const reply = await place.service.fetch(new Request(`https://traces.example.com${path}`))
        expect([reply?.status, await reply?.json()]).toEqual([200, body])
      }
      for (const path of [`/.well-known/${name}`, `/.well-known/${name}/other`])
        expect(await place.service.fetch(new Request(`https://traces.example.com${path}`))).toBeNull()
    }
    expect((await place.ask('GET', '/api/cli/session')).headers.get('www-authenticate')).toBe(
      `Bearer resource_metadata="${issuer}/.well-known/oauth-protected-resource"`,
    )
  })
})

test('tagOf returns the tag "Device authorization" for every OAuth route', () => {
  expect(new Set(Object.values(oauthContract).map(chooseTag))).toEqual(new Set(['Device authorization']))
})
