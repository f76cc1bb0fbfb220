import { createHash } from 'node:crypto'
import {
  BodyReadError,
  createService,
  Unavailable,
  type AdQuestion,
  type Clock,
  type Fetch,
  type Mail,
  type NetworkAd,
  type Service,
  type ServiceEvent,
  type ServiceOptions,
  type Stores,
  type TelemetryRecord,
} from '@tributary/core'
import { openContents } from '@tributary/core/host'
import { createScrubber } from '@tributary/core/scrub'
import type { SimulatedDatabase } from './database.ts'
import { interceptPort, type PortCaller } from './ports.ts'
import type { SeededRandom } from './random.ts'
import { Scheduler, type InstanceLife } from './scheduler.ts'
import { drawWeather, fairWeather, type Weather } from './weather.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

const baseUrl = 'http://127.0.0.1'
export const secret = 'the secret of the simulation'
export const termsVersion = 'terms-of-the-simulation'
/** The operators, by name. */
export const operators = {
  olga: 'olga-of-the-simulation-4711-abc',
  oscar: 'oscar-of-the-simulation-0815-xyz',
} as const
/** The time for which a client waits for a reply, in milliseconds. */
const clientTimeoutMs = 30 * second

/** All instances share one scrubber, because its table takes a moment to load. */
export const scrubber = createScrubber()

const noSkew = { offset: 0, gain: 0, since: 0 }

/** A service instance with its memory, from its start to its crash. */
class Instance implements InstanceLife {
  readonly name: string
  readonly service: Service
  isAlive = true
  pausedUntil = 0
  /**
   * The offset of the instance's clock from the scheduler's clock, and the milliseconds that the instance's clock gains
   * in each millisecond after the time `since`.
   */
  skew = noSkew
  readonly ended: Promise<void>
  end: () => void = () => undefined
  stopWorker: () => Promise<void> = async () => undefined

  constructor(name: string, createService: (life: Instance) => Service) {
    this.name = name
    this.ended = new Promise((resolve) => void (this.end = resolve))
    this.service = createService(this)
  }
}

/** A reply that a client read. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly cookies: readonly string[]
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- an actor reads it as the shape it expects, and fails where it differs
  readonly json: any
}

export interface SentRequest {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly json?: unknown
  readonly bytes?: Uint8Array
  readonly address?: string
}

/** Everything outside the clients: instances on one database, and the receivers to which these instances send. */
export class World {
  readonly scheduler: Scheduler
  readonly mails: Mail[] = []
  readonly events: ServiceEvent[] = []
  /** The bodies that each webhook receiver accepted, by its URL. */
  readonly received = new Map<string, ServiceEvent[]>()
  readonly sunk: TelemetryRecord[] = []
  /** The impression URLs that were reported to the ad network, and the number of ads that the network returned. */
  readonly reported = new Set<string>()
  #networkAds = 0
  /** Stores without faults, for the checks. */
  readonly stores: Stores
  /** A function that is called with each log line about an error that no fault explains. */
  onProblem: (what: string) => void = () => undefined
  /** A function that is called with each message to a webhook, even if the message is not received. */
  onWebhook: (url: string, headers: Readonly<Record<string, string>>, body: string) => void = () => undefined
  /** A function that is called with each request to the ad network. */
  onAdQuestion: (question: AdQuestion) => void = () => undefined
  /** Whether rates may be exceeded, because a limiter failed and allows calls, or because clocks differ. */
  limitsMayFail = false
  /** The rate limit for uploads of a person, if the seed has one. */
  readonly uploadRate: { readonly limit: number; readonly windowMs: number } | null
  /** The number of clients that stopped waiting for a reply. Their operations may still happen. */
  timeouts = 0
  /** The number of replies that did not reach a waiting client. */
  lostReplies = 0
  weather: Weather
  readonly #random: SeededRandom
  readonly #database: SimulatedDatabase
  readonly #options: Partial<ServiceOptions>
  readonly #instances: Instance[] = []
  /** The receivers that fail, with the time until which they fail. */
  readonly #outages = new Map<string, number>()
  #starts = 0
  #isCalm = false

