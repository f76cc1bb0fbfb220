import { createHmac } from 'node:crypto'
import type { AdQuestion } from '@tributary/core'
import { impliedFailures } from '@tributary/core/adapter'
import { routes } from '../conformance/contract.ts'
import { createFinder } from '../coverage.ts'
import { checkReply } from '../promise.ts'
import {
  isCertain,
  Model,
  wasRequested,
  type Operation,
  type OperationKind,
  type Person,
  type Subject,
} from './model.ts'
import type { SeededRandom } from './random.ts'
import { operators, type Reply, type SentRequest, type World } from './world.ts'

/** Each person has a topic, so a request to the ad network shows for which person it is sent. */
export const adTopics = ['ai', 'apis', 'backend', 'cloud'] as const

const findRoute = createFinder(routes.map((route) => ({ name: '', route })))

/** The sender of a request. */
export interface Client {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  /** The person of the client. Null for an operator or a buyer, who see the data of several people. */
  readonly person: Person | null
  /** Whether the client may see the data of no person. */
  readonly isStranger?: true
}

/** A client without an account. */
export const stranger: Client = { name: 'stranger', headers: {}, person: null, isStranger: true }

export const clientOf = (person: Person): Client => ({
  name: person.name,
  headers: person.signed.bearer,
  person,
})

export const operatorClient = (name: keyof typeof operators): Client => ({
  name,
  headers: { authorization: `Bearer ${operators[name]}` },
  person: null,
})

/** An action of an actor. A larger weight makes the action more likely than other actions. */
export interface Action<Actor> {
  readonly name: string
  readonly weight: number
  act(sim: Simulation, actor: Actor): Promise<void>
}

/** A run of one seed: the world, the model, and the violations that were found. */
export class Simulation {
  readonly world: World
  readonly model: Model
  readonly random: SeededRandom
  readonly violations: string[] = []
  #requests = 0

  constructor(world: World, random: SeededRandom) {
    this.world = world
    this.random = random
    world.onProblem = (what) => this.violate(what)
    this.model = new Model(random.fork('model'))
    world.onWebhook = (...message) => this.#checkSignature(...message)
    world.onAdQuestion = (question) => this.#checkConsent(question)
  }

  /** Returns a new number with each call. */
  nextNumber(): number {
    return this.#requests++
  }

  /** The number of steps of the scheduler, as a time that tells which of two events came first. */
  get time(): number {
    return this.world.scheduler.steps
  }

  /** Records a violation and ends the run. */
  violate(what: string): void {
    this.violations.push(what)
    this.world.scheduler.note(`VIOLATION ${what}`)
  }

  /** Records a violation unless `holds` is true. */
  check(holds: boolean, what: () => string): void {
    if (!holds) this.violate(what())
  }

  /**
   * Sends a request once. Returns null if nobody knows whether the request took effect, because no reply arrived or the
   * reply reports an outage. Every reply is checked against its contract, and against `statuses` if they are known.
   */
  async ask(client: Client, request: SentRequest, statuses: readonly number[] | null): Promise<Reply | null> {
    const id = `r${this.nextNumber()}`
    const headers = { 'x-request-id': id, ...client.headers, ...request.headers }
    this.model.senders.set(id, client.name)
    const start = this.world.scheduler.now
    const reply = await this.world.send(client.name, { ...request, headers })
    if (reply === null) return null
    this.#checkReply(client, request, reply)
    if (client.person && reply.status === 202 && request.path === '/api/ingest') this.#checkRate(client.person, start)
    // Requests of a person may fail as soon as an erasure was requested. Other hosts still accept the credentials for a
    // short time.
    if (reply.status >= 400 && client.person && wasRequested(client.person, 'erase')) return null
    if (reply.status >= 500 || reply.status === 429 || reply.json?.error === 'idempotency_in_progress') return null
    this.check(
      statuses === null || statuses.includes(reply.status),
      () => `${client.name} ${request.method} ${request.path} answered ${reply.status} ${reply.text.slice(0, 200)}`,
    )
    return reply
  }

  /** Sends a request, and repeats it a few times until it is answered. */
  async insist(client: Client, request: SentRequest, statuses: readonly number[]): Promise<Reply | null> {
    for (let attempt = 0; attempt < 4; attempt++) {
      const reply = await this.ask(client, request, statuses)
      if (reply) return reply
      await this.world.scheduler.sleep(this.random.between(500, 40_000))
    }
    return null
  }

