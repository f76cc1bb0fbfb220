import type { Context } from '../conformance/context.ts'
import { acceptTerms, approveContributor, makeBuyer, makePerson, type Person } from '../conformance/people.ts'
import type { Headers, RunState } from '../conformance/run-state.ts'
import { waitForJob, send, makeTrace } from '../conformance/stored-traces.ts'

/** The person whom every attack targets, with data in every part of the service. */
export interface Victim extends Person {
  readonly traceId: string
  readonly jobId: string
  readonly machineId: string
  readonly deviceId: string
  readonly applicationId: string
  /** Texts that only the victim and the operator may read. */
  readonly secrets: readonly string[]
}

export function makeVictim(stage: RunState): Promise<Victim> {
  return stage.makeOnce('victim', async () => {
    const person = await makePerson(stage, 'victim')
    const { bearer: as, email } = person
    const makeSecret = (field: string): string => `victim-${field}-${stage.run}`
    await acceptTerms(stage, person)
    await approveContributor(stage, person)
    await stage
      .ask('POST', '/api/account/contact', { as, json: { name: makeSecret('name'), email, phone: '+1 555 0100' } })
      .is(200)
    const deviceId = makeSecret('device')
    await stage.ask('POST', '/api/program/claim', { as, json: { deviceId } }).is(200)
    await stage.ask('POST', '/api/cli/feedback', { as, json: { message: makeSecret('feedback') } }).is(200)
    const messages = [{ role: 'user', content: makeSecret('message') }]
    const jobId = await send(stage, [makeTrace(stage, 'victim', { messages })], {}, person)
    await waitForJob(stage, jobId, person)
    const [kept] = (await stage.ask('GET', '/api/traces', { as }).is(200)).json.traces
    const [machine] = (await stage.ask('GET', '/api/account/machines', { as }).is(200)).json.machines
    const { application } = (await stage.ask('GET', '/api/traces/access', { as }).is(200)).json
    return {
      ...person,
      traceId: kept.id,
      jobId,
      deviceId,
      machineId: machine.id,
      applicationId: application.id,
      secrets: [
        email,
        makeSecret('name'),
        makeSecret('feedback'),
        makeSecret('message'),
        as['authorization']!.slice(7),
        person.cookie['cookie']!.split('=')[1]!,
      ],
    }
  })
}

const reads = [
  '/api/traces',
  '/api/account/machines',
  '/api/traces/access',
  '/api/traces/contact',
  '/api/traces/upload-policy',
] as const
/** Fields that change with each request, such as the time at which a credential was last used. */
const moving = /last|seen|used|current/i

/** Returns all data of the victim that an attack could change, as one text. */
export async function readState({ stage }: Pick<Context, 'stage'>): Promise<string> {
  const { bearer: as } = await makeVictim(stage)
  const replies = await Promise.all(reads.map((path) => stage.ask('GET', path, { as }).is(200)))
  return JSON.stringify(
    replies.map(({ json }) => json),
    (key, value: unknown) => (moving.test(key) ? undefined : value),
  )
}

/** The nine kinds of attackers, by the credentials that they have. */
export const actors = [
  'anonymous',
  'stranger by token',
  'stranger by cookie',
  'erased by token',
  'erased by cookie',
  'paused',
  'junk token',
  'operator',
  'buyer',
] as const
export type Actor = (typeof actors)[number]

/**
 * Returns the headers of an actor. `apart` creates a separate person, for an operation that ends the account or the
 * session.
 */
export async function makeHeaders({ stage, operator }: Context, actor: Actor, apart: string | null): Promise<Headers> {
  switch (actor) {
    case 'anonymous':
      return {}
    case 'junk token':
      return { authorization: `Bearer trb_${'0'.repeat(40)}` }
    case 'operator':
      return operator()
    case 'buyer':
      return (await makeBuyer(stage)).bearer
    case 'paused':
      return (await makePausedPerson(stage)).bearer
    case 'erased by token':
      return (await makeErasedPerson(stage)).bearer
    case 'erased by cookie':
      return (await makeErasedPerson(stage)).cookie
    default: {
      const person = await makePerson(stage, apart === null ? 'stranger' : `stranger-${apart}`)
      return actor === 'stranger by token' ? person.bearer : person.cookie
    }
  }
}

function makePausedPerson(stage: RunState): Promise<Person> {
  return stage.makeOnce('paused', async () => {
    const person = await makePerson(stage, 'paused')
    await stage.ask('PATCH', '/api/account', { as: person.bearer, json: { paused: true } }).is(200)
    return person
  })
}

function makeErasedPerson(stage: RunState): Promise<Person> {
  return stage.makeOnce('erased', async () => {
    const person = await makePerson(stage, 'erased')
    await stage.ask('DELETE', '/api/account', { as: person.cookie }).is(200)
    stage.erased.add(person.email)
    // For some seconds another host may still accept the credentials. An attack must not depend on this.
    await new Promise((resolve) => setTimeout(resolve, stage.eventuallyMs))
    return person
  })
}
