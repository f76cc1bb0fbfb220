import { createHash, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import autocannon from 'autocannon'
import { Pool } from 'pg'
import { startServer } from '../../core/src/stores/postgres/server.fixture.ts'
import { openPostgres } from '../src/postgres.ts'
import { createBatch, createFolder, median, post, startHost, startProgram, stopProgram, waitForJob } from './host.ts'
import { formatMs, type Row } from './table.ts'
import { measureOnFile, measureWorker, noScrubber, type PlainTrace } from './work.ts'

const insertUpload = 'insert into bare.uploads values ($1, $2)'

/**
 * Serves the reply of `GET /api/cli/session` over bare node:http with one query of node-postgres. For a request with a
 * body it serves the reply of `POST /api/ingest`, after parsing and inserting the body. Prints its URL as JSON.
 */
export async function serveQuery(url: string): Promise<void> {
  const pool = new Pool({ connectionString: url, max: 10 })
  const text = 'select u.id from credentials c join users u on u.num = c.owner where c.hash = $1'
  const server = createServer({ keepAliveTimeout: 65_000 }, async (request, response) => {
    if (request.method === 'POST') {
      const parts: Buffer[] = []
      for await (const part of request) parts.push(part as Buffer)
      const body = Buffer.concat(parts)
      JSON.parse(body.toString())
      await pool.query(insertUpload, [randomUUID(), body])
      return response.writeHead(202, { 'content-type': 'application/json' }).end('{"ok":true}')
    }
    const hash = createHash('sha256')
      .update((request.headers.authorization ?? '').slice(7))
      .digest('hex')
    const { rows } = await pool.query(text, [hash])
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ ok: true, userId: rows[0]?.id }))
  })
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as { port: number }
    process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`)
  })
  process.once('SIGTERM', () => process.exit(0))
}

/**
 * Measures `GET /api/cli/session`, `POST /api/ingest` and the worker on PostgreSQL against bare node-postgres. Also
 * shows their values on a file of libSQL from the same rounds.
 */
export async function postgres(rounds: number): Promise<Row[]> {
  const server = await startServer({ isDurable: true })
  const place = createFolder()
  const [onPostgres, onFile] = [await startHost(server.url), await startHost(`${place.path}/bench.db`)]
  const bare = await startProgram([process.argv[1]!, '--serve', 'pg', server.url])
  const pool = server.openPool()
  await pool.query(`create schema bare; create table bare.uploads (key text primary key, bytes bytea);
    create table bare.traces (id text primary key, hash bytea, body text); create table bare.seen (hash bytea primary key)`)

  const rates: Record<'ours' | 'bare' | 'file', number[]> = { ours: [], bare: [], file: [] }
  for (let round = 0; round <= rounds; round++) {
    for (const [name, url, headers] of [
      ['ours', onPostgres.url, onPostgres.bearer],
      ['bare', bare.line['url']!, onPostgres.bearer],
      ['file', onFile.url, onFile.bearer],
    ] as const) {
      const result = await autocannon({ url: `${url}/api/cli/session`, headers, connections: 16, duration: 2 })
      if (result.non2xx > 0 || result.errors > 0) throw new Error(`${name}: ${result.non2xx} error replies`)
      if (round > 0) rates[name].push(result.requests.average)
    }
  }

  const times: Record<'ours' | 'bare' | 'served' | 'file', number[]> = { ours: [], bare: [], served: [], file: [] }
  const time = async (round: number, name: keyof typeof times, step: () => Promise<unknown>): Promise<void> => {
    const start = performance.now()
    await step()
    if (round > 0) times[name].push(performance.now() - start)
  }
  for (let round = 0; round <= rounds; round++) {
    const body = Buffer.from(createBatch(1_000, 4_000, `accept-${round}`))
    const submit = async (url: string, headers: Record<string, string>): Promise<{ jobId: string }> => {
      const { status, text } = await post(url, body, headers)
      if (status !== 202) throw new Error(`POST ${url} answered ${status} ${text}`)
      return JSON.parse(text) as { jobId: string }
    }
    await time(round, 'bare', async () => {
      JSON.parse(body.toString())
      await pool.query(insertUpload, [randomUUID(), body])
    })
    await time(round, 'served', () => submit(bare.line['url']!, {}))
    for (const [name, host] of [
      ['ours', onPostgres],
      ['file', onFile],
    ] as const) {
      let jobId = ''
      await time(round, name, async () => ({ jobId } = await submit(`${host.url}/api/ingest`, host.bearer)))
      await waitForJob(host, jobId)
    }
  }
  await Promise.all([onPostgres.stop(), onFile.stop(), stopProgram(bare.child)])

  const insert = async (traces: readonly PlainTrace[]): Promise<void> => {
    const client = await pool.connect()
    await client.query('begin')
    await client.query('insert into bare.traces select * from unnest($1::text[], $2::bytea[], $3::text[])', [
      traces.map(({ id }) => id),
      traces.map(({ hash }) => hash),
      traces.map(({ body }) => body),
    ])
    await client.query('insert into bare.seen select * from unnest($1::bytea[]) on conflict do nothing', [
      traces.map(({ hash }) => hash),
    ])
    await client.query('commit')
    client.release()
  }
  const workers: Row[] = []
  for (const [what, scrubber] of [
    ['worker on PostgreSQL, 4 KB traces', undefined],
    ['the same without scrubbing', noScrubber],
  ] as const) {
    const opened = await openPostgres(await server.createDatabase(scrubber ? 'unscrubbed' : 'worker'))
    await opened.migrate()
    const { ours, baseline, ratio } = await measureWorker(opened.stores, insert, 4_000, rounds, scrubber)
    await opened.close()
    const file = await measureOnFile(4_000, rounds, scrubber)
    workers.push({
      what,
      ours: `${Math.round(ours)}/s`,
      baseline:
        `${Math.round(baseline)}/s parse + hash + batched insert; ` +
        `on a file ${Math.round(file.ours)}/s of ${Math.round(file.baseline)}/s, ${file.ratio.toFixed(2)}`,
      ratio,
      goal: '≥ 0.6',
      met: ratio >= 0.6,
    })
  }
  await pool.end()
  await server.close()
  place.remove()

  const rate = median(rates.ours) / median(rates.bare)
  const rows: Row[] = [
    {
      what: 'GET /api/cli/session on PostgreSQL',
      ours: `${Math.round(median(rates.ours))}/s`,
      baseline: `${Math.round(median(rates.bare))}/s bare node:http + one pg query; on a file ${Math.round(median(rates.file))}/s`,
      ratio: rate,
      goal: '≥ 1',
      met: rate >= 1,
    },
  ]
  for (const [name, where] of [
    ['bare', ''],
    ['served', ', behind bare node:http'],
  ] as const) {
    const ratio = median(times.ours) / median(times[name])
    rows.push({
      what: 'POST /api/ingest to 202 on PostgreSQL, 1,000 × 4 KB',
      ours: formatMs(median(times.ours)),
      baseline: `${formatMs(median(times[name]))} JSON.parse + one insert${where}; on a file ${formatMs(median(times.file))}`,
      ratio,
      goal: '≤ 1.6',
      met: ratio <= 1.6,
    })
  }
  return [...rows, ...workers]
}
