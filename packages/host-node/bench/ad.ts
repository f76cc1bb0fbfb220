import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import autocannon from 'autocannon'
import { openLocal } from '../src/sqlite/local.ts'
import { call, stopProgram, createFolder, median, startProgram, startHost } from './host.ts'
import type { Row } from './table.ts'

/**
 * Serves the baseline of `GET /api/ad`: node:http that does only the work that the answer needs, on a file with the
 * same durability. It authenticates, checks whether the device or the creative is blocked, and records the serve, with
 * three prepared statements. Prints its port.
 */
export async function serveAdBaseline(database: string): Promise<void> {
  const client = openLocal(database)
  const hash = (header: string | undefined): string =>
    createHash('sha256')
      .update((header ?? '').slice(7))
      .digest('hex')
  const server = createServer(async (request, response) => {
    const device = new URL(request.url!, 'http://baseline').searchParams.get('d')
    const who = await client.execute({
      sql: 'select owner from credentials where hash = ?',
      args: [hash(request.headers.authorization)],
    })
    const owner = Number(who.rows[0]?.['owner'])
    const barred = await client.execute({
      sql:
        'select (select owner from devices where id = ?) as holder, (select group_concat(fingerprint) from ' +
        "ad_votes where owner = ? and vote = 'down') as down",
      args: [device, owner],
    })
    const id = randomBytes(16)
    await client.batch(
      [
        {
          sql: `insert into serves (id, owner, device, source, campaign, fingerprint, price, served_at, expires_at)
        values (?, ?, ?, 'campaign', 1, ?, 20000, ?, ?)`,
          args: [id, owner, device, 'f'.repeat(64), Date.now(), Date.now() + 300_000],
        },
      ],
      'write',
    )
    const text = JSON.stringify({
      ad: { text: 'Acme', clickUrl: `/go/${id.toString('base64url')}` },
      nonce: id.toString('hex'),
      barred: barred.rows.length,
    })
    response.writeHead(200, { 'content-type': 'application/json' }).end(text)
  })
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as { port: number }
    process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`)
  })
  process.once('SIGTERM', () => process.exit(0))
}

const operatorToken = ['operator', 'of', 'this', 'bench'].join('-')
const path = '/api/ad?d=bench-device-1&topic=databases'
const megabytes = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MB`

/**
 * Measures `GET /api/ad` from a campaign against its baseline, then the 99th percentile and the memory at 2,000 requests
 * a second for 30 s.
 */
export async function ad(rounds: number): Promise<Row[]> {
  const place = createFolder()
  const host = await startHost(`${place.path}/bench.db`, ['--admin-token', operatorToken])
  await call(
    host.url,
    'POST',
    '/api/admin/campaigns',
    {
      name: 'bench',
      brandName: 'Acme',
      title: 'Acme',
      text: 'Acme DB: a database that answers',
      url: 'https://acme.example/db',
      topics: ['databases'],
      cpmUsd: 20,
      budgetUsd: 1_000_000,
    },
    { authorization: `Bearer ${operatorToken}` },
  )
  const baseline = await startProgram([process.argv[1]!, '--serve', 'ad', host.database])
  const load = async (url: string, more: object): Promise<autocannon.Result> => {
    const result = await autocannon({ url: url + path, headers: host.bearer, connections: 16, duration: 3, ...more })
    if (result.non2xx > 0 || result.errors > 0)
      throw new Error(`${url}: ${result.non2xx} error replies, ${result.errors} errors`)
    return result
  }
  const [ours, theirs]: [number[], number[]] = [[], []]
  for (let round = 0; round <= rounds; round++) {
    const [one, other] = [await load(host.url, {}), await load(baseline.line['url']!, {})]
    if (round === 0) continue
    ours.push(one.requests.average)
    theirs.push(other.requests.average)
  }
  await stopProgram(baseline.child)
  const before = host.memory().now
  const steady = await load(host.url, { duration: 30, overallRate: 2000, connections: 32 })
  const after = host.memory().now
  await host.stop()
  place.remove()
  const ratio = median(ours) / median(theirs)
  const rate = steady.requests.average
  return [
    {
      what: 'GET /api/ad from a campaign',
      ours: `${Math.round(median(ours))}/s`,
      baseline: `${Math.round(median(theirs))}/s bare node:http, three statements`,
      ratio,
      goal: '≥ 0.6',
      met: ratio >= 0.6,
    },
    {
      what: 'GET /api/ad, 2,000 a second for 30 s',
      ours:
        `${Math.round(rate)}/s, p50 ${steady.latency.p50} ms, p99 ${steady.latency.p99} ms, ` +
        `${megabytes(before)} then ${megabytes(after)}`,
      baseline: '2000/s',
      ratio: rate / 2000,
      goal: '≥ 0.95',
      met: rate >= 1900,
    },
  ]
}
