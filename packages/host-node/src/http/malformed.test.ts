import { connect } from 'node:net'
import { createService } from '@tributary/core'
import { createTestStores } from '@tributary/test-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listen, type Listening } from './listen.ts'
import { hangMs } from '../../../test-kit/src/setup/hang.ts'

let listening: Listening
beforeAll(
  async () =>
    void (listening = await listen(createService({ baseUrl: 'http://127.0.0.1:8787', stores: createTestStores() }), {
      port: 0,
      worker: false,
    })),
)
afterAll(() => listening.close())

/** Sends bytes unchanged, and returns everything that the server sends until it closes the connection. */
function send(bytes: string | Buffer, more?: { after: string; bytes: string }): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(listening.port, '127.0.0.1', () => socket.write(bytes))
    socket.setTimeout(hangMs, () => socket.destroy(new Error(`still open after:\n${text}`)))
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (more && text.includes(more.after)) {
        socket.write(more.bytes)
        more = undefined
      }
    })
    socket.on('error', (error) => (text === '' ? reject(error) : resolve(text))).on('close', () => resolve(text))
  })
}

function read(text: string): { status: number; headers: Record<string, string>; body: string } {
  const [head = '', body = ''] = text.split('\r\n\r\n', 2)
  const [line = '', ...rest] = head.split('\r\n')
  return {
    status: Number(line.split(' ')[1]),
    headers: Object.fromEntries(
      rest.map(
        (one) => one.split(/: (.*)/s, 2).map((part, at) => (at === 0 ? part.toLowerCase() : part)) as [string, string],
      ),
    ),
    body,
  }
}

const ok = 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'
test.each<[string, number, string, string | Buffer]>([
  ['no request line', 400, 'invalid_request', 'hello\r\n\r\n'],
  ['bytes', 400, 'invalid_request', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc])],
  ['a method that is none', 400, 'invalid_request', 'G<T / HTTP/1.1\r\nhost: x\r\n\r\n'],
  ['a version that is none', 400, 'invalid_request', 'GET / HTTP/9.9\r\nhost: x\r\n\r\n'],
  ['a header without a name', 400, 'invalid_request', 'GET / HTTP/1.1\r\nhost: x\r\n: y\r\n\r\n'],
  ['a control character in a header', 400, 'invalid_request', 'GET / HTTP/1.1\r\nhost: x\r\na: \u0000\r\n\r\n'],
  ['a space in the target', 400, 'invalid_request', 'GET /a b HTTP/1.1\r\nhost: x\r\n\r\n'],
  [
    'two lengths',
    400,
    'invalid_request',
    'POST /api/v1/feedback HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab',
  ],
  [
    'a length that is none',
    400,
    'invalid_request',
    'POST /api/v1/feedback HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n',
  ],
  [
    'a length beside chunks',
    400,
    'invalid_request',
    'POST /api/v1/feedback HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  [
    'a chunk that is none',
    400,
    'invalid_request',
    'POST /api/v1/feedback HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: ' +
      'chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n',
  ],
  [
    'a chunk longer than said',
    400,
    'invalid_request',
    'POST /api/v1/feedback HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n',
  ],
  ['headers too large', 431, 'headers_too_large', `GET / HTTP/1.1\r\nhost: x\r\na: ${'y'.repeat(20_000)}\r\n\r\n`],
  [
    'headers far too large',
    431,
    'headers_too_large',
    `GET / HTTP/1.1\r\nhost: x\r\na: ${'y'.repeat(4_000_000)}\r\n\r\n`,
  ],
  ['a target too large', 431, 'headers_too_large', `GET /${'y'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`],
  ['no host', 400, 'invalid_request', 'GET /healthz HTTP/1.1\r\n\r\n'],
  ['two hosts', 400, 'invalid_request', 'GET /healthz HTTP/1.1\r\nhost: x\r\nhost: y\r\n\r\n'],
  ['a tunnel', 405, 'method_not_allowed', 'CONNECT example.com:443 HTTP/1.1\r\nhost: example.com:443\r\n\r\n'],
])('%s is answered with %i %s, as JSON with a request id, and the connection ends', async (_, status, error, bytes) => {
  const reply = read(await send(bytes))
  expect([reply.status, reply.body]).toEqual([status, JSON.stringify({ ok: false, error })])
  expect(reply.headers).toMatchObject({
    'content-type': 'application/json',
    'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'content-length': String(reply.body.length),
    'connection': 'close',
    'link': expect.stringContaining('agent-feedback'),
  })
  expect(read(await send(ok.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n'))).status).toBe(200)
})

test('malformed bytes get 400 after an answered request, and no reply after an unanswered request', async () => {
  const answered = await send(ok, { after: '"ok":true', bytes: 'garbage\r\n\r\n' })
  expect(answered.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400'])
  const piped = await send('GET /readyz HTTP/1.1\r\nhost: x\r\n\r\ngarbage\r\n\r\n')
  expect(piped.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200'])
})

test('a client that resets its connection during a head does not affect others', async () => {
  await Promise.all(
    Array.from(
      { length: 20 },
      () =>
        new Promise<void>((resolve) => {
          const socket = connect(listening.port, '127.0.0.1', () =>
            socket.write('GET / HT', () => socket.resetAndDestroy()),
          )
          socket.on('close', () => resolve()).on('error', () => undefined)
        }),
    ),
  )
  expect((await fetch(`${listening.url}/healthz`)).status).toBe(200)
})

test('the server serves HTTP/1.0 requests without a host, and requests with an unknown expectation', async () => {
  expect(read(await send('GET /healthz HTTP/1.0\r\n\r\n')).status).toBe(200)
  expect(
    read(await send('GET /healthz HTTP/1.1\r\nhost: x\r\nexpect: cookies\r\nconnection: close\r\n\r\n')).status,
  ).toBe(200)
})

test('a connection stays open longer than idleMs while it waits for its reply', async () => {
  const service = createService({
    baseUrl: 'http://127.0.0.1:8787',
    stores: createTestStores(),
    identity: async () => {
      await new Promise((resolve) => setTimeout(resolve, 600))
      return null
    },
  })
  const own = await listen(service, { port: 0, worker: false, idleMs: 100 })
  expect((await fetch(`${own.url}/api/account/earnings`)).status).toBe(401)
  await own.close()
})

test('a connection ends after idleMs if the client does not read the reply', { tags: 'slow' }, async () => {
  const large = 'x'.repeat(64 * 1024 * 1024)
  const service = createService({ baseUrl: 'http://127.0.0.1:8787', stores: createTestStores() })
  const own = await listen(service, {
    port: 0,
    worker: false,
    idleMs: 1_000,
    pages: { '/large': () => ({ type: 'text/plain', body: large }) },
  })
  const socket = connect(own.port, '127.0.0.1', () => socket.write('GET /large HTTP/1.1\r\nhost: x\r\n\r\n'))
  let [read, waiting] = [0, true]
  socket.on('data', (chunk) => {
    read += chunk.length
    if (!waiting) return
    waiting = false
    socket.pause()
    // The client does not notice that the server closed the connection until it reads the rest.
    setTimeout(() => socket.resume(), 4_000)
  })
  await new Promise((resolve) => socket.on('close', resolve).on('error', resolve))
  expect(read).toBeLessThan(large.length)
  const quick = await fetch(`${own.url}/large`)
  expect((await quick.text()).length).toBe(large.length)
  await own.close()
})
