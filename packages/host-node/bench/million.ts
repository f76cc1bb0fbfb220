import { copyFileSync } from 'node:fs'
import { createClient } from '@libsql/client'
import type { SqlClient } from '@tributary/core/libsql'
import { madeHash, madeId, madeTraces, seedTraces } from '@tributary/test-kit/seed'
import { openLocal } from '../src/local.ts'
import { call, folder, median, startHost, type Host } from './host.ts'
import { ms, type Row } from './table.ts'

const knownSql = `select lower(hex(s.hash)) as hash from json_each(?) j
  cross join seen s on s.owner = (select num from users where id = ?) and s.hash = unhex(j.value)`
const excludeSql = `update traces set sell_excluded = ? where id in (select value from json_each(?))
  and +owner = (select num from users where id = ?) and sale_count = 0 returning id`

/** Numbers spread over what is stored, the same in every run. */
const spread = (count: number, stored: number, round: number): number[] =>
  Array.from({ length: count }, (_, i) => Math.floor(((i + 0.5) * stored) / count + round * 7) % stored)

/** Runs `ours` and `floor` in turn; the first round warms both up and is not counted. */
async function compared(rounds: number, ours: (round: number) => Promise<void>, floor: (round: number) => Promise<void>): Promise<[number, number]> {
  const [mine, theirs]: [number[], number[]] = [[], []]
  for (let round = 0; round <= rounds * 3; round++) {
    for (const [run, into] of [[floor, theirs], [ours, mine]] as const) {
      const at = performance.now()
      await run(round)
      if (round > 0) into.push(performance.now() - at)
    }
  }
  return [median(mine), median(theirs)]
}

/** E7 with 5,000 hashes, half of them known, over HTTP; the floor is the statement alone by @libsql/client. */
async function known(host: Host, bare: SqlClient, stored: number, name: string, rounds: number): Promise<Row> {
  const hashes = (round: number): string[] => spread(2_500, stored, round).flatMap((number) => [madeHash('bench', number), madeHash('else', number)])
  const [ours, floor] = await compared(
    rounds,
    async (round) => {
      const answer = (await call(host.url, 'POST', '/api/traces/known', { hashes: hashes(round) }, host.bearer)) as unknown as { known: string[] }
      if (answer.known.length !== 2_500) throw new Error(`E7 knew ${answer.known.length}`)
    },
    async (round) => {
      const { rows } = await bare.execute({ sql: knownSql, args: [JSON.stringify(hashes(round).sort()), host.userId] })
      if (rows.length !== 2_500) throw new Error(`the floor knew ${rows.length}`)
    },
  )
  return { what: `E7, 5,000 hashes at ${name}`, ours: ms(ours), floor: `${ms(floor)} the statement alone`, ratio: ours / floor, goal: '≤ 1.3', met: ours / floor <= 1.3 }
}

/** E7 at 10,000 and 1,000,000 stored traces, E3 with 500 ids at 1,000,000. */
export async function million(rounds: number): Promise<Row[]> {
  const place = folder()
  const host = await startHost(`${place.path}/bench.db`)
  const seeding = openLocal(host.database)
  let bare = createClient({ url: `file:${host.database}`, timeout: 5_000 }) as unknown as SqlClient
  const rows: Row[] = []
  await seedTraces(seeding, host.userId, madeTraces(10_000, 'bench'))
  rows.push(await known(host, bare, 10_000, '10,000 stored', rounds))
  process.stderr.write('filling to 1,000,000 traces\n')
  await seedTraces(seeding, host.userId, madeTraces(990_000, 'bench', 10_000))
  rows.push(await known(host, bare, 1_000_000, '1,000,000 stored', rounds))
  // The floor writes to a copy: in one file each would pay for the other's checkpoints and stale pages.
  await seeding.checkpoint()
  bare.close()
  copyFileSync(host.database, `${place.path}/floor.db`)
  bare = createClient({ url: `file:${place.path}/floor.db` }) as unknown as SqlClient
  await bare.execute({ sql: 'pragma journal_mode = wal', args: [] })
  const ids = (round: number): string[] => spread(500, 1_000_000, round).map((number) => madeId('bench', number))
  const [ours, floor] = await compared(
    rounds,
    async (round) => {
      const answer = (await call(host.url, 'POST', '/api/traces/bulk', { ids: ids(round), action: round % 2 ? 'exclude' : 'include' }, host.bearer)) as unknown as { updatedCount: number }
      if (answer.updatedCount !== 500) throw new Error(`E3 updated ${answer.updatedCount}`)
    },
    async (round) => {
      const [done] = await bare.batch([{ sql: excludeSql, args: [round % 2, JSON.stringify(ids(round)), host.userId] }], 'write')
      if (done!.rows.length !== 500) throw new Error(`the floor updated ${done!.rows.length}`)
    },
  )
  rows.push({ what: 'E3, 500 ids at 1,000,000 stored', ours: ms(ours), floor: `${ms(floor)} the statement alone`, ratio: ours / floor, goal: '≤ 1.2', met: ours / floor <= 1.2 })
  const size = await bare.execute({ sql: `select sum(pgsize) as bytes from dbstat where name = 'seen'`, args: [] }).catch(() => null)
  if (size) {
    const perRow = Number(size.rows[0]?.['bytes']) / 1_000_000
    rows.push({ what: 'bytes a known hash', ours: perRow.toFixed(0), floor: '60 wanted', ratio: perRow / 60, goal: '≤ 125 bytes', met: perRow <= 125 })
  }
  bare.close()
  seeding.close()
  await host.stop()
  place.remove()
  return rows
}
