import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeHash, makeId, makeTraces, seedTraces } from '@tributary/test-kit/seed'
import { openLocal, type LocalDatabase } from '../src/sqlite/local.ts'
import { openBareClient, createBareStatements } from './bare.ts'
import { readCurrent } from './export.ts'
import { postJson, stopProgram, createFolder, median, signIn, startProgram, startHost, type Host } from './host.ts'
import { compareWaits, observe } from './observe.ts'
import { formatMs, type Row } from './table.ts'

/** Returns numbers that are spread over the stored traces and are the same in every run. */
const spread = (count: number, stored: number, round: number): number[] =>
  Array.from({ length: count }, (_, i) => Math.floor(((i + 0.5) * stored) / count + round * 7) % stored)

type Run = (given: string[], round: number) => Promise<unknown[]>

/**
 * Calls all functions in turn with the value that `made` creates before each round. The first three rounds are a
 * warm-up and are not measured. Returns the median time of each function, in the order of the functions.
 */
async function compared(
  rounds: number,
  expected: number,
  made: (round: number) => string[],
  runs: readonly Run[],
): Promise<number[]> {
  const took = runs.map((): number[] => [])
  for (let round = 0; round < rounds * 5 + 3; round++) {
    const given = made(round)
    for (const [at, run] of runs.entries()) {
      globalThis.gc?.()
      const since = performance.now()
      const found = await run(given, round)
      if (round >= 3) took[at]!.push(performance.now() - since)
      if (found.length !== expected) throw new Error(`${found.length} found where ${expected} are`)
    }
  }
  return took.map(median)
}

/**
 * Compares our endpoint with two baselines: the same statement run by @libsql/client directly, and that statement
 * behind a bare node:http server.
 */
function beside(what: string, [ours, baseline, behind]: readonly number[], goal: number): Row[] {
  return (
    [
      [baseline!, ''],
      [behind!, ', behind bare node:http'],
    ] as const
  ).map(([time, where]) => ({
    what,
    ours: formatMs(ours!),
    baseline: `${formatMs(time)} the statement alone${where}`,
    ratio: ours! / time,
    goal: `≤ ${goal}`,
    met: ours! / time <= goal,
  }))
}

/** Measures `POST /api/traces/known` with 5,000 hashes, half of them known. */
async function known(
  { url, bearer, userId, database }: Host,
  stored: number,
  name: string,
  rounds: number,
): Promise<Row[]> {
  const bare = openBareClient(database)
  const baseline = await startProgram([process.argv[1]!, '--serve', 'statements', database])
  const made = (round: number): string[] =>
    spread(2_500, stored, round).flatMap((number) => [makeHash('bench', number), makeHash('else', number)])
  const took = await compared(rounds, 2_500, made, [
    async (hashes) => (await postJson(`${url}/api/traces/known`, { hashes }, bearer))['known'] as unknown[],
    (hashes) => createBareStatements(bare, userId).known(hashes),
    async (hashes) => (await postJson(baseline.line['url']!, { hashes, userId }, {}))['found'] as unknown[],
  ])
  await stopProgram(baseline.child)
  bare.close()
  return beside(`POST /api/traces/known, 5,000 hashes at ${name}`, took, 1.3)
}

/**
 * Measures `POST /api/traces/bulk` with 500 ids. Each baseline writes to its own copy of the database, because in a
 * shared file the checkpoints and stale pages of one baseline would slow down the other baseline.
 */
async function bulk({ url, bearer, userId }: Host, copies: readonly string[], rounds: number): Promise<Row[]> {
  const bare = openBareClient(copies[0]!)
  const baseline = await startProgram([process.argv[1]!, '--serve', 'statements', copies[1]!])
  const ids = (round: number): string[] => spread(500, 1_000_000, round).map((number) => makeId('bench', number))
  const took = await compared(rounds, 500, ids, [
    async (some, round) =>
      (await postJson(`${url}/api/traces/bulk`, { ids: some, action: round % 2 ? 'exclude' : 'include' }, bearer))[
        'updatedIds'
      ] as unknown[],
    (some, round) => createBareStatements(bare, userId).bulk(some, round % 2),
    async (some, round) =>
      (await postJson(baseline.line['url']!, { ids: some, excluded: round % 2, userId }, {}))['found'] as unknown[],
  ])
  await stopProgram(baseline.child)
  bare.close()
  return beside('POST /api/traces/bulk, 500 ids at 1,000,000 stored', took, 1.2)
}

