import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Runtime } from './runtime.ts'

export type Reply = readonly [status: number, body: unknown, headers?: Record<string, string>]
export interface ReceivedRequest {
  readonly line: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/**
 * Starts a real HTTP server for faults that a healthy host does not show. Answers each `METHOD /path` with its scripted
 * reply; status 0 breaks the connection. `edit` is for bodies that contain the server's own URL.
 */
export async function startScriptedServer(
  script: Record<string, (request: ReceivedRequest) => Reply>,
  edit = (_base: string, body: string): string => body,
) {
  const received: ReceivedRequest[] = []
  let url = ''
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://local')
    const one = {
      line: `${request.method} ${pathname}`,
      query: searchParams,
      headers: request.headers,
      body: Buffer.concat(parts).toString(),
    }
    received.push(one)
    const [status, body, headers] = script[one.line]?.(one) ?? [404, { ok: false, error: 'not_found' }]
    if (status === 0) response.destroy()
    else
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(body === null ? '' : edit(url, JSON.stringify(body)))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    received,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
}

/**
 * Creates a fake machine. Its clock advances only in `wait`, and it records everything that is written, started and
 * opened.
 */
export function fakeRuntime(home: string, more: Partial<Runtime> = {}) {
  const outs: string[] = []
  const notes: string[] = []
  const started: { args: readonly string[]; env: Readonly<Record<string, string>> }[] = []
  const opened: string[] = []
  const clock = { now: Date.UTC(2026, 10, 1) }
  const runtime: Runtime = {
    env: { TRIBUTARY_CONFIG_DIR: `${home}/config`, TRIBUTARY_TOKEN: 'trb_test' },
    home,
    tty: true,
    columns: 80,
    rows: 24,
    platform: 'linux',
    arch: 'x64',
    fetch: (...args) => fetch(...args),
    now: () => clock.now,
    wait: async (ms) => void (clock.now += ms),
    out: (text) => void outs.push(text),
    note: (text) => void notes.push(text),
    background: (args, env) => void started.push({ args, env }),
    browse: async (url) => opened.push(url) > 0,
    ...more,
  }
  return { runtime, outs, notes, started, opened, clock }
}

/** Returns the body of `GET /api/ad` with a paid line. */
export function serveReply(base: string, more: Record<string, unknown> = {}, ad: Record<string, unknown> = {}) {
  return {
    ad: {
      text: 'Ships while you sleep',
      clickUrl: `${base}/go/abc`,
      shortUrl: `${base}/go/abc`,
      impUrl: `${base}/api/ad/imp/one`,
      brandName: 'Night Shift',
      title: 'Night Shift',
      url: 'https://night.example/',
      favicon: '',
      ...ad,
    },
    nonce: 'one',
    serveId: '019a0000-0000-7000-8000-000000000001',
    ttlMs: 300_000,
    matchType: 'general',
    feedback: { token: 'vote-one', expiresAt: '2026-11-02T00:00:00.000Z' },
    ...more,
  }
}
