import { echoService } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { openConnection, formatHead, formatJsonHead, cleanups, startEchoServer } from './connection.fixture.ts'
import { sendRequest } from './wire.fixture.ts'

test('a client that sends 64 MiB before it reads receives its 413', { tags: 'long' }, async () => {
  const listening = await startEchoServer()
  const size = 64 * 1024 * 1024
  const { socket, readReceived, waitFor } = await openConnection(listening)
  socket.pause()
  socket.write(formatJsonHead(`Content-Length: ${size}`))
  const piece = Buffer.alloc(1024 * 1024, 'x')
  for (let sent = 0; sent < size; sent += piece.length) {
    if (!socket.write(piece)) await new Promise((resolve) => socket.once('drain', resolve))
  }
  expect(readReceived()).toBe('')
  socket.resume()
  const reply = await waitFor('close')
  expect(reply).toMatch(/^HTTP\/1\.1 413 /)
  expect(reply).toMatch(/connection: close/i)
  expect(reply).toContain('body_too_large')
})

test('the rest of a body is read after a reply only up to lingerBytes', async () => {
  const listening = await startEchoServer({ lingerBytes: 1024 * 1024 })
  const { socket, waitFor } = await openConnection(listening)
  socket.write(formatJsonHead('Transfer-Encoding: chunked'))
  const piece = Buffer.from(`10000\r\n${'x'.repeat(65_536)}\r\n`)
  let sent = 0
  const pour = setInterval(() => socket.writable && socket.write(piece) && (sent += 65_536), 1)
  cleanups.push(() => clearInterval(pour))
  await waitFor('close')
  expect(sent).toBeLessThan(256 * 1024 * 1024)
})

test('a small unread body keeps the connection open for the next request', async () => {
  const { socket, waitFor, readReceived } = await openConnection(await startEchoServer())
  socket.write(formatHead(['POST /unread HTTP/1.1', 'Host: x', 'Content-Length: 5']))
  await waitFor('{"ok":true}')
  socket.write('12345' + formatHead(['GET /echo/again HTTP/1.1', 'Host: x']))
  expect(await waitFor('"again"')).not.toMatch(/connection: close/i)
  expect(readReceived().match(/HTTP\/1\.1 200/g)).toHaveLength(2)
})

test('a body that stalls is answered 408 after bodyTimeoutMs, and the connection ends', async () => {
  const { socket, waitFor } = await openConnection(await startEchoServer({ bodyTimeoutMs: 100 }))
  socket.write(`${formatJsonHead('Content-Length: 100')}{"text":`)
  const reply = await waitFor('close')
  expect(reply).toMatch(/^HTTP\/1\.1 408 /)
  expect(reply).toContain('request_timeout')
})

test('a body that arrives too slowly is answered 408', async () => {
  const { socket, waitFor } = await openConnection(
    await startEchoServer({ bodyTimeoutMs: 150, bodyBytesPerSecond: 1_000, lingerMs: 50 }),
  )
  socket.write(formatJsonHead('Content-Length: 200'))
  const drip = setInterval(() => socket.writable && socket.write(' '), 20)
  cleanups.push(() => clearInterval(drip))
  expect(await waitFor('close')).toMatch(/^HTTP\/1\.1 408 /)
})

test('50 slow senders do not delay other requests', async () => {
  const listening = await startEchoServer({ bodyTimeoutMs: 60_000 })
  const slow = await Promise.all(Array.from({ length: 50 }, () => openConnection(listening)))
  for (const { socket } of slow) socket.write(`${formatJsonHead('Content-Length: 11')}{`)
  const replies = await Promise.all(Array.from({ length: 200 }, () => sendRequest(listening.url, 'GET', '/echo/quick')))
  expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 200 }, () => 200))
  expect(slow.map(({ readReceived }) => readReceived())).toEqual(Array.from({ length: 50 }, () => ''))
  for (const { socket } of slow) socket.write('"text":""}')
  const done = await Promise.all(slow.map(({ waitFor }) => waitFor('{"text":""}')))
  expect(done.every((reply) => reply.startsWith('HTTP/1.1 200 '))).toBe(true)
})

test('a client that disconnects during its body does not affect others', async () => {
  const listening = await startEchoServer()
  const { socket, waitFor } = await openConnection(listening)
  socket.write(`${formatJsonHead('Content-Length: 100')}{"text":`)
  await sendRequest(listening.url, 'GET', '/healthz')
  socket.destroy()
  await waitFor('close')
  expect((await sendRequest(listening.url, 'GET', '/echo/after')).status).toBe(200)
})

test('100 Continue is sent only when the body is read', async () => {
  const listening = await startEchoServer()
  const wanted = await openConnection(listening)
  wanted.socket.write(formatJsonHead('Content-Length: 11', 'Expect: 100-continue'))
  await wanted.waitFor('HTTP/1.1 100 Continue\r\n\r\n')
  wanted.socket.write('{"text":""}')
  expect(await wanted.waitFor('{"text":""}')).toContain('HTTP/1.1 200 ')
  const refused = await openConnection(listening)
  refused.socket.write(
    formatHead([
      'POST /json HTTP/1.1',
      'Host: x',
      'Content-Type: text/plain',
      'Content-Length: 11',
      'Expect: 100-continue',
    ]),
  )
  const reply = await refused.waitFor('unsupported_content_type')
  expect(reply).toMatch(/^HTTP\/1\.1 415 /)
  expect(reply).not.toContain('100 Continue')
})

test('a streamed reply has back-pressure and ends when the client disconnects', async () => {
  const echo = echoService()
  let [made, returned] = [0, false]
  const body = (async function* () {
    try {
      for (;;) {
        made++
        yield Buffer.alloc(64 * 1024)
      }
    } finally {
      returned = true
    }
  })()
  const listening = await startEchoServer({}, { ...echo, handle: async () => ({ status: 200, headers: [], body }) })
  const { socket, waitFor } = await openConnection(listening)
  socket.write(formatHead(['GET /endless HTTP/1.1', 'Host: x']))
  await waitFor('200 OK')
  socket.pause()
  let before = -1
  while (made !== before) {
    before = made
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  expect(made).toBeLessThan(500)
  socket.destroy()
  while (!returned) await new Promise((resolve) => setTimeout(resolve, 10))
})

test('an absolute request target is accepted', async () => {
  const { socket, waitFor } = await openConnection(await startEchoServer())
  socket.write(formatHead(['GET http://other.example/echo/proxied?a=1 HTTP/1.1', 'Host: x', 'Connection: close']))
  expect(await waitFor('close')).toContain('"path":"/echo/proxied"')
})
