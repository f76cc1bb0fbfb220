import { check, type Check } from '../conformance/check.ts'
import type { Context } from '../conformance/context.ts'
import { sendRaw } from './connection.ts'
import { readState, makeVictim } from './victim.ts'

const guarded = ['/admin', '/api/admin/contributors'] as const
/** Spellings of a path that a proxy and a service may read differently. */
const spellings: readonly ((path: string) => string)[] = [
  (path) => `/${path}`,
  (path) => `${path}/`,
  (path) => `${path}//`,
  (path) => `/.${path}`,
  (path) => `/x/..${path}`,
  (path) => `/x/%2e%2e${path}`,
  (path) => `/%2e${path}`,
  (path) => path.toUpperCase(),
  (path) => path.replaceAll('a', '%61'),
  (path) => `${path}%00`,
  (path) => `${path}%20`,
  (path) => `${path};x=1`,
  (path) => `${path}.json`,
  (path) => `${path}%2f`,
  (path) => path.replaceAll('/', '%2f'),
  (path) => path.replaceAll('/', '%5c'),
  (path) => `${path}?x=/healthz`,
  (path) => `/healthz/..${path}`,
  (path) => `/healthz;${path}`,
  (path) => `/healthz%0d%0a${path}`,
  (path) => `/assets/..${path}`,
]
const readHost = ({ target }: Context): string => new URL(target.origin ?? 'http://127.0.0.1').host
const form = { type: 'application/x-www-form-urlencoded', headers: { 'sec-fetch-site': 'same-origin' } }
/** Signs of an internal error: a stack trace, a source file or a driver's message. */
const innards = /\n\s+at |\.[jt]s:\d+|node_modules|SQLITE_|SqlError|ZodError|\/src\//

