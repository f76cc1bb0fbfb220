import { randomUUID, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Database from 'libsql'
import type { Ask } from './proto.ts'
import { Pool, Stream } from './stream.ts'

export interface HranaOptions {
  /** The file to serve, which is created if it does not exist. */
  path: string
  /** If given, every pipeline must send this bearer token. Otherwise the reply is 401. */
  token?: string
  /** The time after which an idle stream ends and its transaction is rolled back, in ms. Default 10,000. */
  streamMs?: number
  /** The time for which a statement waits for a lock, in ms. Default 5,000. */
  lockMs?: number
  /** Whether a commit waits for the disk, which blocks the event loop. Default true. */
  isDurable?: boolean
  /**
   * A function that is called for each pipeline with the number of other pipelines in progress. Returns the disturbance
   * of the pipeline, or null. Default: no disturbance.
   */
  disturb?: (underWay: number) => HranaDisturbance | null
}

/**
 * The disturbance of one pipeline. It is refused with a status and does not run; it runs and is answered later; or the
 * connection breaks, either before it runs, or after it ran and before the answer.
 */
export type HranaDisturbance =
  | { readonly status: number; readonly retryAfterSeconds?: number }
  | { readonly delayMs: number }
  | 'break_before'
  | 'break_after'

export interface Hrana {
  /** The URL for `createClient({ url })`: `http://127.0.0.1:<port>`. */
  readonly url: string
  /** The number of requested pipelines so far, including failed ones. Each pipeline is one round trip. */
  readonly requests: number
  /** Answers the next `next` pipelines only with `status`; 0 breaks the connection instead. */
  fail(next: number, status: number): void
  /** Delays every later pipeline by `ms` before it runs. */
  delay(ms: number): void
  /**
   * With `true`, accepts pipelines without answering them; with `false`, answers again. Unanswered pipelines stay
   * unanswered and have no effect.
   */
  hang(hangs: boolean): void
  close(): Promise<void>
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function reply(response: ServerResponse, status: number, body?: object, headers: Record<string, string> = {}): void {
  response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(body === undefined ? '' : JSON.stringify(body))
}

/**
 * Starts a remote libSQL for tests: Hrana over HTTP, version 2, on top of a local file, as the real `@libsql/client`
 * and drizzle speak it (https://github.com/tursodatabase/libsql/blob/main/docs/HRANA_2_SPEC.md). It has streams, batons
 * and their expiry, stored texts, batches with conditions, and faults on demand. It is only for tests, because its SQL
 * runs on the event loop.
 *
 * ```ts
 * const remote = await startHrana({ path: join(folder, 'a.db') })
 * const client = createClient({ url: remote.url })
 * ```
 */
export async function startHrana(options: HranaOptions): Promise<Hrana> {
  const { path, token, streamMs = 10_000, lockMs = 5_000, isDurable = true, disturb = () => null } = options
  const streams = new Map<string, { stream: Stream; timer: NodeJS.Timeout }>()
  let requests = 0
  let underWay = 0
  let waitMs = 0
  let hanging = false
  let failing = { left: 0, status: 500 }

  const pool = new Pool(path, isDurable)
  const maker = new Database(path, { timeout: 5_000 } as Database.Options)
  maker.exec('pragma journal_mode = wal')
  maker.close()

  function isAllowed(request: IncomingMessage): boolean {
    if (token === undefined) return true
    const [sent, wanted] = [Buffer.from(request.headers.authorization ?? ''), Buffer.from(`Bearer ${token}`)]
    return sent.length === wanted.length && timingSafeEqual(sent, wanted)
  }

  async function handlePipeline(request: IncomingMessage, response: ServerResponse): Promise<void> {
    requests++
    const body = await readText(request)
    if (hanging) return
    if (waitMs > 0) await sleep(waitMs)
    if (failing.left > 0) {
      failing.left--
      if (failing.status === 0) return void request.socket.destroy()
      return reply(response, failing.status, { message: 'made to fail' })
    }
    if (!isAllowed(request))
      return reply(response, 401, { message: 'the bearer is missing or wrong', code: 'AUTH_JWT_INVALID' })
    const disturbance = disturb(underWay - 1)
    if (disturbance === 'break_before') return void request.socket.destroy()
    if (disturbance !== null && typeof disturbance === 'object' && 'status' in disturbance) {
      const { status, retryAfterSeconds } = disturbance
      const headers = retryAfterSeconds === undefined ? undefined : { 'retry-after': String(retryAfterSeconds) }
      return reply(response, status, { message: 'refused', code: 'TOO_MANY_REQUESTS' }, headers)
    }
    let asked: { baton?: string | null; requests: Ask[] }
    try {
      asked = JSON.parse(body) as typeof asked
    } catch {
      return reply(response, 400, { message: 'not JSON', code: 'HTTP_BODY_INVALID' })
    }
    const known = asked.baton ? streams.get(asked.baton) : undefined
    if (asked.baton && !known) {
      return reply(response, 400, { message: 'the stream has expired', code: 'STREAM_EXPIRED' })
    }
    // A baton is valid for one request. The reply contains the next baton.
    if (asked.baton) streams.delete(asked.baton)
    clearTimeout(known?.timer)
    const stream = known?.stream ?? new Stream(pool, lockMs)
    const results: object[] = []
    for (const ask of asked.requests) results.push(await stream.answer(ask))
    if (disturbance === 'break_after') request.socket.destroy()
    else if (disturbance !== null) await sleep(disturbance.delayMs)
    if (asked.requests.some(({ type }) => type === 'close')) {
      stream.close()
      return reply(response, 200, { baton: null, base_url: null, results })
    }
    const baton = randomUUID()
    const timer = setTimeout(() => {
      streams.delete(baton)
      stream.close()
    }, streamMs)
    streams.set(baton, { stream, timer })
    reply(response, 200, { baton, base_url: null, results })
  }

  const server = createServer((request, response) => {
    if (request.method === 'POST' && request.url === '/v2/pipeline') {
      underWay++
      handlePipeline(request, response)
        .catch((error: unknown) => reply(response, 500, { message: String(error) }))
        .finally(() => underWay--)
      return
    }
    // Clients detect the version of a server by this status: 200 for version 2, 404 for later versions.
    reply(response, request.method === 'GET' && (request.url === '/v2' || request.url === '/health') ? 200 : 404)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get requests() {
      return requests
    },
    fail(next, status) {
      failing = { left: next, status }
    },
    delay(ms) {
      waitMs = ms
    },
    hang(hangs) {
      hanging = hangs
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
      for (const { stream, timer } of streams.values()) {
        clearTimeout(timer)
        stream.close()
      }
      streams.clear()
      pool.close()
    },
  }
}
