import type { Answer } from './answer.ts'
import { check, type Check } from './check.ts'
import { makeMatcher, matchLink, text } from './matchers.ts'

const grant = 'urn:ietf:params:oauth:grant-type:device_code'
const type = 'application/x-www-form-urlencoded'
const encode = (fields: Readonly<Record<string, string>>) => ({ body: new URLSearchParams(fields).toString(), type })
const start = encode({ client_id: 'conformance' })
const poll = (code: string) => encode({ grant_type: grant, client_id: 'conformance', device_code: code })
const makeError = (error: string) => ({ error, error_description: text })
const noRefusal = makeMatcher('a list with none', (value) => Array.isArray(value) && value[0] === 'none')
const oneOf = (item: string) =>
  makeMatcher(`a list with ${item}`, (value) => Array.isArray(value) && value.includes(item))

/** Checks that no cache keeps a reply of an OAuth endpoint (RFC 6749, section 5.1). */
const isNotCached = (reply: Answer): Answer => reply.has('cache-control', 'no-store').has('pragma', 'no-cache')

/** Checks of OAuth with standard clients: RFC 8628, RFC 7009, RFC 8414 and RFC 9728. */
export const oauth: readonly Check[] = [
  check('device-login', 'a standard OAuth client finds the endpoints and the resource', [], async ({ ask }) => {
    const server = await ask('GET', '/.well-known/oauth-authorization-server').is(200, {
      issuer: matchLink(''),
      device_authorization_endpoint: matchLink('/oauth/device_authorization'),
      token_endpoint: matchLink('/oauth/token'),
      revocation_endpoint: matchLink('/oauth/revoke'),
      grant_types_supported: oneOf(grant),
      response_types_supported: [],
      scopes_supported: oneOf('tributary'),
      token_endpoint_auth_methods_supported: noRefusal,
      revocation_endpoint_auth_methods_supported: noRefusal,
      service_documentation: matchLink('/docs'),
    })
    await ask('GET', '/.well-known/oauth-protected-resource').is(200, {
      resource: server.json.issuer,
      authorization_servers: [server.json.issuer],
      bearer_methods_supported: ['header'],
      scopes_supported: oneOf('tributary'),
      resource_documentation: matchLink('/docs'),
    })
  }),
  check(
    'device-login',
    'a standard OAuth client gets its token once, and can revoke it',
    ['mailbox'],
    async ({ ask, own, eventually }) => {
      const { cookie, userId } = await own('main')
      const { json } = await ask('POST', '/oauth/device_authorization', start).is(200)
      isNotCached(await ask('POST', '/oauth/token', poll(json.device_code)).is(400, makeError('authorization_pending')))
      ;(await ask('POST', '/oauth/token', poll(json.device_code)).is(400, makeError('slow_down'))).has(
        'retry-after',
        '10',
      )
      await ask('POST', '/api/cli/device/approve', { as: cookie, json: { userCode: json.user_code } }).is(200)
      const other = encode({ grant_type: grant, client_id: 'another', device_code: json.device_code })
      await ask('POST', '/oauth/token', other).is(400, makeError('invalid_grant'))
      const token = await ask('POST', '/oauth/token', poll(json.device_code)).is(200, {
        access_token: text,
        token_type: 'Bearer',
        expires_in: makeMatcher('seconds', (value) => Number.isInteger(value) && (value as number) > 0),
        scope: 'tributary',
      })
      isNotCached(token)
      await ask('POST', '/oauth/token', poll(json.device_code)).is(400, makeError('invalid_grant'))
      const as = { authorization: `Bearer ${token.json.access_token}` }
      await ask('GET', '/api/cli/session', { as }).is(200, { ok: true, userId })
      for (let i = 0; i < 2; i++) await ask('POST', '/oauth/revoke', encode({ token: token.json.access_token })).is(200)
      await eventually(() => ask('GET', '/api/cli/session', { as }).is(401))
    },
  ),
  check('device-login', 'a standard OAuth client gets access_denied on denial', ['mailbox'], async ({ ask, own }) => {
    const { cookie } = await own('main')
    const { json } = await ask('POST', '/oauth/device_authorization', start).is(200)
    await ask('POST', '/api/cli/device/deny', { as: cookie, json: { userCode: json.user_code } }).is(200)
    await ask('POST', '/oauth/token', poll(json.device_code)).is(400, makeError('access_denied'))
  }),
  check('device-login', 'an invalid OAuth request gets an OAuth error', [], async ({ ask }) => {
    await ask('POST', '/oauth/device_authorization', encode({ scope: 'x' })).is(400, makeError('invalid_request'))
    await ask('POST', '/oauth/device_authorization', { body: 'client_id=a&client_id=b', type }).is(
      400,
      makeError('invalid_request'),
    )
    await ask('POST', '/oauth/token', encode({ grant_type: grant })).is(400, makeError('invalid_request'))
    await ask('POST', '/oauth/token', encode({ grant_type: 'password', client_id: 'a' })).is(
      400,
      makeError('unsupported_grant_type'),
    )
    await ask('POST', '/oauth/token', poll('unknown')).is(400, makeError('invalid_grant'))
    await ask('POST', '/oauth/revoke', { body: '', type }).is(400, makeError('invalid_request'))
    for (const path of ['/oauth/device_authorization', '/oauth/token', '/oauth/revoke']) {
      isNotCached(await ask('POST', path, { json: {} }).is(415, makeError('invalid_request')))
      const large = await ask('POST', path, { body: 'a'.repeat(256 * 1024 + 1), type, gzip: true })
      large.is(413, makeError('invalid_request'))
    }
  }),
]
