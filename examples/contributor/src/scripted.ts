import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach } from 'vitest'
import type { Terminal } from './terminal.ts'

export interface RecordedRequest {
  readonly line: string
  readonly headers: IncomingMessage['headers']
  readonly body: unknown
}

export type Script = Record<string, [status: number, body: unknown, headers?: Record<string, string>][]>

/**
 * Starts an HTTP server that answers each `METHOD /path` with the scripted answers in order, and repeats the last one.
 * It is for answers that a healthy host does not send (429, 503, slow_down).
 */
export async function startScriptedServer(script: Script) {
  const requests: RecordedRequest[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const raw = Buffer.concat(parts)
    const text = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw).toString()
    const line = `${request.method} ${request.url?.split('?')[0]}`
    requests.push({ line, headers: request.headers, body: text === '' ? null : JSON.parse(text) })
    const answers = script[line] ?? [[404, { ok: false, error: 'not_found' }]]
    const [status, body, headers] = answers.length > 1 ? answers.shift()! : answers[0]!
    if (status === 0) response.destroy()
    else response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
}

/** Returns a terminal that records the written texts and the requested waits. */
export function createRecordingTerminal(home: string, env: Record<string, string> = {}) {
  const outs: string[] = []
  const notes: string[] = []
  const waits: number[] = []
  const opened: string[] = []
  const terminal: Terminal = {
    env: { TRIBUTARY_CONFIG_DIR: `${home}/config`, ...env },
    home,
    machine: 'test machine',
    interactive: false,
    fetch,
    now: () => performance.now(),
    out: (text) => void outs.push(text),
    note: (text) => void notes.push(text),
    progress: (text) => void notes.push(text),
    wait: async (ms) => void waits.push(ms),
    ask: async () => '',
    onInterrupt: () => undefined,
    openBrowser: (url) => void opened.push(url),
  }
  return { terminal, outs, notes, waits, opened }
}

/** Gives each test an empty home folder, and servers that are closed after the test. */
export function useSurroundings() {
  const surroundings = { home: '', startService }
  const services: { close(): Promise<void> }[] = []
  async function startService(script: Script) {
    const server = await startScriptedServer(script)
    services.push(server)
    return server
  }
  beforeEach(() => {
    surroundings.home = mkdtempSync(join(tmpdir(), 'contributor-'))
  })
  afterEach(async () => {
    for (const server of services.splice(0)) await server.close()
    rmSync(surroundings.home, { recursive: true, force: true })
  })
  return surroundings
}

type Answer = Script[string][number]
export const account: Answer = [200, { ok: true, userId: 'u1', email: 'jane@example.org' }]
/** The scripted answers of a service that allows the account to upload. */
export const eligible: Script = {
  'GET /api/account': [account],
  'GET /api/traces/upload-policy': [[200, { ok: true, eligible: true, reason: null, country: 'US' }]],
  'GET /api/traces/access': [[200, { ok: true, status: 'approved' }]],
  'GET /api/traces/contact': [[200, { ok: true, completed: true }]],
}
