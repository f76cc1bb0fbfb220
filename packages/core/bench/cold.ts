import { runBench } from './run.ts'
import { createScrubber, warmUpScrubber } from '../src/scrubber/index.ts'
import { table } from './table.ts'

/** The megabytes after which the speed of a fresh process is recorded. */
const MARKS = [0.2, 1, 3]

/**
 * Reads the sample from standard input and prints the processor time in milliseconds at each mark, counted from the
 * creation of the scrubber. With `--warm` the scrubber is warmed up first, as in a worker's thread.
 */
export async function measureCold(): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  const sample = Buffer.concat(chunks).toString()
  if (process.argv.includes('--warm')) await warmUpScrubber(() => new Promise((next) => setImmediate(next)))
  const from = process.cpuUsage()
  const scrubber = createScrubber()
  const times: number[] = []
  let at = 0
  for (const mark of MARKS) {
    for (const end = mark * 1e6; at < end && at < sample.length; at += 8000)
      scrubber.scrub([sample.slice(at, at + 8000)])
    const { user, system } = process.cpuUsage(from)
    times.push((user + system) / 1000)
  }
  console.log(JSON.stringify(times))
}

/**
 * Prints the speed over the first megabytes of a fresh process, which still compiles the expressions, and of a process
 * that was warmed up.
 */
export async function coldReport(sample: string): Promise<void> {
  const times = async (flags: readonly string[]): Promise<number[]> =>
    JSON.parse(await runBench(['--cold', ...flags], sample)) as number[]
  const [cold, warm] = [await times([]), await times(['--warm'])]
  const rate = (mark: number, ms: number): string => ((mark * 1000) / ms).toFixed(1)
  table(
    'A fresh process, messages of 8 KB',
    ['first', 'ms of processor time', 'MB/s', 'MB/s warmed up'],
    MARKS.map((mark, i) => [`${mark} MB`, cold[i]!.toFixed(0), rate(mark, cold[i]!), rate(mark, warm[i]!)]),
  )
}
