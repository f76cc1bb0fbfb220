import { createHash, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import autocannon from 'autocannon'
import { Pool } from 'pg'
import { startServer } from '../../core/src/stores/postgres/server.fixture.ts'
import { openPostgres } from '../src/postgres.ts'
import { createBatch, createFolder, median, post, startHost, startProgram, stopProgram, waitForJob } from './host.ts'
import { formatMs, type Row } from './table.ts'
import { measureWorker, type PlainTrace } from './work.ts'

/** Serves the reply of E14 over bare node:http with one query of node-postgres. Prints its address as JSON. */
export async function serveQuery(url: string): Promise<void> {
  const pool = new Pool({ connectionString: url, max: 10 })
  const text = 'select u.id from credentials c join users u on u.num = c.owner where c.hash = $1'
  const server = createServer(async (request, response) => {
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

/** Measures E14, E5 and the worker on PostgreSQL against bare node-postgres, and on a file of libSQL in the same rounds. */
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

  const times: Record<'ours' | 'bare' | 'file', number[]> = { ours: [], bare: [], file: [] }
  for (let round = 0; round <= rounds; round++) {
    const body = Buffer.from(createBatch(1_000, 4_000, `accept-${round}`))
    const start = performance.now()
    JSON.parse(body.toString())
    await pool.query('insert into bare.uploads values ($1, $2)', [randomUUID(), body])
    if (round > 0) times.bare.push(performance.now() - start)
    for (const [name, host] of [
      ['ours', onPostgres],
      ['file', onFile],
    ] as const) {
      const at = performance.now()
      const { status, text } = await post(`${host.url}/api/ingest`, body, host.bearer)
      if (status !== 202) throw new Error(`POST /api/ingest answered ${status} ${text}`)
      if (round > 0) times[name].push(performance.now() - at)
      await waitForJob(host, (JSON.parse(text) as { jobId: string }).jobId)
    }
  }
  await Promise.all([onPostgres.stop(), onFile.stop(), stopProgram(bare.child)])

  const opened = await openPostgres(await server.createDatabase('worker'))
  await opened.migrate()
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
  const worker = await measureWorker(opened.stores, insert, 4_000, rounds)
  await opened.close()
  await pool.end()
  await server.close()
  place.remove()

  const [rate, time] = [median(rates.ours) / median(rates.bare), median(times.ours) / median(times.bare)]
  return [
    {
      what: 'E14 on PostgreSQL',
      ours: `${Math.round(median(rates.ours))}/s`,
      baseline: `${Math.round(median(rates.bare))}/s bare node:http + one pg query; on a file ${Math.round(median(rates.file))}/s`,
      ratio: rate,
      goal: '≥ 1',
      met: rate >= 1,
    },
    {
      what: 'E5 to 202 on PostgreSQL, 1,000 × 4 KB',
      ours: formatMs(median(times.ours)),
      baseline: `${formatMs(median(times.bare))} JSON.parse + one insert; on a file ${formatMs(median(times.file))}`,
      ratio: time,
      goal: '≤ 1.6',
      met: time <= 1.6,
    },
    {
      what: 'worker on PostgreSQL, 4 KB traces',
      ours: `${Math.round(worker.ours)}/s`,
      baseline: `${Math.round(worker.baseline)}/s parse + hash + batched insert`,
      ratio: worker.ratio,
      goal: '≥ 0.6',
      met: worker.ratio >= 0.6,
    },
  ]
}
