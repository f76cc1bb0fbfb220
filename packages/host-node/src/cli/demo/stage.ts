import { randomBytes } from 'node:crypto'
import { createService, type Blobs, type Mail, type Service } from '@tributary/core'
import type { OpenDatabase } from '../../server-config.ts'
import { nodeDigest, nodeRandom } from '../../platform.ts'

const base = 'http://127.0.0.1:8787'

export interface Asked {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Somebody who signed in, with a browser and a program. */
export interface Person {
  readonly userId: string
  readonly token: string
  readonly headers: Readonly<Record<string, string>>
}

/** The real service on the database to be filled, in a time of its own. What it mails stays here. */
export interface Stage {
  readonly service: Service
  /** The time in which the service lives, in ms. */
  now(): number
  /** Lets time pass; never beyond the end. */
  pass(ms: number): void
  /** Calls the service as a client does. Throws unless the status is 2xx, 302 or one of `fine`. */
  ask(method: string, path: string, asked?: Asked, fine?: readonly number[]): Promise<Record<string, unknown>>
  operate(method: string, path: string, body?: unknown, fine?: readonly number[]): Promise<Record<string, unknown>>
  signIn(email: string, machine: string): Promise<Person>
  /** While it is on, no worker can read an upload: what a broken disk looks like. */
  broken: boolean
}

/** Sets the service up at `from`, with the secret of who serves the database later. Tokens, ids and secrets are real ones: a demonstration must not be a way in. */
export function stage(
  opened: OpenDatabase,
  { from, until, secret }: { readonly from: number; readonly until: number; readonly secret: readonly string[] },
): Stage {
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
    rates: 'off',
    adminToken,
    secret,
    mailer: { send: async (mail) => void mails.push(mail) },
    country: ({ headers }) => headers['x-demo-country'] ?? 'US',
    blobs: {
      ...bound(blobs),
      get: async (key) => {
        if (self.broken) throw new Error('the disk does not answer')
        return blobs.get(key)
      },
    },
  })

  async function send(method: string, path: string, { body, headers = {} }: Asked, fine: readonly number[]) {
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
    if (!(status < 300 || status === 302 || fine.includes(status)))
      throw new Error(`${method} ${path} answered ${status}: ${text.slice(0, 300)}`)
    const json = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {}
    return { json, cookie: (response?.headers.getSetCookie()[0] ?? '').split(';')[0]! }
  }
  const ask: Stage['ask'] = async (method, path, asked = {}, fine = []) => (await send(method, path, asked, fine)).json

  const self: Stage = {
    service,
    ask,
    broken: false,
    now: () => now,
    pass: (ms) => void (now = Math.min(until, now + ms)),
    operate: (method, path, body, fine) =>
      ask(
        method,
        path,
        { ...(body === undefined ? {} : { body }), headers: { authorization: `Bearer ${adminToken}` } },
        fine,
      ),
    async signIn(email, machine) {
      const { challenge } = await ask('POST', '/api/auth/email', { body: { email } })
      const code = /\b\d{6}\b/.exec(mails.findLast(({ to }) => to === email)?.text ?? '')?.[0]
      const { cookie } = await send('POST', '/api/auth/email/verify', { body: { email, code, challenge } }, [])
      const start = await ask('POST', '/api/cli/device/start', { body: { machine } })
      await ask('POST', '/api/cli/device/approve', { body: { userCode: start['userCode'] }, headers: { cookie } })
      const polled = await ask('GET', `/api/cli/device/poll?deviceCode=${String(start['deviceCode'])}`)
      return {
        userId: String(polled['userId']),
        token: String(polled['token']),
        headers: { authorization: `Bearer ${String(polled['token'])}` },
      }
    },
  }
  return self
}

/** The methods of a store's blobs, which may need their object. */
function bound(blobs: Blobs): Blobs {
  return {
    put: (...given) => blobs.put(...given),
    get: (key) => blobs.get(key),
    delete: (key) => blobs.delete(key),
    stale: (...given) => blobs.stale(...given),
  }
}
