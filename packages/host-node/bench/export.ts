import { spawn } from 'node:child_process'
import { Agent, get } from 'node:http'
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { madeTraces, seedTraces } from '@tributary/test-kit/seed'
import { createScrubber } from '@tributary/core/scrub'
import { openLocal, type LocalDatabase } from '../src/sqlite/local.ts'
import { call, createFolder, median, signIn, startHost, type Host } from './host.ts'
import { formatMs, type Row } from './table.ts'

/** Traces of the one person; `TRACES=1000000` for the full size. */
const traces = Number(process.env['TRACES'] ?? 100_000)
const paths = ['/healthz', '/api/cli/session'] as const
const names = ['/healthz', 'E14'] as const

/** What happened while something ran: milliseconds of each path's replies, and the highest resident memory. */
interface Observed {
  readonly took: readonly [number[], number[]]
  readonly seconds: number
  readonly peak: number
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

function answered(url: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const at = performance.now()
    get(url, { agent, headers }, (response) => {
      response
        .resume()
        .once('end', () =>
          response.statusCode === 200
            ? resolve(performance.now() - at)
            : reject(new Error(`${url}: ${response.statusCode}`)),
        )
    }).once('error', reject)
  })
}

/** Asks both paths in turn, one request at a time, until the work is done. */
async function observe(host: Host, bearer: Record<string, string>, work: Promise<void>): Promise<Observed> {
  const since = performance.now()
  const took: [number[], number[]] = [[], []]
  let [done, peak] = [false, 0]
  const ended = work.finally(() => (done = true))
  while (!done) {
    for (const [at, path] of paths.entries()) took[at]!.push(await answered(host.url + path, bearer))
    peak = Math.max(peak, host.memory().now)
    await sleep(2)
  }
  await ended
  return { took, seconds: (performance.now() - since) / 1_000, peak }
}

/** Reads the export in a process of its own, so that reading it does not slow the observer. */
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

const p99 = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.99)]!

/** The export and the erasure of one person with many traces: how long, how much memory, and how long others wait meanwhile. */
export async function exports(rounds: number): Promise<Row[]> {
  const [idle, exporting, erasing]: [Observed[], Observed[], Observed[]] = [[], [], []]
  const [exportMemory, erasureMemory]: [number[], number[]] = [[], []]
  for (let round = 0; round < Math.min(rounds, 3); round++) {
    const place = createFolder()
    const host = await startHost(`${place.path}/bench.db`)
    const database = openLocal(host.database)
    await seedTraces(database, host.userId, madeTraces(traces, 'bench', 0, { scrubVersion: createScrubber().version }))
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
    process.stderr.write(
      `round ${round + 1}: load ${loadavg()
        .map((one) => one.toFixed(1))
        .join(' ')}\n`,
    )
    database.close()
    await host.stop()
    place.remove()
  }
  const count = `${traces.toLocaleString('en')} traces`
  const waits = (what: string, busy: readonly Observed[]): Row[] =>
    names.map((name, at) => {
      const [ours, quiet] = [busy, idle].map((some) => median(some.map(({ took }) => p99(took[at]!))))
      return {
        what: `${name} p99 during the ${what}`,
        ours: formatMs(ours!),
        baseline: `${formatMs(quiet!)} idle`,
        ratio: ours! / quiet!,
        goal: '≤ 3',
        met: ours! / quiet! <= 3,
      }
    })
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
    ...waits('export', exporting),
    seconds('erasure', erasing),
    memory('erasure', erasureMemory),
    ...waits('erasure', erasing),
  ]
}
