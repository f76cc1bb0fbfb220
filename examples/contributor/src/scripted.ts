import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import type { Terminal } from './terminal.ts'

export interface Asked {
  readonly line: string
  readonly headers: IncomingMessage['headers']
  readonly body: unknown
}

export type Script = Record<string, [status: number, body: unknown, headers?: Record<string, string>][]>

/**
 * A real HTTP server that answers each `METHOD /path` with its answers in order, the last one again and again: for the
 * moods of a service that a healthy host does not show (429, 503, slow_down).
 */
export async function scripted(script: Script) {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const raw = Buffer.concat(parts)
    const text = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw).toString()
    const line = `${request.method} ${request.url?.split('?')[0]}`
    asked.push({ line, headers: request.headers, body: text === '' ? null : JSON.parse(text) })
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
    asked,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
}

/** A terminal that keeps what is written and only notes how long it would have waited. */
export function kept(home: string, env: Record<string, string> = {}) {
  const outs: string[] = []
  const notes: string[] = []
  const waits: number[] = []
  const terminal: Terminal = {
    env: { TRIBUTARY_CONFIG_DIR: `${home}/config`, ...env },
    home,
    machine: 'test machine',
    interactive: false,
    fetch,
    out: (text) => void outs.push(text),
    note: (text) => void notes.push(text),
    progress: (text) => void notes.push(text),
    wait: async (ms) => void waits.push(ms),
    confirm: async () => false,
  }
  return { terminal, outs, notes, waits }
}
