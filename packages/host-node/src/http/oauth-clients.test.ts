import { createTestStores, findFreePort, fixture, type Fixture, type Signed } from '@tributary/test-kit'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listen, type Listening } from './listen.ts'

/** The clock shows real time, because the clients wait for the intervals. */
const clock = Object.assign(() => Date.now(), { advance() {} })
let made: Fixture
let server: Listening
let jane: Signed
let issuer: URL

beforeAll(async () => {
  const port = await findFreePort()
  made = fixture({ stores: createTestStores(), baseUrl: `http://127.0.0.1:${port}/tributary`, clock, rates: {} })
  server = await listen(made.service, { port })
  issuer = new URL(`http://127.0.0.1:${port}/tributary`)
  jane = await made.signIn()
})
afterAll(() => server.close())

const approve = (userCode: string) =>
  made.ask('POST', '/api/cli/device/approve', { headers: jane.cookie, json: { userCode } })
const readSession = async (token: string): Promise<unknown> =>
  (await made.ask('GET', '/api/cli/session', { headers: { authorization: `Bearer ${token}` } })).json

describe('openid-client', () => {
  const discover = () =>
    openid.discovery(issuer, 'openid-client', undefined, openid.None(), {
      algorithm: 'oauth2',
      execute: [openid.allowInsecureRequests],
    })

  test('finds the endpoints, gets a token for an approved device, and revokes it', async () => {
    const config = await discover()
    const handle = await openid.initiateDeviceAuthorization(config, {})
    expect((await approve(handle.user_code)).status).toBe(200)
    // The first poll may be sent immediately.
    const token = await openid.pollDeviceAuthorizationGrant(config, { ...handle, interval: 0.01 })
    expect(await readSession(token.access_token)).toEqual({ ok: true, userId: jane.userId })
    await openid.tokenRevocation(config, token.access_token)
    expect(await readSession(token.access_token)).toEqual({ ok: false, error: 'unauthorized' })
  })

  test('stops polling when the user denies the device', async () => {
    const config = await discover()
    const handle = await openid.initiateDeviceAuthorization(config, {})
    await made.ask('POST', '/api/cli/device/deny', { headers: jane.cookie, json: { userCode: handle.user_code } })
    await expect(openid.pollDeviceAuthorizationGrant(config, { ...handle, interval: 0.01 })).rejects.toMatchObject({
      error: 'access_denied',
    })
  })

  test('gets the token when it polls at the given interval', { tags: 'slow' }, async () => {
    const config = await discover()
    const handle = await openid.initiateDeviceAuthorization(config, {})
    const seen: string[] = []
    const polling = openid.pollDeviceAuthorizationGrant(
      Object.assign(config, {
        [openid.customFetch]: async (...args: Parameters<typeof fetch>) => {
          const response = await fetch(...args)
          const body = (await response.clone().json()) as { error?: string }
          seen.push(body.error ?? 'token')
          if (seen.length === 2) await approve(handle.user_code)
          return response
        },
      }),
      handle,
    )
    expect(await readSession((await polling).access_token)).toEqual({ ok: true, userId: jane.userId })
    expect(seen).toEqual(['authorization_pending', 'authorization_pending', 'token'])
  })
})

describe('oauth4webapi', () => {
  const insecure = { [oauth.allowInsecureRequests]: true }
  const client = { client_id: 'oauth4webapi' }

  test('finds the server by the 401 of the resource, and gets a token after authorization_pending and slow_down', async () => {
    const refused = await fetch(`${issuer.href}/api/cli/session`)
    const named = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '')?.[1]
    const described = await oauth.processResourceDiscoveryResponse(issuer, await fetch(named!))
    const [address] = described.authorization_servers as [string]
    const discovered = await oauth.discoveryRequest(new URL(address), { algorithm: 'oauth2', ...insecure })
    const server = await oauth.processDiscoveryResponse(issuer, discovered)
    const started = await oauth.deviceAuthorizationRequest(server, client, oauth.None(), {}, insecure)
    const device = await oauth.processDeviceAuthorizationResponse(server, client, started)
    const poll = async () => {
      const response = await oauth.deviceCodeGrantRequest(server, client, oauth.None(), device.device_code, insecure)
      return oauth.processDeviceCodeResponse(server, client, response)
    }
    await expect(poll()).rejects.toMatchObject({ error: 'authorization_pending', status: 400 })
    await expect(poll()).rejects.toMatchObject({ error: 'slow_down', status: 400 })
    await approve(device.user_code)
    const token = await poll()
    expect(token).toMatchObject({ token_type: 'bearer', expires_in: 7_776_000, scope: 'tributary' })
    const session = await oauth.protectedResourceRequest(
      token.access_token,
      'GET',
      new URL(`${issuer.href}/api/cli/session`),
      undefined,
      undefined,
      insecure,
    )
    expect(await session.json()).toEqual({ ok: true, userId: jane.userId })
    await expect(poll()).rejects.toMatchObject({ error: 'invalid_grant' })
    const revoked = await oauth.revocationRequest(server, client, oauth.None(), token.access_token, insecure)
    expect(await oauth.processRevocationResponse(revoked)).toBeUndefined()
    expect(await readSession(token.access_token)).toEqual({ ok: false, error: 'unauthorized' })
  })
})