  constructor(random: SeededRandom, database: SimulatedDatabase, options: Partial<ServiceOptions> = {}) {
    this.scheduler = new Scheduler(random.fork('scheduler'))
    this.#random = random.fork('world')
    this.#database = database
    this.#options = options
    const clock: Clock = () => this.scheduler.now
    const { blobs, ...stores } = database.open(clock)
    this.stores = openContents({ baseUrl, secret, stores: { ...stores, blobs }, blobs, clock, ...options })
    const { rates } = options
    this.uploadRate = typeof rates === 'object' && typeof rates.ingest === 'object' ? rates.ingest : null
    this.weather = drawWeather(random.fork('weather'))
  }

  /** Starts `count` instances with their workers. */
  start(count: number): void {
    for (const name of ['A', 'B', 'C'].slice(0, count)) this.#startInstance(name)
  }

  /** Ends all faults: paused instances continue, all clocks agree, receivers answer. */
  calm(): void {
    this.#isCalm = true
    this.weather = fairWeather
    this.#outages.clear()
    for (const life of this.#instances) Object.assign(life, { pausedUntil: 0, skew: noSkew })
  }

  /** Runs workers until no work can be due. */
  async finish(): Promise<void> {
    this.calm()
    // One worker is enough, so the others release their leases.
    for (const life of this.#instances.slice(1)) void life.stopWorker()
    for (const wait of [0, 31 * second, 6 * minute, 6 * minute, 3 * hour, 20 * minute, 20 * hour, 24 * hour, hour]) {
      this.scheduler.now += wait
      this.scheduler.note(`the clock is set forward by ${wait / minute} minutes`)
      await this.scheduler.run(() => false, false)
    }
  }

  /**
   * Sends a request to one of the instances. Returns null if the client gets no reply and so does not know the outcome.
   */
  async send(client: string, request: SentRequest): Promise<Reply | null> {
    const { scheduler } = this
    const alive = this.#instances.filter(({ isAlive }) => isAlive)
    const what = `${client}: ${request.method} ${request.path.slice(0, 80)}`
    await scheduler.waitAt(what)
    if (alive.length === 0) {
      await scheduler.sleep(second)
      return null
    }
    const instance = this.#random.pick(alive)
    const answered = this.#answer(instance, request).catch((error: unknown) => {
      if (isInjected(error) || error instanceof BodyReadError) return 'broken' as const
      throw error
    })
    const ended = Promise.race([answered, instance.ended.then(() => 'crashed' as const)])
    const outcome = (await scheduler.within(clientTimeoutMs, ended)) ?? 'timed out'
    if (outcome === 'timed out') this.timeouts++
    const lost =
      typeof outcome === 'string' ? outcome : this.#random.chance(this.weather.loseReply) ? 'reply lost' : null
    if (lost && lost !== 'timed out') this.lostReplies++
    const status = typeof outcome === 'string' ? '' : ` ${outcome.status} ${hash(outcome.text)}`
    scheduler.note(`${what} on ${instance.name}${status}${lost ? ` (${lost})` : ''}`)
    return lost || typeof outcome === 'string' ? null : outcome
  }