  /**
   * Requests an operation on subjects, and records its end when the reply arrives. `isDone` returns for each subject
   * whether the operation happened.
   */
  async operate<Changed extends Subject>(
    kind: OperationKind,
    subjects: readonly Changed[],
    call: () => Promise<Reply | null>,
    isDone: (reply: Reply, subject: Changed) => boolean,
  ): Promise<Reply | null> {
    const operations = subjects.map((subject): [Changed, Operation] => {
      const operation = { kind, start: this.time, end: null, isDone: false, mayBeDone: false, mayLinger: false }
      subject.operations.push(operation)
      return [subject, operation]
    })
    const { timeouts, lostReplies } = this.world
    const reply = await call()
    for (const [subject, operation] of operations) {
      operation.mayLinger = this.world.timeouts > timeouts
      operation.mayBeDone = this.world.lostReplies > lostReplies
      if (!reply) continue
      operation.end = this.time
      operation.isDone = isDone(reply, subject)
    }
    return reply
  }

  /** Checks that a receiver can verify a message with the secret from before a rotation or from after the rotation. */
  #checkSignature(url: string, headers: Readonly<Record<string, string>>, body: string): void {
    const webhook = this.model.webhooks.get(url)
    if (!webhook?.secrets) return
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    const signatures = headers['webhook-signature']!.split(' ')
    const isSigned = (secret: string): boolean => {
      const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
      return signatures.includes(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
    }
    const { secrets, previousUntil } = webhook
    this.check(secrets.some(isSigned), () => `a message to ${url} has no valid signature`)
    // Clocks are off by two hours at most.
    if (secrets.length === 2 && this.world.scheduler.now < previousUntil - 3 * 3_600_000)
      this.check(isSigned(secrets[0]!), () => `a message to ${url} is not signed by the secret before the rotation`)
  }

  /** Checks that uploads above the rate limit are refused. */
  #checkRate({ name, uploads }: Person, start: number): void {
    const { uploadRate, limitsMayFail, scheduler } = this.world
    uploads.push(start)
    if (!uploadRate || limitsMayFail) return
    const { limit, windowMs } = uploadRate
    const recent = uploads.filter((sentAt) => sentAt > scheduler.now - windowMs)
    // The limiter counts the previous window in proportion to its overlap, as if its calls were spread evenly. So fewer
    // than twice the limit are accepted.
    this.check(recent.length < 2 * limit, () => `${recent.length} uploads of ${name} were accepted in ${windowMs} ms`)
  }

  /** Checks that the ad network gets ids of a person only with consent. The topic identifies the person. */
  #checkConsent({ topic, ids }: AdQuestion): void {
    const person = this.model.people[adTopics.findIndex((one) => one === topic)]
    if (ids && person)
      this.check(
        !isCertain(person, 'denyAttribution', person.adsSince ?? this.time, this.time),
        () => `the ad network learned the ids of ${person.name}, who did not consent`,
      )
  }

  #checkReply(client: Client, { method, path }: SentRequest, reply: Reply): void {
    const route = findRoute(method, path.replace(/\?.*/, ''))
    if (!route) return this.violate(`${method} ${path} has no route`)
    try {
      checkReply(
        route,
        method,
        {
          status: reply.status,
          type: reply.headers['content-type'] ?? null,
          text: reply.text,
          detail: reply.headers['x-error-detail'] ?? null,
        },
        impliedFailures,
      )
    } catch (error) {
      this.violate(error instanceof Error ? error.message : String(error))
    }
    this.check(
      reply.status !== 500 || !reply.text.includes('internal_error'),
      () => `${client.name} ${method} ${path} answered internal_error`,
    )
    const { person, isStranger = false } = client
    if (person === null && !isStranger) return
    for (const marker of findMarkers(reply.text)) {
      const owner = this.model.markers.get(marker)?.owner
      this.check(
        owner !== undefined && owner === person,
        () => `${method} ${path} of ${client.name} has the text ${marker} of ${owner?.name ?? 'nobody'}`,
      )
    }
  }
}

/** Returns the markers that a text contains. */
export const findMarkers = (text: string): readonly string[] => text.match(/zq[a-z]{10}/g) ?? []
