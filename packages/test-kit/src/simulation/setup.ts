import type { ServiceOptions } from '@tributary/core'
import { makeApplication } from '../faults/world.ts'
import { fixture, type Fixture } from '../fixtures/service.ts'
import { chooseTexts, learnOutcomes, makeTrace } from './contributors.ts'
import type { SimulatedDatabase } from './database.ts'
import type { Person } from './model.ts'
import { buyerNames, checkSold, describeCampaign } from './operators.ts'
import type { Simulation } from './simulation.ts'
import { operators, scrubber, secret, termsVersion } from './world.ts'

/**
 * Prepares the state before the first step: people with traces and, in most seeds, objects that operators created for
 * them.
 */
export async function setUp(
  sim: Simulation,
  database: SimulatedDatabase,
  options: Partial<ServiceOptions>,
): Promise<void> {
  const { scheduler, events } = sim.world
  const setup = fixture({
    ...options,
    stores: database.open(() => scheduler.now),
    clock: () => scheduler.now,
    random: sim.random.fork('setup').bytes,
    adminTokens: Object.entries(operators).map(([name, token]) => ({ name, token })),
    termsVersion,
    approval: 'automatic',
    country: () => 'US',
    scrubber,
    secret,
    rates: 'off',
    onEvent: async (event) => void events.push(event),
  })
  const names = ['ada', 'ben', 'cleo', 'dora'].slice(0, sim.random.between(2, 4))
  for (const name of names) await signUp(sim, setup, name)
  const make = (path: string, json: unknown): ReturnType<Fixture['ask']> => {
    // The steps of the setup must be earlier than all later steps.
    scheduler.steps++
    const id = `r${sim.nextNumber()}`
    sim.model.senders.set(id, 'olga')
    const headers = { 'authorization': `Bearer ${operators.olga}`, 'x-request-id': id }
    return setup.ask('POST', path, { headers, json })
  }
  if (sim.random.chance(0.6)) await makeSale(sim, make)
  if (sim.random.chance(0.4)) await makeCampaign(sim, make)
  scheduler.steps++
}

/** Signs up a person with some traces, a device and a second machine. */
async function signUp(sim: Simulation, setup: Fixture, name: string): Promise<void> {
  const { world, model, random } = sim
  const signed = await setup.signIn(`${name}@example.com`)
  const headers = signed.bearer
  const post = (path: string, json: unknown) => setup.ask('POST', path, { headers, json })
  await post('/api/account/terms', { termsVersion, residencyConfirmed: true })
  const person = model.addPerson(name, signed)
  // This person applies later, as an action of the simulation.
  if (name === 'dora') return
  await post('/api/account/application', makeApplication(signed.email))
  person.operations.push({ kind: 'approve', start: -2, end: -1, isDone: true, mayBeDone: false, mayLinger: false })
  if (random.chance(0.7)) {
    const deviceId = `device-of-${name}`
    await post('/api/program/claim', { deviceId })
    person.devices.add(deviceId)
  }
  if (random.chance(0.5)) person.machine = await letMachineIn(setup, person)
  // The traces of one person must be earlier than the traces of the next person.
  world.scheduler.steps++
  const texts = chooseTexts(sim, person)
  const { json } = await post('/api/ingest', { traces: texts.map(({ trace, text }) => makeTrace(trace, text)) })
  await setup.service.work({ jobId: json.jobId })
  const sourceIds = texts.map(({ trace }) => trace.sourceId)
  person.jobs.push({ id: json.jobId, sourceIds, doneAt: 0 })
  const outcomes = await setup.ask('GET', `/api/ingest/jobs/${json.jobId}/outcomes`, { headers })
  learnOutcomes(sim, person, sourceIds, outcomes.json.outcomes)
}

/** Authorizes a second machine of a person. */
async function letMachineIn({ ask }: Fixture, { signed: { cookie: headers } }: Person): Promise<Person['machine']> {
  const machine = 'another machine'
  const { userCode, deviceCode } = (await ask('POST', '/api/cli/device/start', { json: { machine } })).json
  await ask('POST', '/api/cli/device/approve', { headers, json: { userCode } })
  const { token } = (await ask('GET', `/api/cli/device/poll?deviceCode=${deviceCode}`)).json
  const { machines } = (await ask('GET', '/api/account/machines', { headers })).json as {
    machines: { id: string; label: string }[]
  }
  return { id: machines.find(({ label }) => label === machine)!.id, token }
}

type Make = (path: string, json: unknown) => ReturnType<Fixture['ask']>

/** Creates a buyer, and in most seeds sells some traces to it. */
async function makeSale(sim: Simulation, make: Make): Promise<void> {
  const { model, random } = sim
  const buyer = random.pick(buyerNames)
  const created = await make('/api/admin/buyers', { name: buyer, email: `${buyer.toLowerCase()}@example.org` })
  model.buyers.set(buyer, created.json.token)
  model.changes.push({ action: 'buyer.create', target: created.json.id })
  const traceIds = random.sample(model.knownTraces(), 0.4).map(({ id }) => id!)
  if (traceIds.length === 0) return
  const cents = random.between(1, 2000)
  const { json } = await make('/api/admin/sales', { buyer, usd: cents / 100, traceIds })
  const { soldIds } = json as { soldIds: string[] }
  checkSold(sim, soldIds, { buyer, start: sim.time })
  model.sales.push({ id: json.saleId, buyer, micros: cents * 10_000, start: sim.time, end: sim.time, soldIds })
}

/** Starts a campaign with a budget for one or two impressions. */
async function makeCampaign(sim: Simulation, make: Make): Promise<void> {
  const { model, random } = sim
  const name = `campaign ${sim.nextNumber()}`
  const { json } = await make('/api/admin/campaigns', {
    ...describeCampaign(name),
    cpmUsd: 20,
    budgetUsd: random.pick([0.02, 0.04]),
  })
  model.campaigns.push({ id: json.campaign.id, name })
}
