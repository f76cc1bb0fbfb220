import { randomUUID } from 'node:crypto'
import { openLocal } from '../src/sqlite/local.ts'
import { createFolder, median, post, startHost } from './host.ts'
import { formatMs, type Row } from './table.ts'

const telemetry = Buffer.from(
  JSON.stringify({
    schema: 1,
    deviceId: 'bench-device',
    cliVersion: '1.0.0',
    platform: 'linux',
    arch: 'x64',
    command: 'upload',
    sentAt: '2026-11-01T00:00:00Z',
    diagnostics: Array.from({ length: 200 }, (_, i) => ({
      adapter: `adapter-${i}`,
      source: 'disk',
      totalEntries: i,
      skippedEntries: 1,
      emptyParse: false,
      unhandledTypes: ['summary'],
    })),
    events: Array.from({ length: 50 }, (_, i) => ({ name: `event-${i}`, properties: { step: i, took: i * 3 } })),
  }),
)

const agentReport = (round: number): Buffer =>
  Buffer.from(
    JSON.stringify({
      reporter: { agent_vendor: 'Acme', agent_product: 'agent', agent_version: '1.0' },
      subject: { surface: `/api/thing/${round}`, kind: 'api_endpoint' },
      signal: { category: 'bug', severity: 'low', confidence: 0.5 },
      content: { title: `Report ${round}`, summary: 'It answers 500 where the document says 404. '.repeat(20) },
      evidence: [{ type: 'http_summary', content: 'GET /api/thing 500 '.repeat(50) }],
    }),
  )

/**
 * Measures `POST /api/cli/telemetry` with the maximum of 200 + 50 items, and `POST /api/v1/feedback`, each against
 * JSON.parse and one durable write of the same body.
 */
export async function reports(rounds: number): Promise<Row[]> {
  const place = createFolder()
  const host = await startHost(`${place.path}/bench.db`)
  const baselineFile = openLocal(`${place.path}/baseline.db`)
  await baselineFile.execute({ sql: 'create table bodies (id text primary key, body text)', args: [] })
  const rows: Row[] = []
  for (const [what, path, bodyOf, right] of [
    ['POST /api/cli/telemetry, 200 + 50 items', '/api/cli/telemetry', () => telemetry, 200],
    ['POST /api/v1/feedback, 2 KB', '/api/v1/feedback', agentReport, 201],
  ] as const) {
    const [ours, baseline]: [number[], number[]] = [[], []]
    for (let round = 0; round < rounds * 20; round++) {
      const body = bodyOf(round)
      let at = performance.now()
      const parsed: unknown = JSON.parse(body.toString())
      await baselineFile.batch(
        [{ sql: 'insert into bodies values (?, ?)', args: [randomUUID(), JSON.stringify(parsed)] }],
        'write',
      )
      const took = performance.now() - at
      at = performance.now()
      const { status, text } = await post(host.url + path, body, host.bearer)
      const answered = performance.now() - at
      if (status !== right) throw new Error(`${what} answered ${status} ${text}`)
      if (round < 10) continue
      ours.push(answered)
      baseline.push(took)
    }
    const ratio = median(ours) / median(baseline)
    rows.push({
      what,
      ours: formatMs(median(ours)),
      baseline: `${formatMs(median(baseline))} JSON.parse + one durable write, no HTTP`,
      ratio,
      goal: 'none set',
      met: null,
    })
  }
  await host.stop()
  baselineFile.close()
  place.remove()
  return rows
}
