import type { ServiceOptions } from '@tributary/core'
import { runActors } from './actors.ts'
import { checkEnd } from './checks.ts'
import type { SimulatedDatabase } from './database.ts'
import { SeededRandom } from './random.ts'
import { setUp } from './setup.ts'
import { Simulation } from './simulation.ts'
import { World } from './world.ts'

export interface SeedResult {
  readonly seed: number
  /** The number of steps after which the actors stopped. */
  readonly actorSteps: number
  /** The number of steps of the whole run, including the steps after the actors stopped. */
  readonly steps: number
  /** A hash of all events of the run. */
  readonly digest: string
  readonly violations: readonly string[]
  readonly lines: readonly string[]
}

/** Runs one seed: first the actors for some steps, then all work that is due, then the checks at the end. */
export async function runSeed(
  database: SimulatedDatabase,
  { seed, steps }: { readonly seed: number; readonly steps: number },
): Promise<SeedResult> {
  await database.clear()
  const random = new SeededRandom(`seed ${seed}`)
  const options = drawOptions(random.fork('options'))
  const world = new World(random, database, options)
  const sim = new Simulation(world, random.fork('actors'))
  const { scheduler } = world
  await setUp(sim, database, options)
  scheduler.takeTimers()
  try {
    world.start(random.between(2, 3))
    let [isOver, endPauses] = [false, (): void => undefined]
    const over = new Promise<void>((resolve) => void (endPauses = resolve))
    const actors = runActors(sim, { isOver: () => isOver || sim.violations.length > 0, over })
    actors.catch((error: unknown) => sim.violate(describeError(error)))
    await scheduler.run(() => scheduler.steps >= steps || sim.violations.length > 0)
    if (sim.violations.length === 0) {
      isOver = true
      endPauses()
      let haveEnded = false
      const end = (): void => void (haveEnded = true)
      actors.then(end, end)
      world.calm()
      await scheduler.run(() => haveEnded || sim.violations.length > 0)
      await world.finish()
    }
  } finally {
    scheduler.release()
  }
  if (sim.violations.length === 0) await checkEnd(sim, database)
  return {
    seed,
    actorSteps: Math.min(steps, scheduler.steps),
    steps: scheduler.steps,
    digest: scheduler.digest(),
    violations: sim.violations,
    lines: scheduler.lines,
  }
}

/** A rate limit that contributors of a simulation reach. */
const fewUploads = { limit: 1, windowMs: 60_000 }

/** Draws the options of a seed, because some behaviours are possible only with certain options. */
function drawOptions(random: SeededRandom): Partial<ServiceOptions> {
  return {
    rates: random.pickWeighted([
      { weight: 6, rates: 'off' as const },
      { weight: 2, rates: {} },
      { weight: 2, rates: { ingest: fewUploads } },
    ]).rates,
    ...(random.chance(0.3) ? { contents: 'blobs', contentBytes: 0 } : {}),
    settleDays: random.pick([0, 0, 14]),
    minPayoutUsd: 0.5,
  }
}

const describeError = (error: unknown): string =>
  `the simulation itself failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
