import { randomUUID } from 'node:crypto'
import { openLocal } from '../src/local.ts'
import { batch, call, finished, folder, median, post, startHost } from './host.ts'
import { ms, type Row } from './table.ts'

/** E5 to its 202 for 1,000 traces of 4 KB and of 40 KB, against JSON.parse and one durable write of the same bytes. */
export async function accept(rounds: number): Promise<Row[]> {
  const rows: Row[] = []
  for (const [bytes, label] of [[4_000, '4 KB'], [40_000, '40 KB']] as const) {
    const place = folder()
    const host = await startHost(`${place.path}/bench.db`)
    const floorFile = openLocal(`${place.path}/floor.db`)
    await floorFile.execute({ sql: 'create table if not exists uploads (key text primary key, bytes blob)', args: [] })
    const [ours, floor]: [number[], number[]] = [[], []]
    for (let round = 0; round <= rounds; round++) {
      const body = Buffer.from(batch(1_000, bytes, `accept-${round}`))
      let at = performance.now()
      JSON.parse(body.toString())
      await floorFile.batch([{ sql: 'insert into uploads values (?, ?)', args: [randomUUID(), body] }], 'write')
      const took = performance.now() - at
      at = performance.now()
      const { status, text } = await post(`${host.url}/api/ingest`, body, host.bearer)
      const accepted = performance.now() - at
      if (status !== 202) throw new Error(`E5 answered ${status} ${text}`)
      const { jobId } = JSON.parse(text) as { jobId: string }
      if (round > 0) {
        ours.push(accepted)
        floor.push(took)
      }
      await finished(host, jobId)
      // Each batch gives way to the next, so that the file stays as small as at the start.
      const { traces } = (await call(host.url, 'GET', '/api/traces?limit=1', undefined, host.bearer)) as unknown as { traces: unknown[] }
      if (traces.length !== 1) throw new Error('the batch was not stored')
    }
    await host.stop()
    floorFile.close()
    place.remove()
    const ratio = median(ours) / median(floor)
    rows.push({ what: `E5 to 202, 1,000 × ${label}`, ours: ms(median(ours)), floor: `${ms(median(floor))} JSON.parse + one durable write`, ratio, goal: '≤ 1.5', met: ratio <= 1.5 })
  }
  return rows
}