  async #answer(instance: Instance, { method, path, headers = {}, json, bytes, address }: SentRequest): Promise<Reply> {
    const url = new URL(path, baseUrl)
    const body = bytes ?? (json === undefined ? null : Buffer.from(JSON.stringify(json)))
    const reply = (await instance.service.handle({
      method,
      path: url.pathname,
      query: [...url.searchParams],
      headers: {
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(body === null ? {} : { 'content-length': String(body.length) }),
        ...headers,
      },
      address: address ?? '192.0.2.1',
      body:
        body === null
          ? null
          : async function* () {
              yield body
            },
    }))!
    const text = await readBody(reply.body)
    const cookies = reply.headers.flatMap(([name, value]) => (name === 'set-cookie' ? [value.split(';', 1)[0]!] : []))
    const isJson = reply.headers.some(([name, value]) => name === 'content-type' && value === 'application/json')
    return {
      status: reply.status,
      headers: Object.fromEntries(reply.headers),
      cookies,
      text,
      json: isJson ? JSON.parse(text) : undefined,
    }
  }

  #startInstance(name: string): void {
    const random = this.#random.fork(`instance ${name} ${this.#starts++}`)
    const life = new Instance(name, (made) => this.#createService(made, random))
    this.#instances.push(life)
    const worker = life.service.startWorker({ pollMs: this.#random.between(20 * second, 3 * minute) })
    life.stopWorker = () => worker.stop()
    this.scheduler.note(`${name} starts`)
  }

  #createService(life: Instance, random: SeededRandom): Service {
    const call = this.#portCaller(life)
    const uncertainCall = this.#portCaller(life, { uncertain: true })
    const clock: Clock = () => {
      const { offset, gain, since } = life.skew
      return this.scheduler.now + offset + Math.round(gain * (this.scheduler.now - since))
    }
    const stores = Object.fromEntries(
      Object.entries(this.#database.open(clock)).map(([port, store]: [string, object]) => [
        port,
        typeof store === 'function' ? store : interceptPort(port, store, call),
      ]),
    ) as unknown as Stores
    return createService({
      baseUrl,
      logger: { info() {}, warn: (...line) => this.#checkLine(...line), error: (...line) => this.#checkLine(...line) },
      secret,
      adminTokens: Object.entries(operators).map(([operator, token]) => ({ name: operator, token })),
      contactEmail: 'desk@example.com',
      country: () => 'US',
      termsVersion,
      digest: (data) => createHash('sha256').update(data).digest(),
      scrubber,
      ...this.#options,
      ads: {
        network: interceptPort(
          'network',
          {
            name: 'network',
            ask: async (question: AdQuestion) => this.#askNetwork(question),
            report: async (url: string) => this.#receive('network', () => this.reported.add(url)),
          },
          call,
        ),
      },
      stores,
      clock,
      random: random.bytes,
      yieldToEventLoop: () => this.scheduler.waitAt(`${life.name} yields`, life),
      queue: interceptPort('queue', { send: async (jobId: string) => this.#enqueue(jobId) }, call),
      // A mail that may have been sent is not sent again. A mailer marks the error of such a mail with this property.
      mailer: interceptPort(
        'mailer',
        { send: async (mail: Mail) => this.#receive('mail server', () => this.mails.push(mail)) },
        uncertainCall,
      ),
      telemetrySink: {
        name: 'sink',
        take: interceptPort(
          'sink',
          {
            take: async (reports: readonly TelemetryRecord[]) =>
              this.#receive('sink', () => this.sunk.push(...reports)),
          },
          call,
        ).take,
      },
      onEvent: interceptPort(
        'app',
        { onEvent: async (event: ServiceEvent) => this.#receive('app', () => this.events.push(event)) },
        call,
      ).onEvent,
      webhooks: {
        fetch: interceptPort(
          'webhook',
          {
            fetch: async (...[url, { headers, body }]: Parameters<Fetch>) => {
              this.onWebhook(url, headers!, body!)
              return this.#receiveWebhook(url, body!)
            },
          },
          call,
        ).fetch,
      },
    })
  }

  /** Returns the function that runs the port calls of an instance. The seed chooses the moments and the faults. */
  #portCaller(life: Instance, afterEffect: object = {}): PortCaller {
    const { scheduler } = this
    return async (name, run) => {
      await scheduler.waitAt(`${life.name} ${name}`, life)
      if (await this.#meetFault(life, name, this.weather.failBefore)) throw injectedError()
      const result = await scheduler.track(async () => run())
      if (await this.#meetFault(life, `${name} after its effect`, this.weather.failAfter))
        throw Object.assign(injectedError(), afterEffect)
      return result
    }
  }

  /**
   * Chooses whether a fault happens at a port call. Returns whether the call fails. If the instance has ended, the
   * promise never resolves.
   */
  async #meetFault(life: Instance, at: string, failRate: number): Promise<boolean> {
    if (this.#isCalm) return false
    const { weather, scheduler } = this
    const random = this.#random
    if (random.chance(weather.skew)) {
      const offset = random.chance(0.1) ? random.between(-2 * hour, 2 * hour) : random.between(-25_000, 25_000)
      const gain = random.chance(0.3) ? random.between(-10, 10) / 100 : 0
      life.skew = { offset, gain, since: scheduler.now }
      this.limitsMayFail = true
      scheduler.note(`the clock of ${life.name} is off by ${offset} ms, and gains ${gain} ms in each`)
    }
    if (random.chance(weather.crash)) {
      this.#crash(life, at)
      return new Promise(() => undefined)
    }
    if (random.chance(weather.pause)) {
      const ms = random.between(5 * second, 7 * minute)
      scheduler.note(`${life.name} pauses at ${at} for ${ms} ms`)
      life.pausedUntil = scheduler.now + ms
      await scheduler.waitAt(`${life.name} goes on`, life)
    }
    if (random.chance(weather.delay)) {
      await scheduler.sleep(random.between(10, 5 * second))
      await scheduler.waitAt(`${life.name} ${at}, delayed`, life)
    }
    if (!random.chance(failRate)) return false
    scheduler.note(`${life.name} fails at ${at}`)
    return true
  }

  #crash(life: Instance, at: string): void {
    this.scheduler.note(`${life.name} crashes at ${at}`)
    life.isAlive = false
    this.scheduler.forget(life)
    life.end()
    this.#instances.splice(this.#instances.indexOf(life), 1)
    void this.scheduler
      .sleep(this.#random.between(second, minute))
      .then(() => this.scheduler.waitAt(`${life.name} is started again`))
      .then(() => this.#startInstance(life.name))
  }

  /** Reports a logged error that no fault explains. */
  #checkLine({ err }: Record<string, unknown>, message: string): void {
    if (message.startsWith('rate_limiter.')) this.limitsMayFail = true
    if (err instanceof Error && !isInjected(err) && !explained.has(err.name) && !err.message.startsWith(stopped))
      this.onProblem(`a service logged ${message}: ${err.stack ?? err.message}`)
  }

  /** Adds a message to the queue. The message is delivered later, sometimes twice, in any order. */
  #enqueue(jobId: string): void {
    for (let copies = this.#random.chance(0.2) ? 2 : 1; copies > 0; copies--) void this.#deliver(jobId)
  }

  async #deliver(jobId: string): Promise<void> {
    await this.scheduler.sleep(this.#random.between(0, this.#random.chance(0.1) ? 2 * minute : second))
    await this.scheduler.waitAt(`message of job ${jobId.slice(-6)}`)
    const alive = this.#instances.filter(({ isAlive }) => isAlive)
    if (alive.length === 0) return
    await this.#random
      .pick(alive)
      .service.work({ jobId })
      .catch((error: unknown) => {
        if (!isInjected(error)) throw error
      })
  }

  #askNetwork(question: AdQuestion): NetworkAd | null {
    this.onAdQuestion(question)
    if (this.#random.chance(0.5)) return null
    const number = this.#networkAds++
    const clickUrl = 'https://network.example.org/'
    return { text: `An ad ${number}`, clickUrl, impUrl: `${clickUrl}seen/${number}` }
  }

  #receiveWebhook(url: string, body: string): { status: number; body: null } {
    this.#receive(url, () => {
      this.received.set(url, [...(this.received.get(url) ?? []), JSON.parse(body) as ServiceEvent])
    })
    return { status: 204, body: null }
  }

  /** Passes a value to a receiver, unless the receiver currently fails. */
  #receive(receiver: string, take: () => void): void {
    if (!this.#isCalm && this.#random.chance(0.02)) {
      this.#outages.set(receiver, this.scheduler.now + this.#random.between(second, 10 * minute))
      this.scheduler.note(`${receiver} fails for a while`)
    }
    if ((this.#outages.get(receiver) ?? 0) > this.scheduler.now) throw markInjected(new Error(`${receiver} is down`))
    take()
  }
}

/** Errors that faults explain: a call took too long, or another worker completed a job during a pause. */
const explained: ReadonlySet<string> = new Set(['TimeoutError', 'AbortError', 'UploadGone'])
/** The beginning of the error of a delivery whose worker was stopped. At the end all workers except one are stopped. */
const stopped = 'the worker stopped while'

const injected = new WeakSet<object>()

function markInjected(error: Error): Error {
  injected.add(error)
  return error
}
const injectedError = (): Error => markInjected(new Unavailable(new Error('injected outage')))

/** Returns whether an error is an injected error, or contains one. */
function isInjected(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++)
    if (injected.has(at)) return true
  return false
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8)

async function readBody(body: string | Uint8Array | AsyncIterable<Uint8Array> | null): Promise<string> {
  if (typeof body === 'string' || body === null) return body ?? ''
  if (body instanceof Uint8Array) return Buffer.from(body).toString()
  const pieces: Uint8Array[] = []
  for await (const piece of body) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}
