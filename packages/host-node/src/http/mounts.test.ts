import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync, gzipSync } from 'node:zlib'
import { createService, type Logger, type ServiceOptions } from '@tributary/core'
import { createTestStores } from '@tributary/test-kit'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { toNodeListener } from './app.ts'

type Middleware = (req: IncomingMessage & Record<string, unknown>) => Promise<void> | void

let server: Server
afterEach(() => new Promise((resolve) => server.close(resolve)))

/** Starts an app whose middleware runs before the service, as routers and body parsers of frameworks do. */
async function startMounted(middleware: Middleware, options: Partial<ServiceOptions> = {}): Promise<string> {
  const service = createService({ baseUrl: 'http://x.example/tributary', stores: createTestStores(), ...options })
  const tributary = toNodeListener(service)
  server = createServer(async (req: IncomingMessage, res: ServerResponse) => {
    await middleware(req as never)
    tributary(req, res, () => res.writeHead(404).end('the app'))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function readBytes(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const post = (url: string, body: BodyInit, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } })

describe('toNodeListener below an outer router', () => {
  const strip: Middleware = (req) => {
    Object.assign(req, { originalUrl: req.url, url: req.url!.replace(/^\/tributary(?=\/)/, '') })
  }

  test('answers a path whose prefix the router stripped, which it reads from originalUrl', async () => {
    const url = await startMounted(strip)
    expect((await fetch(`${url}/tributary/healthz`)).status).toBe(200)
    expect((await fetch(`${url}/healthz`)).status).toBe(404)
    expect((await fetch(`${url}/tributary-b/healthz`)).status).toBe(404)
  })

  test('answers the stripped path with prefix "", and links to the path of baseUrl', async () => {
    const url = await startMounted(strip, { prefix: '' })
    expect((await fetch(`${url}/tributary/healthz`)).status).toBe(200)
    const page = await (await fetch(`${url}/tributary/sign-in`)).text()
    expect(page).toContain('href="/tributary/assets/tributary.css"')
  })

  test('answers a path that the app rewrote to a path below the prefix', async () => {
    const url = await startMounted(
      (req) => Object.assign(req, { originalUrl: req.url, url: '/tributary/healthz' }) && undefined,
    )
    expect((await fetch(`${url}/alias?x=/tributary/`)).status).toBe(200)
  })
})

describe('toNodeListener after a body parser', () => {
  const parse: Middleware = async (req) => {
    const bytes = await readBytes(req)
    req['body'] = bytes.length > 0 ? JSON.parse(bytes.toString()) : {}
  }
  const start = '/tributary/api/cli/device/start'

  test('reads the body from req.body when it is an object', async () => {
    const url = await startMounted(parse)
    const reply = await post(url + start, '{"machine":"laptop"}')
    expect([reply.status, await reply.json()]).toEqual([200, expect.objectContaining({ ok: true })])
    expect((await post(url + start, '{"machine":7}')).status).toBe(400)
    const forbidden = await post(url + start, '{"machine":"x","__proto__":{"a":1}}')
    expect([forbidden.status, await forbidden.json()]).toEqual([
      400,
      expect.objectContaining({ error: 'invalid_body' }),
    ])
  })

  test('reads text, bytes, and an object that was sent compressed', async () => {
    const url = await startMounted(async (req) => {
      const bytes = await readBytes(req)
      const plain = req.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes
      const kind = req.headers['x-kind']
      req['body'] = kind === 'text' ? plain.toString() : kind === 'bytes' ? plain : JSON.parse(plain.toString())
    })
    const body = '{"machine":"laptop"}'
    for (const kind of ['text', 'bytes', 'object'])
      expect((await post(url + start, body, { 'x-kind': kind })).status).toBe(200)
    const packed = await post(url + start, gzipSync(body), { 'content-encoding': 'gzip' })
    expect(packed.status).toBe(200)
  })

  test('reads a form that was parsed to an object, with its repeated fields', async () => {
    const url = await startMounted(
      async (req) => {
        req['body'] = Object.fromEntries(new URLSearchParams((await readBytes(req)).toString()))
      },
      { mailer: { send: async () => undefined } },
    )
    const reply = await fetch(`${url}/tributary/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ email: 'nobody', step: 'email' }),
      headers: { 'sec-fetch-site': 'same-origin' },
    })
    expect(await reply.text()).toContain('value="nobody"')
  })

  test('applies the body limit of a route to a body that the app has parsed', async () => {
    const url = await startMounted(parse)
    const reply = await post(url + start, JSON.stringify({ machine: 'x'.repeat(300 * 1024) }))
    expect([reply.status, reply.headers.get('x-body-limit')]).toEqual([413, String(256 * 1024)])
  })

  test('returns 500 and logs the cause when the app consumed the body before the service could read it', async () => {
    const error = vi.fn()
    const logger: Logger = { info() {}, warn() {}, error }
    const url = await startMounted(async (req) => void (await readBytes(req)), { logger })
    const reply = await post(url + start, '{"machine":"laptop"}')
    expect([reply.status, await reply.json()]).toEqual([500, { error: 'internal_error' }])
    expect(error).toHaveBeenCalledWith(
      expect.objectContaining({
        err: expect.objectContaining({ message: expect.stringContaining('mount the service before the middleware') }),
      }),
      'http.request.failed',
    )
  })
})

describe('toNodeListener behind a proxy', () => {
  test('counts rates by the address that `trust proxy` of the app determines', async () => {
    const addresses: (string | null)[] = []
    const recordAddress = ({ address }: { address: string | null }): null => {
      addresses.push(address)
      return null
    }
    const url = await startMounted((req) => void (req['ip'] = req.headers['x-client']), {
      country: recordAddress,
      identity: () => ({ id: 'jane' }),
    })
    await fetch(`${url}/tributary/api/traces/upload-policy`, { headers: { 'x-client': '198.51.100.7' } })
    expect(addresses).toEqual(['198.51.100.7'])
  })
})
