import { createBatch, waitForJob, createFolder, median, post, startHost, type Host } from './host.ts'
import { formatMs, type Row } from './table.ts'

/**
 * Returns the 99th percentile of the response times of `GET /api/cli/session` in ms. The requests are sent one after
 * another on one connection, until `until` returns true.
 */
async function p99(host: Host, until: () => boolean): Promise<number> {
  const took: number[] = []
  while (!until()) {
    const at = performance.now()
    const response = await fetch(`${host.url}/api/cli/session`, { headers: host.bearer })
    await response.arrayBuffer()
    if (response.status !== 200) throw new Error(`GET /api/cli/session answered ${response.status}`)
    took.push(performance.now() - at)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  took.sort((a, b) => a - b)
  return took[Math.floor(took.length * 0.99)]!
}

/**
 * Measures p99 of `GET /api/cli/session` idle and while a 40 MB batch is received and processed, the longest stall of
 * the event loop, and the host's peak memory.
 */
export async function calm(rounds: number): Promise<Row[]> {
  const [idle, busy, stalls, peaks]: [number[], number[], number[], number[]] = [[], [], [], []]
  let bodyBytes = 0
  for (let round = 0; round < Math.min(rounds, 3); round++) {
    const place = createFolder()
    const host = await startHost(`${place.path}/bench.db`)
    const body = Buffer.from(createBatch(1_000, 40_000, `calm-${round}`))
    bodyBytes = body.byteLength
    let end = performance.now() + 1_000
    await p99(host, () => performance.now() > end)
    end = performance.now() + 3_000
    idle.push(await p99(host, () => performance.now() > end))
    await stall(host)
    const before = host.memory().now
    let done = false
    const job = (async () => {
      const { status, text } = await post(`${host.url}/api/ingest`, body, host.bearer)
      if (status !== 202) throw new Error(`POST /api/ingest answered ${status} ${text}`)
      await waitForJob(host, (JSON.parse(text) as { jobId: string }).jobId)
      done = true
    })()
    busy.push(await p99(host, () => done))
    await job
    stalls.push(await stall(host))
    peaks.push(host.memory().peak - before)
    await host.stop()
    place.remove()
  }
  const ratio = median(busy) / median(idle)
  const longest = Math.max(...stalls)
  const peak = median(peaks) / bodyBytes
  return [
    {
      what: 'GET /api/cli/session p99 while 40 MB is ingested',
      ours: formatMs(median(busy)),
      baseline: `${formatMs(median(idle))} idle`,
      ratio,
      goal: '≤ 3',
      met: ratio <= 3,
    },
    {
      what: 'longest stall of the event loop meanwhile',
      ours: formatMs(longest),
      baseline: '50 ms allowed',
      ratio: longest / 50,
      goal: '≤ 50 ms',
      met: longest <= 50,
    },
    {
      what: 'peak memory above idle in that batch',
      ours: `${(median(peaks) / 1e6).toFixed(0)} MB`,
      baseline: `${(bodyBytes / 1e6).toFixed(0)} MB body`,
      ratio: peak,
      goal: '< 5',
      met: peak < 5,
    },
  ]
}

/** Returns the longest delay of the host's event loop since the last call, in ms, from its own metrics. */
async function stall(host: Host): Promise<number> {
  const text = await (await fetch(`${host.url}/metrics`)).text()
  return Number(/^nodejs_eventloop_lag_max_seconds(?:\{.*\})? ([\d.e+-]+)$/m.exec(text)?.[1] ?? Number.NaN) * 1_000
}