/** Makes every tenth trace a copy of the trace whose number is 1,000 lower. */
async function addOverlaps(database: LocalDatabase): Promise<void> {
  const insert = (trace: string, other: string, isEarlier: number) =>
    database.execute({
      sql: `insert into overlaps (trace, other, is_earlier, ranges, compared_at)
        select ${trace}, ${other}, ${isEarlier}, '[[0,2]]', 0 from traces where num % 10 = 0 and num > 1000`,
      args: [],
    })
  await insert('num', 'num - 1000', 1)
  await insert('num - 1000', 'num', 0)
}

/**
 * Measures the host's processor time for the dry run of a sale of all traces and for the sale itself, and how long
 * other requests wait during both.
 */
async function sale(host: Host): Promise<Row[]> {
  const { bearer } = await signIn(host.url, 'other@example.com')
  await observe(host, bearer, sleep(1_000))
  const idle = await observe(host, bearer, sleep(5_000))
  const rows: Row[] = []
  for (const [what, dryRun] of [
    ['dry run of a sale', true],
    ['sale', false],
  ] as const) {
    const processorSince = host.processorTime()
    let traces = 0
    const busy = await observe(
      host,
      bearer,
      (async () => {
        const body = { buyer: 'Bench', usd: 100, filter: {}, dryRun }
        traces = Number((await postJson(`${host.url}/api/admin/sales`, body, host.operator))['traces'])
      })(),
    )
    const seconds = host.processorTime() - processorSince
    const label = `${what} of ${traces.toLocaleString('en')} among 1,000,000`
    const ours = `${seconds.toFixed(1)} s of processor time, ${busy.seconds.toFixed(0)} s`
    rows.push({ what: label, ours, baseline: '30 s wanted', ratio: seconds / 30, goal: '≤ 30 s', met: seconds <= 30 })
    rows.push(...compareWaits(`the ${what}`, [busy], [idle]))
  }
  return rows
}

/**
 * Measures `POST /api/traces/known` with 10,000 and with 1,000,000 stored traces, and `POST /api/traces/bulk` with 500
 * ids and a sale with 1,000,000 stored traces.
 */
export async function million(rounds: number): Promise<Row[]> {
  const place = createFolder()
  let host = await startHost(`${place.path}/bench.db`)
  // The host is stopped while the database is filled. Otherwise its reads would prevent the write-ahead log from being
  // emptied and the file from being copied.
  const fill = async (count: number, from: number, after?: (local: LocalDatabase) => Promise<void>): Promise<void> => {
    await host.stop()
    const local = openLocal(host.database)
    const current = await readCurrent(local, host.userId)
    await seedTraces(local, host.userId, makeTraces(count, 'bench', from, current))
    await after?.(local)
    await local.checkpoint()
    local.close()
  }
  await fill(10_000, 0)
  host = await startHost(host.database)
  const rows = await known(host, 10_000, '10,000 stored', rounds)
  process.stderr.write('filling to 1,000,000 traces\n')
  await fill(990_000, 10_000, addOverlaps)
  const copies = ['baseline', 'behind'].map((name) => `${place.path}/${name}.db`)
  for (const copy of copies) {
    // Another process copies the file: closing a descriptor in this process would drop SQLite's locks.
    execFileSync('cp', [host.database, copy])
    const client = openBareClient(copy)
    await client.execute({ sql: 'pragma journal_mode = wal', args: [] })
    client.close()
  }
  host = await startHost(host.database)
  rows.push(...(await known(host, 1_000_000, '1,000,000 stored', rounds)))
  const reading = openLocal(host.database)
  const size = await reading
    .execute({ sql: `select sum(pgsize) as bytes from dbstat where name = 'seen'`, args: [] })
    .catch(() => null)
  reading.close()
  rows.push(...(await bulk(host, copies, rounds)), ...(await sale(host)))
  if (size) {
    const perRow = Number(size.rows[0]?.['bytes']) / 1_000_000
    rows.push({
      what: 'bytes a known hash',
      ours: perRow.toFixed(0),
      baseline: '60 wanted',
      ratio: perRow / 60,
      goal: '≤ 125 bytes',
      met: perRow <= 125,
    })
  }
  await host.stop()
  place.remove()
  return rows
}
