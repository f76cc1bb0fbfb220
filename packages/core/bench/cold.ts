import { spawnSync } from 'node:child_process'
import { createScrubber, warmUpScrubber } from '../src/scrubber/index.ts'
import { table } from './table.ts'

/** Megabytes after which the speed of a fresh process is noted. */
const MARKS = [0.2, 1, 3]

/**
 * Reads the sample from standard input and prints the processor time in ms at each mark, from the making of the
 * scrubber on. With `--warm` the scrubber is warmed up before, as a worker's thread does.
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

function timesOfProcess(sample: string, flags: readonly string[]): readonly number[] {
  const { stdout, stderr, status } = spawnSync(process.execPath, [process.argv[1]!, '--cold', ...flags], {
    input: sample,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout) as number[]
}

/**
 * Prints the speed over the first megabytes of a fresh process, which compiles the expressions, and of one that was
 * warmed up.
 */
export function coldReport(sample: string): void {
  const [cold, warm] = [timesOfProcess(sample, []), timesOfProcess(sample, ['--warm'])]
  const rate = (mark: number, ms: number): string => ((mark * 1000) / ms).toFixed(1)
  table(
    'A fresh process, messages of 8 KB',
    ['first', 'ms of processor time', 'MB/s', 'MB/s warmed up'],
    MARKS.map((mark, i) => [`${mark} MB`, cold[i]!.toFixed(0), rate(mark, cold[i]!), rate(mark, warm[i]!)]),
  )
}
