import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeTraces, seedTraces } from '@tributary/test-kit/seed'
import { createScrubber } from '@tributary/core/scrub'
import { openLocal, type LocalDatabase } from '../src/sqlite/local.ts'
import { call, createFolder, median, signIn, startHost, type Host } from './host.ts'
import { compareWaits, observe, reportLoad, type Observed } from './observe.ts'
import type { Row } from './table.ts'

/** The number of traces of the person. `TRACES=1000000` sets the full size. */
const traces = Number(process.env['TRACES'] ?? 100_000)
/** Reads the export in a separate process, so that reading it does not slow the observer. */
function exported({ url, bearer }: Host): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      'curl',
      ['-sS', '--fail', '-o', '/dev/null', '-H', `authorization: ${bearer.authorization}`, `${url}/api/account/export`],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    )
    child
      .once('error', reject)
      .once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`curl ended with ${code}`))))
  })
}

async function erased(host: Host, database: LocalDatabase): Promise<void> {
  await call(host.url, 'DELETE', '/api/account', undefined, host.cookie)
  while ((await database.execute({ sql: 'select 1 from seen limit 1', args: [] })).rows.length > 0) await sleep(50)
}

/**
 * Returns the scrub version and the identity revision of a person's next trace. Traces with an earlier version or
 * revision are scrubbed again.
 */
export async function readCurrent(
  database: Pick<LocalDatabase, 'execute'>,
  userId: string,
): Promise<{ scrubVersion: string; identityRevision: number }> {
  const sql = 'select revision from scrub_contexts where owner = (select num from users where id = ?)'
  const [row] = (await database.execute({ sql, args: [userId] })).rows
  return { scrubVersion: createScrubber().version, identityRevision: Number(row?.['revision'] ?? 0) }
}

/**
 * Measures the export and the erasure of one person with many traces: the duration, the memory, and how long other
 * people wait meanwhile.
 */
export async function exports(rounds: number): Promise<Row[]> {
  const [idle, exporting, erasing]: [Observed[], Observed[], Observed[]] = [[], [], []]
  const [exportMemory, erasureMemory]: [number[], number[]] = [[], []]
  for (let round = 0; round < Math.min(rounds, 3); round++) {
    const place = createFolder()
    const host = await startHost(`${place.path}/bench.db`)
    const database = openLocal(host.database)
    const current = await readCurrent(database, host.userId)
    await seedTraces(database, host.userId, makeTraces(traces, 'bench', 0, current))
    await database.checkpoint()
    const { bearer } = await signIn(host.url, 'other@example.com')
    await observe(host, bearer, sleep(1_000))
    idle.push(await observe(host, bearer, sleep(5_000)))
    const before = host.memory().now
    exporting.push(await observe(host, bearer, exported(host)))
    exportMemory.push(exporting.at(-1)!.peak - before)
    await sleep(1_000)
    const between = host.memory().now
    erasing.push(await observe(host, bearer, erased(host, database)))
    erasureMemory.push(erasing.at(-1)!.peak - between)
    reportLoad(round)
    database.close()
    await host.stop()
    place.remove()
  }
  const count = `${traces.toLocaleString('en')} traces`
  const memory = (what: string, bytes: readonly number[]): Row => {
    const above = median(bytes) / 1e6
    return {
      what: `memory above idle, ${what}`,
      ours: `${above.toFixed(0)} MB`,
      baseline: '60 MB allowed',
      ratio: above / 60,
      goal: '≤ 60 MB',
      met: above <= 60,
    }
  }
  const seconds = (what: string, all: readonly Observed[]): Row => {
    const took = median(all.map((one) => one.seconds))
    return {
      what: `${what} of ${count}`,
      ours: `${took.toFixed(1)} s`,
      baseline: `${(traces / took / 1_000).toFixed(0)},000 traces/s`,
      ratio: took,
      goal: 'none',
      met: null,
    }
  }
  return [
    seconds('export', exporting),
    memory('export', exportMemory),
    ...compareWaits('the export', exporting, idle),
    seconds('erasure', erasing),
    memory('erasure', erasureMemory),
    ...compareWaits('the erasure', erasing, idle),
  ]
}
