import { fixture } from '../fixtures/service.ts'
import { makeApplication } from '../faults/world.ts'
import { runActors } from './actors.ts'
import { checkEnd } from './checks.ts'
import type { SimulatedDatabase } from './database.ts'
import { SeededRandom } from './random.ts'
import { Simulation } from './simulation.ts'
import { termsVersion, World } from './world.ts'

export interface SeedResult {
  readonly seed: number
  /** The steps after which the actors stopped. */
  readonly actorSteps: number
  /** Steps of the whole run, with those after the actors stopped. */
  readonly steps: number
  /** A hash of everything that happened. */
  readonly digest: string
  readonly violations: readonly string[]
  readonly lines: readonly string[]
}

/** Runs one seed: the actors for some steps, then what is due until nothing is, then the checks of the end. */
export async function runSeed(
  database: SimulatedDatabase,
  { seed, steps }: { readonly seed: number; readonly steps: number },
): Promise<SeedResult> {
  await database.clear()
  const random = new SeededRandom(`seed ${seed}`)
  const world = new World(random, database)
  const sim = new Simulation(world, random.fork('actors'))
  const { scheduler } = world
  await signUp(sim, database)
  scheduler.takeTimers()
  try {
    world.start(random.between(2, 3))
    let isOver = false
    const actors = runActors(sim, () => isOver || sim.violations.length > 0).then(() => (isOver = true))
    actors.catch((error: unknown) => sim.violate(describeError(error)))
    await scheduler.run(() => scheduler.steps >= steps || sim.violations.length > 0)
    if (sim.violations.length === 0) {
      isOver = true
      let haveEnded = false
      void actors.finally(() => (haveEnded = true))
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

/** Signs up the people of a seed, before anything else happens. */
async function signUp(sim: Simulation, database: SimulatedDatabase): Promise<void> {
  const { world, model } = sim
  const setup = fixture({
    stores: database.open(() => world.scheduler.now),
    clock: () => world.scheduler.now,
    random: sim.random.fork('setup').bytes,
    termsVersion,
    approval: 'automatic',
    secret: 'the secret of the simulation',
  })
  for (const name of ['ada', 'ben', 'cleo']) {
    const signed = await setup.signIn(`${name}@example.com`)
    const headers = signed.bearer
    await setup.ask('POST', '/api/account/terms', { headers, json: { termsVersion, residencyConfirmed: true } })
    await setup.ask('POST', '/api/account/application', { headers, json: makeApplication(signed.email) })
    model.addPerson(name, signed)
  }
}

const describeError = (error: unknown): string =>
  `the simulation itself failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
