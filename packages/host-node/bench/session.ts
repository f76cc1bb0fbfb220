import { createServer } from 'node:http'
import { createHash } from 'node:crypto'
import autocannon from 'autocannon'
import { createClient } from '@libsql/client'
import { drizzle } from 'drizzle-orm/libsql'
import { sql } from 'drizzle-orm'
import { H3, toNodeHandler } from 'h3'
import { stopProgram, createFolder, median, startProgram, startHost } from './host.ts'
import type { Row } from './table.ts'

/**
 * Serves a baseline of `GET /api/cli/session`: the same reply from minimal code. `bare` is node:http with one read of
 * @libsql/client, `h3` is h3 with the same read by drizzle, `none` does not access the database. Prints its port as
 * JSON. Ends on SIGTERM.
 */
export async function serveBaseline(kind: string, database: string): Promise<void> {
  const client = createClient({ url: `file:${database}` })
  const text = 'select u.id from credentials c join users u on u.num = c.owner where c.hash = ?'
  const hash = (header: string | undefined): string =>
    createHash('sha256')
      .update((header ?? '').slice(7))
      .digest('hex')
  const db = drizzle(client)
  const app = new H3().get('/api/cli/session', async (event) => {
    const value = hash(event.req.headers.get('authorization') ?? undefined)
    const row = await db.get<{ id: string }>(
      sql`select u.id from credentials c join users u on u.num = c.owner where c.hash = ${value}`,
    )
    return { ok: true, userId: row?.id }
  })
  const plain = createServer(async (request, response) => {
    let userId: unknown = 'nobody'
    if (kind === 'bare')
      userId = (await client.execute({ sql: text, args: [hash(request.headers.authorization)] })).rows[0]?.['id']
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ok: true, userId }))
  })
  const server = kind === 'h3' ? createServer(toNodeHandler(app)) : plain
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as { port: number }
    process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`)
  })
  process.once('SIGTERM', () => process.exit(0))
}

async function rate(url: string, path: string, headers: Record<string, string>, seconds: number): Promise<number> {
  const result = await autocannon({ url: url + path, headers, connections: 16, duration: seconds })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}${path}: ${result.non2xx} error replies, ${result.errors} errors`)
  return result.requests.average
}

/** Measures `GET /api/cli/session` with a bearer and `/healthz` against their baselines, in replies per second. */
export async function session(rounds: number): Promise<Row[]> {
  const place = createFolder()
  const host = await startHost(`${place.path}/bench.db`)
  const baselines = await Promise.all(
    ['bare', 'h3', 'none'].map((kind) => startProgram([process.argv[1]!, '--serve', kind, host.database])),
  )
  const paths = [
    { name: 'session', url: host.url, path: '/api/cli/session' },
    { name: 'bare', url: baselines[0]!.line['url']!, path: '/api/cli/session' },
    { name: 'h3', url: baselines[1]!.line['url']!, path: '/api/cli/session' },
    { name: 'healthz', url: host.url, path: '/healthz' },
    { name: 'none', url: baselines[2]!.line['url']!, path: '/' },
  ]
  const seen = new Map<string, number[]>(paths.map(({ name }) => [name, []]))
  for (let round = 0; round <= rounds; round++) {
    for (const { name, url, path } of paths) {
      const perSecond = await rate(url, path, host.bearer, 2)
      if (round > 0) seen.get(name)!.push(perSecond)
    }
  }
  await Promise.all(baselines.map(({ child }) => stopProgram(child)))
  await host.stop()
  place.remove()
  const of = (name: string): number => median(seen.get(name)!)
  const row = (what: string, ours: string, baseline: string, against: string, goal: number): Row => ({
    what,
    ours: `${Math.round(of(ours))}/s`,
    baseline: `${Math.round(of(baseline))}/s ${against}`,
    ratio: of(ours) / of(baseline),
    goal: `≥ ${goal}`,
    met: of(ours) / of(baseline) >= goal,
  })
  return [
    row('GET /api/cli/session with a bearer', 'session', 'bare', 'bare node:http + @libsql/client', 1),
    row('GET /api/cli/session with a bearer', 'session', 'h3', 'h3 + drizzle', 2),
    row('no store touched (/healthz)', 'healthz', 'none', 'bare node:http', 0.75),
  ]
}
