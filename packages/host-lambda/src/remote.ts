import type { IncomingMessage, RequestOptions } from 'node:http'
import type { Agent } from 'node:https'
import { isRead, type SqlClient, type SqlStatement } from '@tributary/core/libsql'
import { batched, batching, executed, executing, RemoteError, type Outcome } from './hrana.ts'

export interface RemoteOptions {
  /** `libsql://`, which is `https://`; or `http://` for a server of one's own. */
  readonly url: string
  readonly authToken?: string
  /** How long an answer may take, in milliseconds; default 25,000: an HTTP API waits 30 seconds. */
  readonly timeoutMs?: number
}

/** Requests at once, and how long an unused connection is kept: less than a server or a frozen function keeps it. */
const [sockets, idleMs] = [20, 4_000]

/**
 * A client of a remote libSQL server, by Hrana over node:http: a statement or a batch is one round trip. It is here because the
 * one of `@libsql/client` loads all of `fetch` with its first statement, which takes longer than everything else that a function
 * does at its start. Throws for an address that is none; sends nothing before the first statement. Errors of SQL carry SQLite's
 * `code`, everything else is an outage to core.
 */
export function remoteClient({ url, authToken, timeoutMs = 25_000 }: RemoteOptions): SqlClient {
  const base = new URL(url.replace(/^libsql:/i, 'https:'))
  if (base.protocol !== 'https:' && base.protocol !== 'http:') throw new Error('the database\'s address must begin with libsql:, https: or http:')
  const to = new URL('v2/pipeline', base)
  const token = authToken ?? base.searchParams.get('authToken')
  let door: Promise<{ agent: Agent; request: (options: RequestOptions, answer: (reply: IncomingMessage) => void) => import('node:http').ClientRequest }> | null = null
  let closed = false

  async function open() {
    const { Agent, request } = base.protocol === 'https:' ? await import('node:https') : await import('node:http')
    return { agent: new Agent({ keepAlive: true, maxSockets: sockets, timeout: idleMs }) as Agent, request: request as never }
  }

  /** `again`: whether a connection that turns out to be dead may be followed by another; what changes something is sent once. */
  async function ask(request: object, again: boolean): Promise<Outcome> {
    if (closed) throw new RemoteError('the client is closed', 'CLIENT_CLOSED')
    const { agent, request: send } = await (door ??= open())
    const body = JSON.stringify({ requests: [request, { type: 'close' }] })
    try {
      return (await new Promise<Outcome[]>((resolve, reject) => {
        const { hostname, port, pathname, protocol } = to
        const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...(token ? { authorization: `Bearer ${token}` } : {}) }
        const out = send({ method: 'POST', hostname: hostname.replace(/^\[|\]$/g, ''), port, path: pathname, protocol, headers, agent: agent as never }, (reply) => {
          read(reply).then(resolve, reject)
        })
        out.setTimeout(timeoutMs, () => out.destroy(Object.assign(new Error('the database takes too long'), { code: 'ETIMEDOUT' })))
        out.on('error', (error) => reject(Object.assign(error, { stale: out.reusedSocket })))
        out.end(body)
      }))[0]!
    } catch (error) {
      if (again && (error as { stale?: boolean }).stale) return ask(request, false)
      throw error
    }
  }

  return {
    execute: async (statement) => executed(await ask(executing(statement), isRead(statement.sql))),
    batch: async (statements, mode) => batched(await ask(batching(statements, mode), statements.every(({ sql }: SqlStatement) => isRead(sql))), statements.length),
    close() {
      closed = true
      void door?.then(({ agent }) => agent.destroy())
    },
  }
}

async function read(reply: IncomingMessage): Promise<Outcome[]> {
  const parts: Buffer[] = []
  for await (const part of reply) parts.push(part as Buffer)
  const text = Buffer.concat(parts).toString()
  if (reply.statusCode !== 200) throw new RemoteError(`the database answered ${reply.statusCode}: ${text.slice(0, 200)}`, undefined, reply.statusCode)
  try {
    return (JSON.parse(text) as { results: Outcome[] }).results
  } catch {
    throw new RemoteError('the database\'s answer is no JSON', undefined, 502)
  }
}
