import { setTimeout as sleep } from 'node:timers/promises'
import {
  becomeContributor,
  cli,
  createBatch,
  createFolder,
  median,
  post,
  signIn,
  startHost,
  startProgram,
  stopProgram,
  waitForJob,
  type Host,
} from './host.ts'
import { compareWaits, observe, reportLoad, type Observed } from './observe.ts'
import { formatMs, type Row } from './table.ts'

/** The number of jobs of one person. Each job has 1,000 traces of 40 KB; together they have 160 MB. */
const jobs = 4
const secret = 'a-secret-of-this-benchmark'

async function submit({ url, bearer }: Pick<Host, 'url' | 'bearer'>, body: string): Promise<string> {
  const { status, text } = await post(`${url}/api/ingest`, Buffer.from(body), bearer)
  if (status !== 202) throw new Error(`POST /api/ingest answered ${status} ${text}`)
  return (JSON.parse(text) as { jobId: string }).jobId
}

async function submitBacklog(host: Host, label: string): Promise<string[]> {
  const ids: string[] = []
  for (let job = 0; job < jobs; job++) ids.push(await submit(host, createBatch(1_000, 40_000, `${label}-${job}`)))
  return ids
}

/**
 * Measures three things: how long other people wait while 160 MB of one person are ingested, how long a later job of
 * one trace takes, and the throughput of two worker processes on one database compared with one process.
 */
export async function backlog(rounds: number): Promise<Row[]> {
  const [idle, busy]: [Observed[], Observed[]] = [[], []]
  const [behind, alone, one, two]: [number[], number[], number[], number[]] = [[], [], [], []]
  for (let round = 0; round < Math.min(rounds, 3); round++) {
    const place = createFolder()
    const host = await startHost(`${place.path}/bench.db`)
    const other = { url: host.url, ...(await signIn(host.url, 'other@example.com')) }
    await becomeContributor(host.url, other.bearer, 'other@example.com')
    await observe(host, other.bearer, sleep(1_000))
    idle.push(await observe(host, other.bearer, sleep(3_000)))
    alone.push(await timeJob(other, `alone-${round}`))
    const ids = await submitBacklog(host, `backlog-${round}`)
    const small = timeJob(other, `behind-${round}`)
    busy.push(
      await observe(
        host,
        other.bearer,
        Promise.all(ids.map((id) => waitForJob(host, id))).then(() => undefined),
      ),
    )
    behind.push(await small)
    await host.stop()
    place.remove()
    one.push(await timeWorkers(1))
    two.push(await timeWorkers(2))
    reportLoad(round)
  }
  const ratio = median(one) / median(two)
  return [
    ...compareWaits('a backlog of 160 MB', busy, idle),
    {
      what: 'a job of one trace behind that backlog',
      ours: formatMs(median(behind)),
      baseline: `${formatMs(median(alone))} alone`,
      ratio: median(behind) / median(alone),
      goal: '≤ 3 s',
      met: median(behind) <= 3_000,
    },
    {
      what: 'throughput of two workers on one database',
      ours: `${median(two).toFixed(1)} s for 160 MB`,
      baseline: `${median(one).toFixed(1)} s with one`,
      ratio,
      goal: '≥ 0.9',
      met: ratio >= 0.9,
    },
  ]
}

/** Milliseconds from sending a job of one trace until it is done. */
async function timeJob(person: Pick<Host, 'url' | 'bearer'>, label: string): Promise<number> {
  const start = performance.now()
  await waitForJob(person, await submit(person, createBatch(1, 4_000, label)))
  return performance.now() - start
}

/**
 * Measures the seconds that `count` worker processes need for the backlog. A host without a worker accepted the backlog
 * before the workers started.
 */
async function timeWorkers(count: number): Promise<number> {
  const place = createFolder()
  const database = `${place.path}/bench.db`
  const host = await startHost(database, ['--worker', 'off', '--secret', secret])
  const ids = await submitBacklog(host, 'workers')
  const workers = await Promise.all(
    Array.from({ length: count }, () =>
      startProgram([cli, 'worker', '--json', '--log-level', 'silent', '--database', database, '--secret', secret]),
    ),
  )
  const start = performance.now()
  await Promise.all(ids.map((id) => waitForJob(host, id)))
  const seconds = (performance.now() - start) / 1_000
  await Promise.all(workers.map(({ child }) => stopProgram(child)))
  await host.stop()
  place.remove()
  return seconds
}