/** Unusual paths, headers and request lines. */
export const requests: readonly Check[] = [
  ...guarded.flatMap((path) =>
    spellings.map((spell) =>
      check('API5', `${spell(path)} without a token is refused`, ['origin'], async (context) => {
        // The request is sent unchanged, because a client would normalize the path.
        const received = await sendRaw(
          context.target,
          `GET ${context.target.prefix ?? ''}${spell(path)} HTTP/1.1\r\n` +
            `host: ${readHost(context)}\r\nconnection: close\r\n\r\n`,
        )
        const reply = await context.ask('GET', '/healthz').is(200)
        reply.must(/^HTTP\/1\.1 [34]\d\d /.test(received), 'a refusal', received.split('\r\n')[0] || 'nothing')
      }),
    ),
  ),
  check(
    'API5',
    'headers that name another path, method or address are ignored',
    ['mailbox', 'contributor', 'operator'],
    async (context) => {
      const { ask, stage } = context
      const { bearer: as } = await makeVictim(stage)
      const before = await readState(context)
      for (const path of guarded) {
        for (const name of ['x-original-url', 'x-rewrite-url', 'x-forwarded-prefix', 'x-forwarded-path'])
          await ask('GET', '/sign-in', { headers: { [name]: path } }).is(200)
        for (const address of ['127.0.0.1', '::1', 'localhost']) {
          const headers = {
            'x-forwarded-for': address,
            'x-real-ip': address,
            'x-forwarded-host': 'localhost',
            'forwarded': `for="${address}"`,
          }
          await ask('GET', path, { headers }).is(401)
        }
      }
      for (const name of ['x-http-method-override', 'x-method-override', 'x-http-method']) {
        await ask('POST', '/api/traces/known', { as, headers: { [name]: 'DELETE' }, json: { hashes: [] } })
        await ask('GET', '/api/traces', { as, headers: { [name]: 'DELETE' } }).is(200)
      }
      const reply = await ask('GET', '/api/traces?_method=DELETE', { as })
      reply.must((await readState(context)) === before, "the victim's data as it was", 'it was changed')
    },
  ),
  // promise: neither-host-nor-forwarded
  check('V4', 'a forged host name appears in no mail, link or redirect', ['origin', 'mailbox'], async (context) => {
    const { ask, stage, target } = context
    const email = `conformance-${stage.run}-host@conformance.example`
    const body = JSON.stringify({ email })
    const received = await sendRaw(
      target,
      `POST ${target.prefix ?? ''}/api/auth/email HTTP/1.1\r\nhost: evil.example\r\nx-forwarded-host: evil.example\r\n` +
        'x-forwarded-proto: https\r\nsec-fetch-site: same-origin\r\ncontent-type: ' +
        `application/json\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
    const redirect = await sendRaw(
      target,
      `GET ${target.prefix ?? ''}/account HTTP/1.1\r\nhost: evil.example\r\nx-forwarded-host: evil.example\r\nconnection: close\r\n\r\n`,
    )
    const started = await ask('POST', '/api/cli/device/start', {
      headers: { 'x-forwarded-host': 'evil.example' },
      json: { machine: 'attack' },
    }).is(200)
    started.must(
      ![received, redirect, started.text].some((text) => text.includes('evil.example')),
      "no host but the service's own",
    )
  }),
  ...[
    '//evil.example',
    'https://evil.example',
    '/\\evil.example',
    '/%5cevil.example',
    '\\\\evil.example',
    'javascript:alert(1)',
    '/\t/evil.example',
    '//evil.example/%2e%2e',
    'https:evil.example',
    '/x\r\nset-cookie: a=b',
  ].map((next) =>
    check('V3', `sign-in does not redirect to ${JSON.stringify(next)}`, ['mailbox'], async ({ ask, stage, target }) => {
      const email = `conformance-${stage.run}-next-${Math.abs(hash(next))}@conformance.example`
      const asked = await ask('POST', '/sign-in', {
        ...form,
        body: new URLSearchParams({ email, next }).toString(),
      }).is(303)
      const cookie = asked
        .all('set-cookie')
        .map((one) => one.split(';')[0])
        .join('; ')
      const headers = { ...form.headers, ...(cookie ? { cookie } : {}) }
      const signed = await ask('POST', '/sign-in', {
        ...form,
        headers,
        body: new URLSearchParams({ email, code: await target.code!(email), next }).toString(),
      }).is(303)
      const location = signed.header('location') ?? ''
      const base = 'https://service.example'
      signed
        .must(
          new URL(location, base).origin === base || location.startsWith(target.origin ?? base),
          "a path of the service's own",
          location,
        )
        .has('a', null)
      const session = signed
        .all('set-cookie')
        .map((one) => one.split(';')[0])
        .join('; ')
      await ask('DELETE', '/api/account', { as: { cookie: session, ...form.headers } }).is(200)
    }),
  ),
  ...(
    [
      ['two lengths', 'content-length: 2\r\ncontent-length: 3\r\n\r\n{}x'],
      [
        'a length and chunks',
        'content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET /admin HTTP/1.1\r\n\r\n',
      ],
      ['an unknown transfer encoding', 'transfer-encoding: xchunked\r\n\r\n{}'],
      [
        'a folded header',
        'content-type: application/json\r\n transfer-encoding: chunked\r\ncontent-length: 2\r\n\r\n{}',
      ],
      ['a space before the colon', 'content-length : 2\r\n\r\n{}'],
      ['a bare line feed', 'x: y\ncontent-length: 2\n\n{}'],
      ['a negative length', 'content-length: -1\r\n\r\n{}'],
      ['chunks with a broken size', 'transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n'],
    ] as const
  ).map(([name, rest]) =>
    check('V4', `a request with ${name} is not read as two requests`, ['origin'], async (context) => {
      const received = await sendRaw(
        context.target,
        `POST ${context.target.prefix ?? ''}/api/cli/device/poll HTTP/1.1\r\nhost: ${readHost(context)}\r\n${rest}`,
      )
      const statuses = [...received.matchAll(/HTTP\/1\.1 (\d\d\d) /g)].map(([, status]) => Number(status))
      const reply = await context.ask('GET', '/healthz').is(200)
      reply.must(
        statuses.length <= 1 && statuses.every((status) => status >= 400),
        'one refusal at most',
        statuses.join(', '),
      )
    }),
  ),
  check('V16', 'no refusal contains a stack, file or statement', ['mailbox'], async ({ ask, own }) => {
    const { bearer, cookie } = await own('stranger')
    const tries = [
      ask('GET', `/api/traces/${'%00'.repeat(10)}`, { as: bearer }),
      ask('GET', '/api/traces?cursor=%ff%fe', { as: bearer }),
      ask('POST', '/api/traces/bulk', { as: bearer, json: { ids: [{ $ne: null }], action: ['exclude'] } }),
      ask('POST', '/api/traces/known', { as: bearer, json: { hashes: ["' or 1=1 --"] } }),
      ask('GET', '/account', { headers: { cookie: `${cookie['cookie']}%ff%00; =; a` } }),
      ask('GET', '/api/cli/device/poll?deviceCode=%00', {}),
      ask('GET', '/go/%2e%2e%2f%2e%2e%2fetc%2fpasswd'),
      ask('PUT', `/api/ingest/uploads/${'%2e%2e%2f'.repeat(8)}etc%2fpasswd`, {
        body: 'x',
        type: 'application/octet-stream',
      }),
      ask('GET', '/earn/%2e%2e%2f..', { as: cookie }),
    ]
    for (const reply of await Promise.all(tries))
      reply.must(reply.status < 500 && !innards.test(reply.text), 'a refusal below 500 without innards')
  }),
  check('V3', 'every kind of reply has the security headers', ['mailbox'], async ({ ask, own }) => {
    const { cookie, bearer } = await own('stranger')
    const replies = await Promise.all([
      ask('GET', '/account', { as: cookie }),
      ask('GET', '/sign-in'),
      ask('GET', '/api/traces', { as: bearer }),
      ask('GET', '/api/nothing'),
      ask('GET', '/docs'),
      ask('GET', '/admin'),
    ])
    for (const reply of replies) {
      reply
        .has('x-content-type-options', 'nosniff')
        .has('referrer-policy', 'no-referrer')
        .has('cross-origin-opener-policy', 'same-origin')
      reply
        .has('cross-origin-resource-policy', /^same-(origin|site)$|^cross-origin$/)
        .has('server', null)
        .has('x-powered-by', null)
    }
  }),
]

/** Returns a number that is always the same for the same name. */
function hash(text: string): number {
  return [...text].reduce((sum, character) => (sum * 31 + character.codePointAt(0)!) | 0, 7)
}
