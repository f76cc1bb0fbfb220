import { loadavg } from 'node:os'
import { createScrubber } from '../src/scrubber/index.ts'
import { secretlint } from './quality.ts'
import { table } from './table.ts'

/**
 * Six regular expressions, most of which start with literals. They show the cost of searching a text for a few formats.
 */
const BASELINE = [
  /ghp_[A-Za-z0-9]{36}|gho_[A-Za-z0-9]{36}|glpat-[\w-]{20}|xox[bp]-[\w-]{10,80}|sk-[A-Za-z0-9]{32,64}/g,
  /AKIA[A-Z0-9]{16}|ASIA[A-Z0-9]{16}|AIza[\w-]{35}/g,
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/g,
  /(?:password|passwd|secret|token)["']?\s{0,3}[:=]\s{0,3}["']?[^\s"']{8,64}/gi,
  /@[a-z0-9-]{1,63}\.[a-z]{2,12}/gi,
  /\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}/g,
]

/**
 * The number of warm-up rounds. During these rounds the engine compiles the code that a worker then runs for days, so
 * each round is faster than the one before.
 */
const WARM_UP = 10
const ROUNDS = 5
/** Secretlint is slow and its rounds differ little, so there are few. */
const LINT_ROUNDS = 2

/** One kind of texts to measure: a list of traces, each a list of texts. */
type Talks = readonly (readonly string[])[]

/**
 * Measures the speed over the conversations in megabytes per second. The programs run alternately, and the median
 * counts.
 */
export async function speedReport(title: string, talks: Talks, isLinted: boolean): Promise<void> {
  const size = talks.flat().reduce((sum, text) => sum + text.length, 0)
  const passes = (): void => {
    for (const talk of talks) for (const text of talk) for (const pattern of BASELINE) while (pattern.exec(text));
  }
  const ours = (): void => {
    // Each round has a new scrubber, because a scrubber remembers texts that came before.
    const scrubber = createScrubber()
    for (const talk of talks) scrubber.scrub(talk)
  }
  const theirs = async (): Promise<void> => {
    for (const talk of talks) for (const text of talk.slice(0, 8)) await secretlint(text)
  }
  const lintSize = talks.flatMap((talk) => talk.slice(0, 8)).reduce((sum, text) => sum + text.length, 0)
  const rates: number[][] = [[], [], []]
  for (let round = 0; round < WARM_UP; round++) ours()
  for (let round = 0; round < ROUNDS; round++)
    for (const [which, [work, bytes]] of (
      [
        [passes, size],
        [ours, size],
        [theirs, lintSize],
      ] as const
    ).entries()) {
      if (which === 2 && (!isLinted || round > LINT_ROUNDS)) continue
      // Processor time is measured, because on a shared machine the clock would also measure other processes.
      const from = process.cpuUsage()
      await work()
      const { user, system } = process.cpuUsage(from)
      if (round > 0) rates[which]!.push(bytes / (user + system))
    }
  const [baseline, scrub, lint] = rates.map((list) => list.sort((a, b) => a - b)[list.length >> 1])
  const row = (name: string, rate: number): (string | number)[] => [
    name,
    rate.toFixed(1),
    (rate / baseline!).toFixed(3),
  ]
  table(
    `Speed over ${(size / 1e6).toFixed(1)} MB of ${title}, one core, load ${loadavg()[0]!.toFixed(0)}`,
    ['', 'MB/s', 'to the baseline'],
    [
      row('six literal-first passes', baseline!),
      row('scrubber, whole table, replacing', scrub!),
      ...(lint ? [row("secretlint's recommended preset, finding", lint)] : []),
    ],
  )
}
