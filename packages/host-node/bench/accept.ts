import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import {
  createBatch,
  call,
  stopProgram,
  waitForJob,
  createFolder,
  median,
  post,
  startProgram,
  startHost,
} from './host.ts'
import { plainFile, type PlainFile } from './baseline.ts'
import { formatMs, type Row } from './table.ts'

const table = 'create table if not exists uploads (key text primary key, bytes blob)'

/** Parses JSON and writes it once durably: the least work for a batch after it was received. */
function keep(file: PlainFile, body: Buffer): void {
  JSON.parse(body.toString())
  file.write([{ sql: 'insert into uploads values (?, ?)', args: [randomUUID(), body] }])
}

/**
 * Serves the baseline of `POST /api/ingest` as its client sees it: bare node:http that receives the body, parses it and
 * writes it once. Prints its port.
 */
export async function serveAcceptBaseline(path: string): Promise<void> {
  const file = plainFile(path, table)
  // The server keeps connections alive like ours: a connection that ends between two rounds would fail the next round.
  const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    const parts: Buffer[] = []
    request
      .on('data', (part: Buffer) => parts.push(part))
      .on('end', () => {
        keep(file, Buffer.concat(parts))
        response.writeHead(202, { 'content-type': 'application/json' }).end('{"ok":true}')
      })
  })
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as { port: number }
    process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`)
  })
  process.once('SIGTERM', () => process.exit(0))
}

/**
 * Measures `POST /api/ingest` until its 202 for 1,000 traces of 4 KB and of 40 KB, against JSON.parse and one durable
 * write of the same bytes. The baseline is measured twice: with the bytes already in memory (the baseline of
 * performance.md), and after bare node:http received them, because receiving the body costs every server the same.
 */
export async function accept(rounds: number): Promise<Row[]> {
  const rows: Row[] = []
  for (const [bytes, label] of [
    [4_000, '4 KB'],
    [40_000, '40 KB'],
  ] as const) {
    const place = createFolder()
    const host = await startHost(`${place.path}/bench.db`)
    const file = plainFile(`${place.path}/baseline.db`, table)
    const bare = await startProgram([process.argv[1]!, '--serve', 'accept', `${place.path}/bare.db`])
    const [ours, baseline, behind]: [number[], number[], number[]] = [[], [], []]
    for (let round = 0; round <= rounds; round++) {
      const body = Buffer.from(createBatch(1_000, bytes, `accept-${round}`))
      globalThis.gc?.()
      let at = performance.now()
      keep(file, body)
      const took = performance.now() - at
      at = performance.now()
      if ((await post(bare.line['url']!, body, {})).status !== 202) throw new Error('the baseline refused')
      const sent = performance.now() - at
      at = performance.now()
      const { status, text } = await post(`${host.url}/api/ingest`, body, host.bearer)
      const accepted = performance.now() - at
      if (status !== 202) throw new Error(`POST /api/ingest answered ${status} ${text}`)
      const { jobId } = JSON.parse(text) as { jobId: string }
      if (round > 0) {
        ours.push(accepted)
        baseline.push(took)
        behind.push(sent)
      }
      await waitForJob(host, jobId)
      // Each batch replaces the previous batch, so that the file stays as small as at the start.
      const { traces } = (await call(host.url, 'GET', '/api/traces?limit=1', undefined, host.bearer)) as unknown as {
        traces: unknown[]
      }
      if (traces.length !== 1) throw new Error('the batch was not stored')
    }
    await Promise.all([host.stop(), stopProgram(bare.child)])
    file.close()
    place.remove()
    for (const [times, where] of [
      [baseline, ''],
      [behind, ', behind bare node:http'],
    ] as const) {
      const ratio = median(ours) / median(times)
      rows.push({
        what: `POST /api/ingest to 202, 1,000 × ${label}`,
        ours: formatMs(median(ours)),
        baseline: `${formatMs(median(times))} JSON.parse + one durable write${where}`,
        ratio,
        goal: '≤ 1.5',
        met: ratio <= 1.5,
      })
    }
  }
  return rows
}
