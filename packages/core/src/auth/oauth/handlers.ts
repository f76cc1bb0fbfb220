import { fail, Failure } from '../../http/failures.ts'
import { addressKey } from '../../http/address.ts'
import { reply, mount, type Form, type Handlers, type Mounted } from '../../http/route.ts'
import { toHex } from '../../ids.ts'
import { pollDeviceCode, startAuthorization } from '../device.ts'
import type { AuthDeps } from '../handlers.ts'
import { classifyBearer, deviceLifeMs, lifetimes, pollInterval } from '../rules.ts'
import { deviceGrant, oauthContract } from './contract.ts'

/** The only scope. It covers everything that the token of a device may do. */
const scope = 'tributary'

/**
 * The seconds by which a poll may come before its interval ends, because timers and networks are not exact. `slow_down`
 * is for clients that poll too often.
 */
const tolerance = 1

const describe = <Code extends string>(code: Code, description: string, headers?: [string, string][]): Failure<Code> =>
  fail(code, { error_description: description }, headers)

/** Returns a failure that names the parameters that are missing, repeated or too long. */
function refuseForm({ issues }: Form<unknown>): Failure<'invalid_request'> {
  const names = [...new Set(issues.map(({ path }) => path.join('.')))].join(', ')
  return describe('invalid_request', `missing, repeated or invalid: ${names}`)
}

const oauthHandlers: Handlers<typeof oauthContract, AuthDeps> = {
  async authorizeOAuthDevice({ body, now }, deps) {
    if (!body.value) return refuseForm(body)
    const interval = pollInterval - tolerance
    const { client_id: clientId } = body.value
    const { deviceCode, userCode } = await startAuthorization(clientId, { interval, clientId, now }, deps)
    return {
      device_code: deviceCode,
      user_code: userCode,
      verification_uri: deps.link('/device'),
      verification_uri_complete: deps.link(`/device?code=${userCode}`),
      expires_in: deviceLifeMs / 1000,
      interval: pollInterval,
    }
  },

  async issueOAuthToken({ body, address, now }, deps) {
    if (!body.value) return refuseForm(body)
    const { grant_type: grant, client_id: clientId, device_code: deviceCode } = body.value
    if (grant !== deviceGrant) return describe('unsupported_grant_type', `the only grant type is ${deviceGrant}`)
    if (deviceCode === undefined) return describe('invalid_request', 'missing: device_code')
    const polled = await pollDeviceCode(deviceCode, { address, clientId, now }, deps)
    if (polled instanceof Failure) return polled
    switch (polled.outcome) {
      case 'approved':
        return { access_token: polled.token, token_type: 'Bearer', expires_in: lifetimes.token / 1000, scope }
      case 'pending':
        return describe('authorization_pending', 'the person has not decided yet')
      case 'slow_down': {
        const seconds = polled.interval + tolerance
        return describe('slow_down', `poll every ${seconds} seconds from now on`, [['retry-after', String(seconds)]])
      }
      case 'denied':
        return describe('access_denied', 'the person denied the device, or revoked it')
      case 'expired':
        return describe('expired_token', 'the device code has expired: start again')
      case 'taken':
        return describe('invalid_grant', 'the token of this device code was issued already')
      default:
        return describe('invalid_grant', 'the device code is unknown or belongs to another client')
    }
  },

  async revokeOAuthToken({ body, address, now }, { store, digest, consumeRate, forgetCredential }) {
    if (!body.value) return refuseForm(body)
    const { token } = body.value
    const hash = classifyBearer(token) === 'token' ? toHex(digest(token)) : null
    if (hash === null || !(await store.findCredential({ hash })))
      return (await consumeRate('unknown_bearer', addressKey(address), now)) ?? reply(200, null)
    await store.revokeCredential({ hash })
    forgetCredential(hash)
    return reply(200, null)
  },

  getAuthorizationServer: (_, { link }) => ({
    issuer: link(''),
    device_authorization_endpoint: link('/oauth/device_authorization'),
    token_endpoint: link('/oauth/token'),
    revocation_endpoint: link('/oauth/revoke'),
    grant_types_supported: [deviceGrant],
    response_types_supported: [],
    scopes_supported: [scope],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    service_documentation: link('/docs'),
  }),

  getProtectedResource: (_, { link }) => ({
    resource: link(''),
    authorization_servers: [link('')],
    bearer_methods_supported: ['header'],
    scopes_supported: [scope],
    resource_documentation: link('/docs'),
  }),
}

/** Binds the OAuth endpoints to their handlers. */
export const mountOAuth = (deps: AuthDeps): Mounted[] => mount(oauthContract, oauthHandlers, deps)
