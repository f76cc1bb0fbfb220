import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { overHttp } from './conformance.ts'
import { decodeText } from './emulators/wire.ts'

const closes: (() => void)[] = []
afterEach(() => {
  for (const close of closes.splice(0)) close()
})

async function serve(listener: RequestListener, options?: { readonly timeoutMs?: number }) {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const transport = overHttp(`http://127.0.0.1:${(server.address() as AddressInfo).port}/ignored`, options)
  closes.push(() => {
    transport.close()
    server.closeAllConnections()
    server.close()
  })
  return transport.request
}

test('overHttp sends a request unchanged, and returns the reply as it was sent', async () => {
  const request = await serve((req, res) => {
    const parts: Buffer[] = []
    req
      .on('data', (part: Buffer) => parts.push(part))
      .on('end', () => {
        const said = {
          method: req.method,
          url: req.url,
          headers: req.rawHeaders,
          body: Buffer.concat(parts).toString(),
        }
        res
          .writeHead(
            201,
            [
              ['Set-Cookie', 'a=1'],
              ['Set-Cookie', 'b=2'],
            ].flat(),
          )
          .end(JSON.stringify(said))
      })
  })
  const reply = await request('PUT', '/a%2Fb?c=d&c=e', [['X-MiXed', 'v']], [Buffer.from('one'), Buffer.from('two')])
  const { headers, ...said } = JSON.parse(decodeText(reply.body)) as { headers: string[] }
  expect(said).toEqual({ method: 'PUT', url: '/a%2Fb?c=d&c=e', body: 'onetwo' })
  expect([headers[headers.indexOf('X-MiXed') + 1], headers[headers.indexOf('transfer-encoding') + 1]]).toEqual([
    'v',
    'chunked',
  ])
  expect([reply.status, reply.headers.filter(([name]) => name === 'set-cookie').map(([, value]) => value)]).toEqual([
    201,
    ['a=1', 'b=2'],
  ])
  const empty = JSON.parse(decodeText((await request('POST', '/')).body)) as { headers: string[]; body: string }
  expect([empty.body, empty.headers[empty.headers.indexOf('content-length') + 1]]).toEqual(['', '0'])
})

test('overHttp repeats a request when the server closed the keep-alive connection', async () => {
  const asked = new Map<Socket, number>()
  const request = await serve((req, res) => {
    const count = (asked.get(req.socket) ?? 0) + 1
    asked.set(req.socket, count)
    if (count > 1) req.socket.destroy()
    else res.end('{}')
  })
  for (let i = 0; i < 3; i++) expect((await request('GET', '/')).status).toBe(200)
  expect([...asked.values()].toSorted((a, b) => a - b)).toEqual([1, 2, 2])
})

test('overHttp rejects when the server closes a new connection immediately', async () => {
  const request = await serve((req) => void req.socket.destroy())
  await expect(request('GET', '/')).rejects.toThrow(/hang up|ECONNRESET/)
})

test('overHttp rejects with a timeout if no reply arrives in time', async () => {
  const request = await serve(() => undefined, { timeoutMs: 50 })
  await expect(request('GET', '/')).rejects.toThrow('no answer within 0.05 s')
})

test('overHttp stops reading an endless reply', async () => {
  const request = await serve((_, res) => {
    const writeUntilFull = (): void => {
      while (res.writable && res.write(Buffer.alloc(1024 * 1024))) continue
      if (res.writable) res.once('drain', writeUntilFull)
    }
    writeUntilFull()
  })
  await expect(request('GET', '/')).rejects.toThrow('larger than')
})
