import type { ServiceOptions } from '@tributary/core'
import { fixture } from '../fixtures/service.ts'
import { makeApplication } from '../faults/world.ts'
import { runActors } from './actors.ts'
import { checkEnd } from './checks.ts'
import { chooseTexts, learnOutcomes, makeTrace } from './contributors.ts'
import type { SimulatedDatabase } from './database.ts'
import { SeededRandom } from './random.ts'
import { Simulation } from './simulation.ts'
import { scrubber, secret, termsVersion, World } from './world.ts'

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
  const options = drawOptions(random.fork('options'))
  const world = new World(random, database, options)
  const sim = new Simulation(world, random.fork('actors'))
  const { scheduler } = world
  await signUp(sim, database, options)
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

/** Draws the options of a seed: what is possible with some of them only. */
function drawOptions(random: SeededRandom): Partial<ServiceOptions> {
  return {
    ...(random.chance(0.7) ? { rates: 'off' } : {}),
    ...(random.chance(0.3) ? { contents: 'blobs', contentBytes: 0 } : {}),
    settleDays: random.pick([0, 0, 14]),
    minPayoutUsd: 0.5,
  }
}

/** Signs up the people of a seed, before anything else happens. */
async function signUp(sim: Simulation, database: SimulatedDatabase, options: Partial<ServiceOptions>): Promise<void> {
  const { world, model } = sim
  const setup = fixture({
    ...options,
    stores: database.open(() => world.scheduler.now),
    clock: () => world.scheduler.now,
    random: sim.random.fork('setup').bytes,
    termsVersion,
    approval: 'automatic',
    country: () => 'US',
    scrubber,
    secret,
    rates: 'off',
  })
  const names = ['ada', 'ben', 'cleo', 'dora'].slice(0, sim.random.between(2, 4))
  for (const name of names) {
    const signed = await setup.signIn(`${name}@example.com`)
    const headers = signed.bearer
    await setup.ask('POST', '/api/account/terms', { headers, json: { termsVersion, residencyConfirmed: true } })
    const person = model.addPerson(name, signed)
    // The last one applies later, if at all.
    if (name === 'dora') continue
    await setup.ask('POST', '/api/account/application', { headers, json: makeApplication(signed.email) })
    person.operations.push({ kind: 'approve', start: -2, end: -1, isDone: true, mayLinger: false })
    // What one person stored is earlier than what the next one sends.
    world.scheduler.steps++
    const texts = chooseTexts(sim, person)
    const traces = texts.map(({ trace, text }) => makeTrace(trace, text))
    const { json } = await setup.ask('POST', '/api/ingest', { headers, json: { traces } })
    await setup.service.work({ jobId: json.jobId })
    const sourceIds = texts.map(({ trace }) => trace.sourceId)
    person.jobs.push({ id: json.jobId, sourceIds, doneAt: 0 })
    const outcomes = await setup.ask('GET', `/api/ingest/jobs/${json.jobId}/outcomes`, { headers })
    learnOutcomes(sim, person, sourceIds, outcomes.json.outcomes)
  }
}

const describeError = (error: unknown): string =>
  `the simulation itself failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
