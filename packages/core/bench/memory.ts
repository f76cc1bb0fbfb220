import { runBench } from './run.ts'
import { createScrubber } from '../src/scrubber/index.ts'
import { table } from './table.ts'

/** The size of each message in megabytes. */
const SIZES = [1, 10, 50]

/** Returns a text of `megabytes` on one line, made of real conversations. */
const line = (sample: string, megabytes: number): string =>
  sample
    .repeat(Math.ceil((megabytes * 1e6) / sample.length))
    .slice(0, megabytes * 1e6)
    .replaceAll('\n', ' ')

/**
 * Reads the sample from standard input, scrubs it as one trace, and prints its memory and time. Each size is measured
 * in a separate process, so that the peak of one size does not hide that of another.
 */
export async function measure(megabytes: number): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  const text = Buffer.from(line(Buffer.concat(chunks).toString(), megabytes)).toString()
  chunks.length = 0
  const scrubber = createScrubber()
  scrubber.scrub([text.slice(0, 100_000)])
  // The garbage from making the text is collected now. The text itself counts in `before`.
  globalThis.gc?.()
  const before = process.memoryUsage.rss()
  const bytes = /[^\x00-\xff]/.test(text) ? 2 * text.length : text.length
  let peak = before
  const stops: number[] = []
  let last = process.cpuUsage()
  // Records the processor time of each turn of the event loop. Elapsed time would include other programs on the
  // machine.
  const turn = (): void => {
    const { user, system } = process.cpuUsage(last)
    stops.push((user + system) / 1000)
    last = process.cpuUsage()
    peak = Math.max(peak, process.memoryUsage.rss())
  }
  const from = process.cpuUsage()
  const done = await scrubber.scrubAsync([text], () => new Promise((next) => setImmediate(() => (turn(), next()))))
  turn()
  const { user, system } = process.cpuUsage(from)
  console.log(
    JSON.stringify({
      ms: (user + system) / 1000,
      longest: Math.max(...stops),
      grown: 1 + (peak - before) / bytes,
      total: done.ok ? done.total : done.reason,
    }),
  )
}

/** Prints the peak memory, including the text itself, and the longest turn of the event loop with `scrubAsync`. */
export async function memoryReport(sample: string, sizes: readonly number[] = SIZES): Promise<void> {
  const rows: (string | number)[][] = []
  for (const megabytes of sizes) {
    const { ms, longest, grown, total } = JSON.parse(await runBench([`--measure=${megabytes}`], sample)) as Measured
    rows.push([`${megabytes} MB`, ms.toFixed(0), longest.toFixed(0), grown.toFixed(1), total])
  }
  table(
    'One message on one line, processor time in ms',
    ['', 'in steps', 'longest step', 'peak memory, times its own', 'replaced'],
    rows,
  )
}

interface Measured {
  readonly ms: number
  readonly longest: number
  readonly grown: number
  readonly total: number
}
