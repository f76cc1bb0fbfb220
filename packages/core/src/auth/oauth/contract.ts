import * as z from 'zod'
import { Text } from '../../http/fields.ts'
import { route } from '../../http/route.ts'

/** The grant type of device authorization (RFC 8628, section 3.4). */
export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

const ClientId = Text(1, 256)
const open = { auth: 'none', envelope: 'oauth', anyOrigin: true, method: 'POST' } as const
const url = z.string()
const words = z.array(z.string())

const metadata = { method: 'GET', auth: 'none', envelope: 'ok', failures: {} } as const

/**
 * OAuth 2.0 for standard clients: the same device authorization as under `/api/cli/device`, but with the field names,
 * bodies and errors of RFC 8628, RFC 6749 and RFC 7009. Clients are public: they have a name but no secret.
 */
export const oauthContract = {
  authorizeOAuthDevice: route({
    ...open,
    path: '/oauth/device_authorization',
    summary: 'Start device authorization (RFC 8628)',
    description:
      'Returns a device code for the client to poll with, and a user code that a person enters in a browser. `scope` ' +
      'is accepted and ignored: each token has the scope `tributary`.',
    rates: ['device_start'],
    form: z.object({
      client_id: ClientId.describe('any name; shown in the list of devices'),
      scope: z.string().max(1024).optional(),
    }),
    reply: z.object({
      device_code: z.string(),
      user_code: z.string(),
      verification_uri: url,
      verification_uri_complete: url,
      expires_in: z
        .int()
        .describe('in seconds')
        .meta({ examples: [900] }),
      interval: z
        .int()
        .describe('in seconds')
        .meta({ examples: [5] }),
    }),
    failures: { invalid_request: 400 },
  }),
  issueOAuthToken: route({
    ...open,
    path: '/oauth/token',
    summary: 'Get an access token (RFC 8628)',
    description:
      'Returns the token once a person has authorized the device. Polls that keep the interval are not limited. Polls ' +
      'that come early or have an unknown code are limited to 600 a minute for each IP address by default.',
    form: z
      .object({
        grant_type: z.string().max(256).describe(`always \`${deviceGrant}\``),
        client_id: ClientId.describe('the client that started the authorization'),
        device_code: z.string().max(256).optional(),
      })
      // `device_code` is optional here, so that a request with another grant type gets `unsupported_grant_type`.
      .meta({ required: ['grant_type', 'client_id', 'device_code'] }),
    reply: z.object({
      access_token: z.string(),
      token_type: z.literal('Bearer'),
      expires_in: z
        .int()
        .describe('seconds until the token expires; each use of the token extends this time')
        .meta({ examples: [7_776_000] }),
      scope: z.string(),
    }),
    failures: {
      invalid_request: 400,
      unsupported_grant_type: 400,
      invalid_grant: 400,
      authorization_pending: 400,
      slow_down: 400,
      access_denied: 400,
      expired_token: 400,
      rate_limited: 429,
    },
  }),
  revokeOAuthToken: route({
    ...open,
    path: '/oauth/revoke',
    summary: 'Revoke an access token (RFC 7009)',
    description: 'Revokes the token. The reply is 200 without a body, even if the token does not exist.',
    form: z.object({
      token: z.string().max(1024),
      token_type_hint: z.string().max(64).optional(),
      client_id: ClientId.optional().describe('ignored'),
    }),
    reply: 'none',
    failures: { invalid_request: 400, rate_limited: 429 },
  }),
  getAuthorizationServer: route({
    ...metadata,
    path: '/.well-known/oauth-authorization-server',
    summary: 'Get the OAuth server metadata (RFC 8414)',
    description: 'Returns the URLs of the OAuth endpoints and the values that they support.',
    reply: z.object({
      issuer: url,
      device_authorization_endpoint: url,
      token_endpoint: url,
      revocation_endpoint: url,
      grant_types_supported: words,
      response_types_supported: words,
      scopes_supported: words,
      token_endpoint_auth_methods_supported: words,
      revocation_endpoint_auth_methods_supported: words,
      service_documentation: url,
    }),
  }),
  getProtectedResource: route({
    ...metadata,
    path: '/.well-known/oauth-protected-resource',
    summary: 'Get the OAuth resource metadata (RFC 9728)',
    description: 'The header `www-authenticate` of each reply with status 401 has the URL of this document.',
    reply: z.object({
      resource: url,
      authorization_servers: words,
      bearer_methods_supported: words,
      scopes_supported: words,
      resource_documentation: url,
    }),
  }),
}
