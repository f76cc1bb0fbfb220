import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { built, signInContributor, startDev, type Contributor, type Dev } from '../cli/cli.fixture.ts'
import { openConnection, formatJsonHead, cleanups, startEchoServer } from './connection.fixture.ts'

const megabyte = 1_000_000

describe('a request body', () => {
  test('returns 408 when less than bodyBytesPerSecond arrives over bodyTimeoutMs, and ends the connection', async () => {
    const { socket, waitFor } = await openConnection(
      await startEchoServer({ bodyTimeoutMs: 300, bodyBytesPerSecond: 3_000, lingerMs: 50 }),
    )
    const since = performance.now()
    socket.write(formatJsonHead('Content-Length: 1000'))
    const timer = setInterval(() => socket.writable && socket.write('  '), 20)
    cleanups.push(() => clearInterval(timer))
    const reply = await waitFor('close')
    expect(reply).toMatch(/^HTTP\/1\.1 408 /)
    expect(reply).toMatch(/connection: close/i)
    expect(reply).toContain('{"ok":false,"error":"request_timeout"}')
    expect(performance.now() - since).toBeGreaterThan(290)
  })

  test('returns 408 when it stalls after a fast start', async () => {
    const { socket, waitFor } = await openConnection(
      await startEchoServer({ bodyTimeoutMs: 100, bodyBytesPerSecond: 100, lingerMs: 50 }),
    )
    socket.write(formatJsonHead('Content-Length: 1000'))
    socket.write(Buffer.alloc(500, ' '))
    expect(await waitFor('close')).toMatch(/^HTTP\/1\.1 408 /)
  })

  test('returns 408 after bodyMaxMs, at every speed', async () => {
    const { socket, waitFor } = await openConnection(
      await startEchoServer({ bodyTimeoutMs: 100, bodyBytesPerSecond: 100, bodyMaxMs: 500, lingerMs: 50 }),
    )
    const since = performance.now()
    socket.write(formatJsonHead('Content-Length: 1024'))
    const timer = setInterval(() => socket.writable && socket.write('      '), 10)
    cleanups.push(() => clearInterval(timer))
    expect(await waitFor('close')).toMatch(/^HTTP\/1\.1 408 /)
    expect(performance.now() - since).toBeGreaterThan(490)
  })

  test('is accepted when it arrives slowly, but at bodyBytesPerSecond or faster', async () => {
    const { socket, waitFor } = await openConnection(
      await startEchoServer({ bodyTimeoutMs: 1000, bodyBytesPerSecond: 20 }),
    )
    const body = JSON.stringify({ text: 'x'.repeat(88) })
    socket.write(formatJsonHead(`Content-Length: ${body.length}`))
    for (const piece of body.match(/.{1,10}/g)!) {
      await new Promise((resolve) => setTimeout(resolve, 150))
      socket.write(piece)
    }
    expect(await waitFor('"text"')).toMatch(/^HTTP\/1\.1 200 /)
  })
})

describe.skipIf(!built || !existsSync('/proc/self/status'))('16 open bodies of 60 MB', () => {
  let folder: string
  let server: Dev
  const sockets: Socket[] = []
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tributary-bodies-'))
    server = await startDev(join(folder, 'test.db'), '--rate-limits', 'on')
  })
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const readResidentMb = (): number =>
    Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${server.child.pid}/status`, 'utf8'))![1]) / 1024

  /**
   * Sends all but the last byte of a body and keeps the connection open. Resolves with a function that returns all
   * received bytes.
   */
  async function openBody({ token }: Contributor): Promise<() => string> {
    const size = 60 * megabyte
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    sockets.push(socket)
    socket.setMaxListeners(100)
    let reply = ''
    let isOver = false
    socket
      .on('data', (data) => (reply += data.toString('latin1')))
      .on('error', () => undefined)
      .on('close', () => (isOver = true))
    socket.write(
      `POST /api/ingest HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: ` +
        `application/json\r\nContent-Length: ${size}\r\n\r\n`,
    )
    const piece = Buffer.alloc(megabyte, ' ')
    for (let sent = 0; sent < size - piece.length && reply === '' && !isOver; sent += piece.length) {
      if (!socket.write(piece))
        await new Promise<void>((resolve) => {
          socket.once('drain', resolve)
          socket.once('close', resolve)
        })
    }
    socket.write(piece.subarray(1))
    return () => reply
  }

  async function openAll(who: readonly Contributor[]): Promise<{ replies: string[]; grownMb: number }> {
    const idle = readResidentMb()
    let most = idle
    const timer = setInterval(() => (most = Math.max(most, readResidentMb())), 20)
    const bodies = await Promise.all(Array.from({ length: 16 }, (_, n) => openBody(who[n % who.length]!)))
    await new Promise((resolve) => setTimeout(resolve, 500))
    clearInterval(timer)
    return { replies: bodies.map((reply) => reply()), grownMb: most - idle }
  }

  test(
    'reads one of 16 large bodies of one user, returns 429 for the other 15, and reads another body after all connections end',
    { tags: 'slow' },
    async () => {
      const ann = await signInContributor(server.url, 'ann@x.example')
      const { replies, grownMb } = await openAll([ann])
      expect(replies.filter((reply) => reply === '')).toHaveLength(1)
      const refused = replies.filter((reply) => reply !== '')
      for (const reply of refused) {
        expect(reply).toMatch(/^HTTP\/1\.1 429 /)
        expect(reply).toContain('ratelimit-policy: "person_body_bytes";q=68157440;qu="content-bytes"')
        expect(reply).toContain('retry-after: 10')
        expect(reply).toContain('{"ok":false,"error":"rate_limited"}')
      }
      expect(grownMb).toBeLessThan(300)
      for (const socket of sockets.splice(0)) socket.destroy()
      await vi.waitFor(async () => expect(await (await openBody(ann))()).toBe(''), { interval: 500 })
    },
  )

  test(
    'reads as many large bodies of 16 users as the limit of the process allows, and returns 503 for the other bodies',
    { tags: 'slow' },
    async () => {
      const people: Contributor[] = []
      for (let n = 0; n < 16; n++) people.push(await signInContributor(server.url, `p${n}@x.example`))
      const { replies, grownMb } = await openAll(people)
      expect(replies.filter((reply) => reply === '')).toHaveLength(3)
      const refused = replies.filter((reply) => reply !== '')
      for (const reply of refused) {
        expect(reply).toMatch(/^HTTP\/1\.1 503 /)
        expect(reply).toContain('ratelimit-policy: "process_body_bytes"')
      }
      expect(grownMb).toBeLessThan(300)
      // Some bytes are reserved for small bodies.
      expect((await people[0]!.call('POST', '/api/traces/known', { hashes: [] })).status).toBe(200)
    },
  )
})
