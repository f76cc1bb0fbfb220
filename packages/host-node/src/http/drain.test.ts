import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { built, run } from '../cli/cli.fixture.ts'
import { choosePort, startEchoServer } from './connection.fixture.ts'
import { sendRequest } from './wire.fixture.ts'

/**
 * The environment can increase these numbers for a measurement: `TRIBUTARY_STOPS=5 TRIBUTARY_DRAIN=5 npx vitest run
 * packages/host-node/src/http/drain.test.ts`.
 */
const [stops, drainSeconds] = [Number(process.env['TRIBUTARY_STOPS'] ?? 1), Number(process.env['TRIBUTARY_DRAIN'] ?? 1)]
const clients = 40

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-drain-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Sends a request on a separate connection. Resolves with the status. */
function readStatus(url: string, agent: Agent | false = false): Promise<number> {
  return new Promise((resolve, reject) => {
    request(url, { agent }, (res) =>
      res
        .on('error', reject)
        .on('end', () => resolve(res.statusCode ?? 0))
        .resume(),
    )
      .on('error', reject)
      .end()
  })
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Stops a server while clients send requests. When `/readyz` returns 503, the clients send no more requests, as if a
 * load balancer had removed the server.
 */
async function stopUnderLoad(): Promise<{
  errors: string[]
  served: number
  afterSignal: number
  code: number | null
  seconds: number
}> {
  const { child, ended, out } = run([
    'start',
    '--json',
    '--port',
    '0',
    '--host',
    '127.0.0.1',
    '--base-url',
    'https://x.example',
    '--database',
    join(folder, 'a.db'),
    '--smtp-url',
    'smtp://127.0.0.1:9',
    '--mail-from',
    'a@x.example',
    '--log-level',
    'error',
    '--drain-seconds',
    String(drainSeconds),
  ])
  await new Promise<void>((resolve) => child.stdout!.on('data', () => out().includes('\n') && resolve()))
  const { url } = JSON.parse(out()) as { url: string }
  const errors: string[] = []
  let [balanced, signalled, served, afterSignal] = [true, false, 0, 0]
  const sending = Array.from({ length: clients }, async (_, at) => {
    // A quarter of the clients keep their connections, as a load balancer may.
    const agent = at % 4 === 0 ? new Agent({ keepAlive: true }) : false
    while (balanced) {
      const late = signalled
      await readStatus(`${url}/api/cli/session`, agent).then(
        () => {
          served++
          if (late) afterSignal++
        },
        (error: NodeJS.ErrnoException) => errors.push(String(error.code ?? error)),
      )
    }
    if (agent) agent.destroy()
  })
  const watching = (async () => {
    while ((await readStatus(`${url}/readyz`)) === 200) await sleep(Math.min(500, drainSeconds * 250))
    balanced = false
  })()
  await sleep(500)
  const since = performance.now()
  child.kill('SIGTERM')
  signalled = true
  await Promise.all([watching, ...sending])
  const { code } = await ended
  return { errors, served, afterSignal, code, seconds: (performance.now() - since) / 1000 }
}

describe.skipIf(!built)('SIGTERM to tributary start', () => {
  test(
    `close does not reset any of ${clients} clients that leave when /readyz returns 503`,
    { tags: 'long', timeout: 60_000 * stops },
    async () => {
      for (let stop = 0; stop < stops; stop++) {
        const { errors, served, afterSignal, code, seconds } = await stopUnderLoad()
        if (stops > 1) console.log({ served, afterSignal, errors: errors.length, code, seconds })
        expect([errors, code]).toEqual([[], 0])
        expect(afterSignal).toBeGreaterThan(0)
        expect(seconds).toBeGreaterThan(drainSeconds)
      }
    },
  )
})

describe('listen with drainMs', () => {
  // promise: first-readyz-answers-while
  test('close answers new connections with connection: close and 503 at /readyz, and then rejects them', async () => {
    const listening = await startEchoServer({ port: choosePort(), drainMs: 1_000 })
    const closed = listening.close()
    const ready = await sendRequest(listening.url, 'GET', '/readyz')
    expect(ready.status).toBe(503)
    const served = await sendRequest(listening.url, 'GET', '/echo/word')
    expect(served.status).toBe(200)
    expect(new Map(served.headers).get('connection')).toBe('close')
    await closed
    // A connection that was accepted just before the close is reset, and the next one is refused.
    await vi.waitFor(() => expect(sendRequest(listening.url, 'GET', '/healthz')).rejects.toThrow('ECONNREFUSED'))
  })
})
