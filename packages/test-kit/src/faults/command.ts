import { parseArgs } from 'node:util'
import { flows } from './flows.ts'
import { faultPlaces, type FaultPlaces } from './places.ts'
import { describePoint, runFaults, type FlowReport } from './run.ts'

const help = `
npm run check -- faults [flags]

Makes each port call of each flow fail once, before and after it took effect, as an outage and as a bug, on each store. The flow
is then repeated as a client would, and the invariants of packages/test-kit/src/faults/invariants.ts are checked.

  --flow NAME     only this flow; may be given more than once: ${flows.map(({ name }) => name).join(', ')}
  --store NAME    only this store; may be given more than once: ${Object.keys(faultPlaces).join(', ')}, postgres (Debian's)
  --call NAME     faults only at this port call, such as reports.createReport
  --json          print one JSON document instead of text

A point is not reached if the loops of a worker do their work in another order than without a fault. It ends with 0 when every
invariant held and at most a fifth of the points of each flow was not reached, else with 1.
`

const options = {
  flow: { type: 'string', multiple: true },
  store: { type: 'string', multiple: true },
  call: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

/** The output of the command. */
export interface Output {
  readonly out: (text: string) => void
  readonly error: (text: string) => void
}

/** Runs `npm run check -- faults`. Resolves with the exit code, 0 or 1. Throws if a flow throws an unexpected error. */
export async function faultsCommand(
  argv: readonly string[],
  { out, error }: Output,
  places: FaultPlaces = faultPlaces,
): Promise<number> {
  let values: ReturnType<typeof parse>
  try {
    values = parse(argv, places)
  } catch (problem) {
    error(`\n${problem instanceof Error ? problem.message : String(problem)}\n${help}`)
    return 1
  }
  if (values.help) {
    out(help)
    return 0
  }
  const {
    flow: names = flows.map(({ name }) => name),
    store: stores = Object.keys(places),
    call,
    json = false,
  } = values
  const reports = await runFaults({
    flows: flows.filter(({ name }) => names.includes(name)),
    places: Object.fromEntries(Object.entries(places).filter(([name]) => stores.includes(name))),
    ...(call !== undefined && { call }),
    ...(json ? {} : { onFlow: (report) => out(formatFlow(report)) }),
  })
  const ok = reports.length > 0 && reports.every(({ violations }) => violations.length === 0)
  out(json ? `${JSON.stringify({ ok, reports })}\n` : formatSummary(reports))
  return ok ? 0 : 1
}

function parse(argv: readonly string[], places: FaultPlaces) {
  const { values } = parseArgs({ args: [...argv], options, strict: true })
  const findUnknown = (given: readonly string[] | undefined, known: readonly string[]): string | undefined =>
    given?.find((name) => !known.includes(name))
  const flow = findUnknown(
    values.flow,
    flows.map(({ name }) => name),
  )
  if (flow !== undefined) throw new Error(`--flow: there is no flow "${flow}"`)
  const store = findUnknown(values.store, Object.keys(places))
  if (store !== undefined) throw new Error(`--store: there is no store "${store}"`)
  return values
}

function formatFlow({ store, flow, calls, points, missed, ms, violations }: FlowReport): string {
  const seconds = (ms / 1000).toFixed(1)
  const unreached = missed.length > 0 ? `, ${missed.length} points not reached` : ''
  const line =
    `${store.padEnd(7)} ${flow.padEnd(11)} ${String(calls).padStart(4)} calls ${String(points).padStart(5)} points ` +
    `${String(violations.length).padStart(4)} violations ${seconds.padStart(6)} s${unreached}\n`
  const byPoint = new Map<string, string>()
  for (const { point, invariant, detail } of violations) {
    const where = describePoint(point)
    byPoint.set(where, `${byPoint.get(where) ?? ''}    ${invariant}: ${detail}\n`)
  }
  return line + [...byPoint].map(([where, found]) => `  ${where}\n${found}`).join('')
}

function formatSummary(reports: readonly FlowReport[]): string {
  const sum = (count: (report: FlowReport) => number): number =>
    reports.reduce((total, report) => total + count(report), 0)
  return (
    `${sum(({ points }) => points)} points, ${sum(({ violations }) => violations.length)} violations, ` +
    `${sum(({ missed }) => missed.length)} points not reached, ${(sum(({ ms }) => ms) / 1000).toFixed(1)} s\n`
  )
}
