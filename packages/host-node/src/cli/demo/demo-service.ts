import { randomBytes } from 'node:crypto'
import { createService, type Blobs, type Mail, type Service } from '@tributary/core'
import type { OpenDatabase } from '../../open-database.ts'
import { nodeDigest, nodeRandom } from '../../platform.ts'

const base = 'http://127.0.0.1:8787'
/** The URL of the webhook that accepts events. Hosts below `example` do not exist (RFC 2606). */
export const acceptingWebhook = 'https://app.example/tributary'

/** The browser in which the people of the demo authorize their devices. */
const browser = { 'user-agent': 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0' }

export interface CallOptions {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A user with a device token. */
export interface SignedInUser {
  readonly userId: string
  readonly token: string
  readonly headers: Readonly<Record<string, string>>
}

/** A service on the database to fill, with its own clock and mailbox. */
export interface DemoService {
  readonly service: Service
  /** Returns the time of the service, in ms. */
  now(): number
  /** Advances the clock, at most to the end of the demo period. A negative time does not change it. */
  advance(ms: number): void
  /** Calls the service as a client does. Throws unless the status is 2xx, 302 or one of `allowed`. */
  call(
    method: string,
    path: string,
    options?: CallOptions,
    allowed?: readonly number[],
  ): Promise<Record<string, unknown>>
  operate(method: string, path: string, body?: unknown, allowed?: readonly number[]): Promise<Record<string, unknown>>
  signIn(email: string, machine: string): Promise<SignedInUser>
  /** Whether reading an upload fails, as with a broken disk. */
  isDiskBroken: boolean
}

export interface DemoServiceOptions {
  readonly from: number
  readonly until: number
  readonly secret: readonly string[]
  /** The version of the terms. Undefined means the version of the current texts. */
  readonly termsVersion?: string
}

/**
 * Creates the service at time `from`. Its tokens, ids and secrets are random, so that demo data does not give access.
 */
export function createDemoService(
  opened: OpenDatabase,
  { from, until, secret, termsVersion }: DemoServiceOptions,
): DemoService {
  let now = from
  const mails: Mail[] = []
  const adminToken = randomBytes(24).toString('hex')
  const { blobs } = opened.stores
  const service = createService({
    baseUrl: base,
    stores: opened.stores,
    clock: () => now,
    random: nodeRandom,
    digest: nodeDigest,
    // Jobs that fail are part of the demo, so they are not logged.
    logger: { info() {}, warn() {}, error() {} },
    rates: 'off',
    adminToken,
    secret,
    ...(termsVersion === undefined ? {} : { termsVersion }),
    mailer: { send: async (mail) => void mails.push(mail) },
    webhooks: { fetch: async (url) => ({ status: url === acceptingWebhook ? 204 : 503, body: null }) },
    country: ({ headers }) => headers['x-demo-country'] ?? 'US',
    blobs: {
      ...bindBlobs(blobs),
      get: async (key) => {
        if (self.isDiskBroken) throw new Error('the disk does not answer')
        return blobs.get(key)
      },
    },
  })

  async function send(method: string, path: string, { body, headers = {} }: CallOptions, allowed: readonly number[]) {
    const response = await service.fetch(
      new Request(base + path, {
        method,
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          'sec-fetch-site': 'same-origin',
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
      '127.0.0.1',
    )
    const text = (await response?.text()) ?? ''
    const status = response?.status ?? 404
    if (!(status < 300 || status === 302 || allowed.includes(status)))
      throw new Error(`${method} ${path} answered ${status}: ${text.slice(0, 300)}`)
    const json = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {}
    return { json, cookie: (response?.headers.getSetCookie()[0] ?? '').split(';')[0]! }
  }
  const call: DemoService['call'] = async (method, path, options = {}, allowed = []) =>
    (await send(method, path, options, allowed)).json

  const self: DemoService = {
    service,
    call,
    isDiskBroken: false,
    now: () => now,
    advance: (ms) => void (now = Math.min(until, now + Math.max(0, ms))),
    operate: (method, path, body, allowed) =>
      call(
        method,
        path,
        { ...(body === undefined ? {} : { body }), headers: { authorization: `Bearer ${adminToken}` } },
        allowed,
      ),
    async signIn(email, machine) {
      const { challenge } = await call('POST', '/api/auth/email', { body: { email } })
      const code = /\b\d{6}\b/.exec(mails.findLast(({ to }) => to === email)?.text ?? '')?.[0]
      const { cookie } = await send(
        'POST',
        '/api/auth/email/verify',
        { body: { email, code, challenge }, headers: browser },
        [],
      )
      const start = await call('POST', '/api/cli/device/start', { body: { machine } })
      await call('POST', '/api/cli/device/approve', { body: { userCode: start['userCode'] }, headers: { cookie } })
      const polled = await call('GET', `/api/cli/device/poll?deviceCode=${String(start['deviceCode'])}`)
      return {
        userId: String(polled['userId']),
        token: String(polled['token']),
        headers: { authorization: `Bearer ${String(polled['token'])}` },
      }
    },
  }
  return self
}

/** Returns a copy of `blobs` that can be spread: its methods still run on the original object. */
function bindBlobs(blobs: Blobs): Blobs {
  return {
    put: (...args) => blobs.put(...args),
    get: (key) => blobs.get(key),
    delete: (key) => blobs.delete(key),
    stale: (...args) => blobs.stale(...args),
  }
}
