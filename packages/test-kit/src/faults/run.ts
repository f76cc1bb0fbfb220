import { performance } from 'node:perf_hooks'
import type { Flow } from './flow.ts'
import { flows as allFlows } from './flows.ts'
import { FaultInjector, faultKinds, faultTimes, type FaultPoint, type PortCall } from './inject.ts'
import { invariants } from './invariants.ts'
import { faultPlaces, type FaultPlace, type FaultPlaces } from './places.ts'
import { takeSnapshot } from './snapshot.ts'
import { Unfinished, World } from './world.ts'

/** An invariant that did not hold after a flow with one fault. `point` is null if the flow fails without a fault. */
export interface FaultViolation {
  readonly point: FaultPoint | null
  readonly invariant: string
  readonly detail: string
}

/** The result of running one flow on one store. */
export interface FlowReport {
  readonly store: string
  readonly flow: string
  /** The number of port calls in the run without a fault. */
  readonly calls: number
  /** The number of faults that were tried. */
  readonly points: number
  /** The faults whose call was not made again, because loops of a worker run in parallel. */
  readonly missed: readonly FaultPoint[]
  readonly ms: number
  readonly violations: readonly FaultViolation[]
}

export interface FaultOptions {
  /** Default: the stores of `faultPlaces`. */
  readonly places?: FaultPlaces
  /** Default: all of `flows`. */
  readonly flows?: readonly Flow[]
  /** The number of fault points that are tried in each flow, evenly spread. Default: all. */
  readonly pointsPerFlow?: number
  /** The port call at which faults are tried, such as `reports.createReport`. Default: each call. */
  readonly call?: string
  /** A function that is called after each flow on each store. */
  readonly onFlow?: (report: FlowReport) => void
}

/**
 * Tries every fault: for each flow and store, each port call in turn fails before and after it took effect, as an
 * outage and as a bug. The flow is repeated as by a client until it succeeds, workers finish the due work, and the
 * invariants are checked.
 *
 * ```ts
 * const reports = await runFaults({ places: { mine: async () => ({ empty: openMyStores, close: closeMyStores }) } })
 * const violations = reports.flatMap(({ violations }) => violations)
 * ```
 */
export async function runFaults({
  places = faultPlaces,
  flows = allFlows,
  pointsPerFlow = Infinity,
  call,
  onFlow,
}: FaultOptions = {}): Promise<FlowReport[]> {
  const reports: FlowReport[] = []
  for (const [store, open] of Object.entries(places)) {
    const place = await open()
    try {
      for (const flow of flows) {
        const report = { store, flow: flow.name, ...(await runFlow(place, flow, pointsPerFlow, call)) }
        reports.push(report)
        onFlow?.(report)
      }
    } finally {
      await place.close()
    }
  }
  return reports
}

async function runFlow(
  place: FaultPlace,
  flow: Flow,
  most: number,
  only: string | undefined,
): Promise<Omit<FlowReport, 'store' | 'flow'>> {
  const start = performance.now()
  const [clean, again] = [new FaultInjector(), new FaultInjector()]
  const violations = [...(await runOnce(place, flow, clean)), ...(await runOnce(place, flow, again))]
  // Loops of a worker run in parallel. A call that only one of two runs makes depends on their order.
  const usual = new Set(again.calls.map(nameOf))
  const tried = clean.calls.filter((call) => (only === undefined || call.call === only) && usual.has(nameOf(call)))
  const every = tried.flatMap((call) =>
    faultTimes.flatMap((time) => faultKinds.map((kind): FaultPoint => ({ ...call, time, kind }))),
  )
  const points = pickEvenly(every, most)
  const missed: FaultPoint[] = []
  // A flow that fails without a fault is not run with faults.
  for (const point of violations.length === 0 ? points : []) {
    const { isReached, found } = await runAtPoint(place, flow, point)
    if (!isReached) missed.push(point)
    violations.push(...found)
  }
  if (missed.length > maxMissedShare * points.length)
    violations.push({
      point: null,
      invariant: 'the faults are reached',
      detail: `${missed.length} of ${points.length} faults were not: the flow made other calls than without a fault`,
    })
  return { calls: clean.calls.length, points: points.length, missed, ms: performance.now() - start, violations }
}

const nameOf = ({ call, occurrence }: PortCall): string => `${call} ${occurrence}`

/**
 * The maximum number of attempts at a point that is not reached. Loops of a worker run in parallel, so one loop may do
 * the work that another loop did in the run without a fault.
 */
const maxAttempts = 3
/** The share of the faults of a flow that may be missed. */
const maxMissedShare = 0.2

async function runAtPoint(
  place: FaultPlace,
  flow: Flow,
  point: FaultPoint,
): Promise<{ isReached: boolean; found: readonly FaultViolation[] }> {
  for (let attempt = 1; ; attempt++) {
    const injector = new FaultInjector(point)
    const found = await runOnce(place, flow, injector)
    if (injector.reached || found.length > 0 || attempt === maxAttempts) return { isReached: injector.reached, found }
  }
}

async function runOnce(place: FaultPlace, flow: Flow, injector: FaultInjector): Promise<FaultViolation[]> {
  const { point } = injector
  const world = await World.open(place, injector, flow.options)
  const state = await flow.prepare(world)
  const found: FaultViolation[] = []
  injector.armed = true
  try {
    await flow.act(world, state)
  } catch (error) {
    if (!(error instanceof Unfinished))
      throw new Error(`the flow ${flow.name} broke at ${describePoint(point)}`, { cause: error })
    found.push({ point, invariant: 'a client that repeats its request gets an answer', detail: error.message })
  }
  injector.armed = false
  await world.settle()
  const finished = { world, point, snapshot: await takeSnapshot(world) }
  for (const { name, violations } of invariants)
    for (const detail of violations(finished)) found.push({ point, invariant: name, detail })
  return found
}

/** Returns at most this number of items of a list, evenly spread over it. */
function pickEvenly<Item>(items: readonly Item[], most: number): readonly Item[] {
  if (items.length <= most) return items
  return Array.from({ length: most }, (_, at) => items[Math.floor(((at + 0.5) * items.length) / most)]!)
}

/** Describes in words a fault and the call at which it happens. */
export function describePoint(point: FaultPoint | null): string {
  if (!point) return 'no fault'
  return `${point.kind} ${point.time} ${point.call} (call ${point.occurrence})`
}
