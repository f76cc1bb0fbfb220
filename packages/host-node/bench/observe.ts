import { Agent, get } from 'node:http'
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { median, type Host } from './host.ts'
import { formatMs, type Row } from './table.ts'

const paths = ['/healthz', '/api/cli/session'] as const

/** The measurements during a run: the response times of each path in milliseconds, and the highest resident memory. */
export interface Observed {
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

/** Requests the two paths alternately, one request at a time, until the work is done. */
export async function observe(host: Host, bearer: Record<string, string>, work: Promise<void>): Promise<Observed> {
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

const p99 = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.99)]!

/**
 * Returns a row for each path, with its p99 on the busy host and on the idle host. The goal is a ratio of at most 3.
 */
export function compareWaits(what: string, busy: readonly Observed[], idle: readonly Observed[]): Row[] {
  return paths.map((name, at) => {
    const [ours, quiet] = [busy, idle].map((some) => median(some.map(({ took }) => p99(took[at]!))))
    return {
      what: `${name} p99 during ${what}`,
      ours: formatMs(ours!),
      baseline: `${formatMs(quiet!)} idle`,
      ratio: ours! / quiet!,
      goal: '≤ 3',
      met: ours! / quiet! <= 3,
    }
  })
}

/** Prints the load of the machine after a round. */
export function reportLoad(round: number): void {
  const load = loadavg().map((one) => one.toFixed(1))
  process.stderr.write(`round ${round + 1}: load ${load.join(' ')}\n`)
}
