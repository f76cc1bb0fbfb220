import { createServer } from 'node:http'
import { createClient } from '@libsql/client'
import type { SqlClient } from '@tributary/core/libsql'

const knownSql = `select lower(hex(s.hash)) as hash from json_each(?) j
  cross join seen s on s.owner = (select num from users where id = ?) and s.hash = unhex(j.value)`
const excludeSql = `update traces set sell_excluded = ? where id in (select value from json_each(?))
  and +owner = (select num from users where id = ?) and sale_count = 0 returning id`

/** Opens a file with @libsql/client only. */
export const openBareClient = (path: string): SqlClient =>
  createClient({ url: `file:${path}`, timeout: 5_000 }) as unknown as SqlClient

/** Returns functions that run the SQL statements of `POST /api/traces/known` and `POST /api/traces/bulk`. */
export const createBareStatements = (client: SqlClient, userId: string) => ({
  async known(hashes: readonly string[]): Promise<unknown[]> {
    const { rows } = await client.execute({ sql: knownSql, args: [JSON.stringify([...hashes].sort()), userId] })
    return rows.map((row) => row[0])
  },
  async bulk(ids: readonly string[], excluded: number): Promise<unknown[]> {
    const [done] = await client.batch([{ sql: excludeSql, args: [excluded, JSON.stringify(ids), userId] }], 'write')
    return done!.rows.map((row) => row[0])
  },
})

interface StatementRequest {
  readonly userId: string
  readonly hashes?: string[]
  readonly ids?: string[]
  readonly excluded?: number
}

/** Serves the statements of `createBareStatements` over bare node:http with JSON. Prints its port. Ends on SIGTERM. */
export async function serveStatements(path: string): Promise<void> {
  const client = openBareClient(path)
  // The server keeps connections alive like ours: a connection that ends between two rounds would fail the next round.
  const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    const parts: Buffer[] = []
    request
      .on('data', (part: Buffer) => parts.push(part))
      .on('end', async () => {
        const { userId, hashes, ids, excluded } = JSON.parse(Buffer.concat(parts).toString()) as StatementRequest
        const { known, bulk } = createBareStatements(client, userId)
        const found = hashes ? await known(hashes) : await bulk(ids!, excluded!)
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ok: true, found }))
      })
  })
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as { port: number }
    process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`)
  })
  process.once('SIGTERM', () => process.exit(0))
}
