import {
  becomeContributor,
  call,
  createBatch,
  createFolder,
  median,
  post,
  signIn,
  startHost,
  waitForJob,
} from './host.ts'
import { formatMs, type Row } from './table.ts'

/** The number of jobs of each kind: with a text that is already stored, and with a new text. */
const jobs = 200

/** Returns the z value of the rank-sum test: its distance from 0 grows when one list tends to have the larger values. */
function compareRanks(one: readonly number[], other: readonly number[]): number {
  const all = [...one.map((value) => ({ value, isOne: true })), ...other.map((value) => ({ value, isOne: false }))]
  all.sort((a, b) => a.value - b.value)
  let [ranks, ties] = [0, 0]
  for (let from = 0; from < all.length;) {
    let to = from
    while (to < all.length && all[to]!.value === all[from]!.value) to++
    for (let at = from; at < to; at++) if (all[at]!.isOne) ranks += (from + to + 1) / 2
    ties += (to - from) ** 3 - (to - from)
    from = to
  }
  const [n, m] = [one.length, other.length]
  const variance = ((n * m) / 12) * (n + m + 1 - ties / ((n + m) * (n + m - 1)))
  return variance === 0 ? 0 : (ranks - (n * (n + m + 1)) / 2) / Math.sqrt(variance)
}

/**
 * Measures whether the duration of a job reveals to its uploader that another person has uploaded the same text. Runs
 * 400 jobs of one trace; every second trace has a text that is already stored. Compares the time until `GET
 * /api/ingest/jobs/:jobId` answers `done`, and the times that this reply shows.
 */
export async function timing(): Promise<Row[]> {
  const place = createFolder()
  const rows: Row[] = []
  for (const bytes of [4_000, 40_000]) {
    const host = await startHost(`${place.path}/${bytes}.db`)
    const prober = { url: host.url, ...(await signIn(host.url, 'prober@example.com')) }
    await becomeContributor(host.url, prober.bearer, 'prober@example.com')
    const send = async (body: string, { url, bearer }: Pick<typeof prober, 'url' | 'bearer'>): Promise<string> => {
      const { status, text } = await post(`${url}/api/ingest`, Buffer.from(body), bearer)
      if (status !== 202) throw new Error(`POST /api/ingest answered ${status} ${text}`)
      return (JSON.parse(text) as { jobId: string }).jobId
    }
    const stored = Array.from({ length: jobs }, (_, n) => createBatch(1, bytes, `stored-${n}`))
    for (const body of stored) await waitForJob(host, await send(body, host))
    const seen = { until: [[], []], shown: [[], []] } as Record<'until' | 'shown', [number[], number[]]>
    for (let n = 0; n < jobs * 2; n++) {
      const kind = n % 2
      const body = kind === 1 ? stored[n >> 1]! : createBatch(1, bytes, `other-${n}`)
      const since = performance.now()
      const jobId = await send(body, prober)
      for (;;) {
        const { job } = (await call(
          prober.url,
          'GET',
          `/api/ingest/jobs/${jobId}`,
          undefined,
          prober.bearer,
        )) as unknown as {
          job: { status: string; enqueuedAt: string; finishedAt: string }
        }
        if (job.status !== 'done') continue
        seen.until[kind]!.push(performance.now() - since)
        seen.shown[kind]!.push(Date.parse(job.finishedAt) - Date.parse(job.enqueuedAt))
        break
      }
    }
    for (const [name, [other, same]] of Object.entries(seen)) {
      const z = compareRanks(same, other)
      rows.push({
        what: `${name === 'until' ? 'until the job is done' : 'times that the job shows'}, text of ${bytes / 1_000} KB`,
        ours: `${formatMs(median(same))} for a stored text`,
        baseline: `${formatMs(median(other))} for another one, z ${z.toFixed(1)}`,
        ratio: Math.abs(z) / 3,
        goal: '|z| ≤ 3',
        met: Math.abs(z) <= 3,
      })
    }
    await host.stop()
  }
  place.remove()
  return rows
}
