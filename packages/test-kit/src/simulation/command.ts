import { parseArgs } from 'node:util'
import { openLibsqlDatabase, type SimulatedDatabase } from './database.ts'
import { runSeed, type SeedResult } from './run.ts'

const defaultSteps = 500
/** The maximum number of printed lines of a failed run, in addition to the lines of clients and faults. */
const lastLines = 30

const help = `
npm run check -- simulate [flags]

Runs whole services under a virtual clock: instances on one database with workers, clients of every kind, and faults at
every port call. The seed alone decides what happens, and in which order. Each reply, and what is stored at the end, is
compared with a model.

  --seeds N       how many seeds; default 20
  --seed N        the first of them, or the only one; default 1
  --store NAME    libsql, or postgres (Debian's); default libsql
  --steps N       how many things happen before the clients stop; default ${defaultSteps}
  --bail          ends with the first seed that fails, and does not look for the fewest steps
  --trace         prints everything that happened

A seed that fails is run again with fewer steps, until the fewest that fail are known. The command ends with 0 when no
seed failed, else with 1.
`

const options = {
  seeds: { type: 'string' },
  seed: { type: 'string' },
  steps: { type: 'string' },
  store: { type: 'string', default: 'libsql' },
  bail: { type: 'boolean', default: false },
  trace: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h' },
} as const

/** The outputs of the command. */
export interface Output {
  readonly out: (text: string) => void
  readonly error: (text: string) => void
}

/** Functions that open a database, by the name of its store. */
export type SimulatedDatabases = Readonly<Record<string, () => Promise<SimulatedDatabase>>>

/** Runs `npm run check -- simulate`. Resolves with the exit code, 0 or 1. */
export async function simulateCommand(
  argv: readonly string[],
  { out, error }: Output,
  databases: SimulatedDatabases = { libsql: openLibsqlDatabase },
): Promise<number> {
  let values: ReturnType<typeof parse>
  try {
    values = parse(argv, databases)
  } catch (problem) {
    error(`\n${problem instanceof Error ? problem.message : String(problem)}\n${help}`)
    return 1
  }
  if (values.help) {
    out(help)
    return 0
  }
  const { first, count, steps } = values
  const database = await values.open()
  const startedAt = performance.now()
  let [sum, failed] = [0, 0]
  for (let seed = first; seed < first + count; seed++) {
    const result = await runSeed(database, { seed, steps })
    sum += result.steps
    if (values.trace) out(`${result.lines.join('\n')}\ntrace ${result.digest}\n`)
    if (result.violations.length === 0) continue
    failed++
    out(describeFailure(values.bail ? result : await shrink(database, result)))
    if (values.bail) break
  }
  const seconds = (performance.now() - startedAt) / 1000
  await database.close()
  out(
    `${count} seeds, ${sum} steps, ${failed} seeds with violations, ${seconds.toFixed(1)} s, ` +
      `${(sum / seconds).toFixed(0)} steps a second\n`,
  )
  return failed === 0 ? 0 : 1
}

function parse(argv: readonly string[], databases: SimulatedDatabases) {
  const { values } = parseArgs({ args: [...argv], options, strict: true })
  const toNumber = (name: 'seeds' | 'seed' | 'steps', fallback: number): number => {
    const number = Number(values[name] ?? fallback)
    if (!(Number.isSafeInteger(number) && number >= 1))
      throw new Error(`--${name}: ${values[name]} is not a number from 1`)
    return number
  }
  const open = databases[values.store]
  if (!open) throw new Error(`--store: there is no store "${values.store}"`)
  return {
    ...values,
    open,
    first: toNumber('seed', 1),
    count: toNumber('seeds', values.seed === undefined ? 20 : 1),
    steps: toNumber('steps', defaultSteps),
  }
}

/** Runs a failed seed again with fewer steps. Returns the shortest run that still fails. */
async function shrink(database: SimulatedDatabase, failure: SeedResult): Promise<SeedResult> {
  let shortest = failure
  // The actors stop at a violation, so more steps than in the failed run change nothing.
  let [passing, failing] = [0, Math.min(failure.actorSteps, failure.steps)]
  while (failing - passing > 1) {
    const steps = Math.floor((passing + failing) / 2)
    const result = await runSeed(database, { seed: failure.seed, steps })
    if (result.violations.length === 0) passing = steps
    else [shortest, failing] = [result, steps]
  }
  return shortest
}

function describeFailure({ seed, actorSteps, violations, lines }: SeedResult): string {
  const isEvent = (line: string): boolean => !/^\d+ \S+ (?:\w+ [\w.]+|timer|\w+ yields)$/.test(line)
  const shown = lines.filter((line, at) => isEvent(line) || at >= lines.length - lastLines)
  return [
    `seed ${seed} fails:`,
    ...violations.map((violation) => `  ${violation}`),
    'what happened, without most port calls:',
    ...shown.map((line) => `  ${line}`),
    `repeat it: npm run check -- simulate --seed ${seed} --steps ${actorSteps} --trace`,
    '',
  ].join('\n')
}
