import { setImmediate } from 'node:timers/promises'
import type { AdNetwork, Blobs, Service, ServiceEvent, ServiceOptions, Stores, TelemetryRecord } from '@tributary/core'
import { openContents } from '@tributary/core/host'
import { createScrubber } from '@tributary/core/scrub'
import { fixedClock, seededRandom, type FixedClock } from '../fixtures/clock.ts'
import {
  fixture,
  createRecordingMailer,
  type Answer,
  type Ask,
  type Fixture,
  type RecordingMailer,
  type Signed,
} from '../fixtures/service.ts'
import type { FaultInjector } from './inject.ts'
import { createLedger, type Ledger } from './ledger.ts'
import type { FaultPlace } from './places.ts'

const minute = 60_000
/**
 * The times for which a client waits before each further attempt: first a second, then longer than every lease,
 * including the lease of an idempotency key.
 */
const retryWaits = [1000, 31_000, 31_000, 31_000]
/**
 * The waits between the rounds of the worker after the flow. They exceed a lease, the outbox's lease, and the age at
 * which uploads are swept.
 */
const settleWaits = [31_000, 6 * minute, 6 * minute, 180 * minute, 20 * minute]

const adminToken = 'operator-of-the-fault-kit'
export const operator = { authorization: `Bearer ${adminToken}` }
export const contactEmail = 'desk@example.com'
const termsVersion = 'terms-of-the-fault-kit'
/** The body with which a person accepts the terms. */
export const terms = { termsVersion, residencyConfirmed: true }

/** Loading the table takes a moment, so all worlds share one scrubber. No flow reaches the scrubber's time limit. */
const scrubber = createScrubber()

/** A reply as a client received it. `broken` is true if its body ended early. */
export interface SeenReply {
  readonly method: string
  readonly path: string
  readonly answer: Answer | 'broken'
}

/** The error for a request that got only outages, or whose last reply cannot end the flow. */
export class Unfinished extends Error {
  override readonly name = 'Unfinished'
}

/**
 * A service on empty stores, with a client, a worker and receivers. `setup` is a second host on the same stores without
 * faults, which prepares a flow and reads the result.
 */
export class World {
  readonly clock: FixedClock
  readonly mailer: RecordingMailer = createRecordingMailer()
  readonly stores: Stores
  readonly blobs: Blobs
  readonly setup: Fixture
  readonly service: Service
  readonly ledger: Ledger = createLedger()
  readonly replies: SeenReply[] = []
  /** The ids of jobs whose messages the queue accepted, but no worker has received yet. */
  readonly messages: string[] = []
  /** The records that the telemetry sink received, with repetitions. */
  readonly sunk: TelemetryRecord[] = []
  /** Impression URLs that were requested from the ad network. */
  readonly networkReports: string[] = []
  /** The events that `onEvent` received, with repetitions. */
  readonly events: ServiceEvent[] = []
  /** A function that is called when long work yields to the event loop. */
  onYield: () => void = () => undefined
  readonly #faulty: Fixture
  readonly #injector: FaultInjector

  private constructor(
    { stores, blobs }: { stores: Stores; blobs: Blobs },
    clock: FixedClock,
    injector: FaultInjector,
    more: Partial<ServiceOptions>,
  ) {
    this.clock = clock
    this.stores = openContents({ baseUrl: 'http://127.0.0.1', stores, blobs, adminToken, ...more })
    this.blobs = blobs
    this.#injector = injector
    const network: AdNetwork = {
      name: 'network',
      ask: async () => ({
        text: 'Line of the network',
        clickUrl: 'https://network.example/',
        impUrl: 'https://network.example/i',
      }),
      report: async (url) => void this.networkReports.push(url),
    }
    const queue = { send: async (jobId: string) => void this.messages.push(jobId) }
    const telemetrySink = {
      name: 'sink',
      take: async (reports: readonly TelemetryRecord[]) => void this.sunk.push(...reports),
    }
    const app = { onEvent: async (event: ServiceEvent) => void this.events.push(event) }
    const options = {
      ...more,
      clock: this.clock,
      random: seededRandom(),
      scrubber,
      adminToken,
      contactEmail,
      country: () => 'US',
      termsVersion,
      approval: 'automatic',
      rates: {},
      yieldToEventLoop: () => {
        this.onYield()
        return setImmediate()
      },
    } satisfies Partial<ServiceOptions>
    this.setup = fixture({
      ...options,
      ...app,
      stores,
      blobs,
      queue,
      telemetrySink,
      mailer: this.mailer,
      ads: { network },
    })
    this.#faulty = fixture({
      ...options,
      stores: injector.wrapStores(stores),
      blobs: injector.wrap('blobs', blobs),
      queue: injector.wrap('queue', queue),
      telemetrySink: injector.wrap('telemetrySink', telemetrySink),
      onEvent: injector.wrap('app', app).onEvent,
      ads: { network: injector.wrap('network', network) },
      // A mail that may have been sent is not sent again. A mailer reports such a mail with the property `uncertain`.
      mailer: injector.wrap('mailer', this.mailer, { afterEffect: { uncertain: true } }),
    })
    this.service = this.#faulty.service
  }

  /** Makes a world on empty stores of a place. */
  static async open(place: FaultPlace, injector: FaultInjector, options: Partial<ServiceOptions> = {}): Promise<World> {
    const clock = fixedClock()
    return new World(await place.empty(clock), clock, injector, options)
  }

  /**
   * Sends one request to the service in which faults happen, as `Fixture.ask` does, and keeps its reply. Returns null
   * if the body ended early.
   */
  async request(method: string, path: string, options?: Ask): Promise<Answer | null> {
    try {
      const answer = await this.#faulty.ask(method, path, options)
      this.replies.push({ method, path, answer })
      return answer
    } catch (error) {
      if (!this.#injector.threw(error)) throw error
      this.replies.push({ method, path, answer: 'broken' })
      return null
    }
  }

  /**
   * Sends a request, and repeats it until it is answered or a client would stop. The answer must then be one of
   * `statuses`.
   */
  async retry(method: string, path: string, statuses: readonly number[], options?: Ask): Promise<Answer> {
    return (await this.retryUnless(async () => false, method, path, statuses, options))!
  }

  /**
   * Works like `retry`, for a request that must take effect only once: calls `done` before each repetition. Returns
   * null if `done` returns true.
   */
  async retryUnless(
    done: () => Promise<boolean>,
    method: string,
    path: string,
    statuses: readonly number[],
    options?: Ask,
  ): Promise<Answer | null> {
    let last: Answer | null = null
    for (const wait of retryWaits) {
      last = await this.request(method, path, options)
      if (last && isFinal(last)) {
        if (statuses.includes(last.status)) return last
        break
      }
      this.clock.advance(wait)
      if (await done()) return null
    }
    throw new Unfinished(
      `${method} ${path} ended with ${last ? `${last.status} ${last.text.slice(0, 200)}` : 'a body that broke off'}`,
    )
  }

  /**
   * Runs a worker until nothing is due, an injected fault ended one of its loops, or `stop` is aborted. With `jobId` it
   * runs only this job. It waits for each delivery, so the calls do not depend on the speed of a store.
   */
  async work(jobId?: string, stop = new AbortController()): Promise<void> {
    try {
      await this.service.work({ signal: stop.signal, ...(jobId === undefined ? {} : { jobId }) })
    } catch (error) {
      if (!this.#injector.threw(error)) throw error
    }
  }

  /** Passes every message of the queue to a worker, and then lets a worker poll. */
  async workOnMessages(): Promise<void> {
    for (const jobId of this.messages.splice(0)) await this.work(jobId)
    await this.work()
  }

  /** Runs workers of the same process until no work can be due. */
  async settle(): Promise<void> {
    for (const wait of settleWaits) {
      this.clock.advance(wait)
      await this.workOnMessages()
    }
  }

  /** Signs up a contributor who may upload, without faults. */
  async contributor(): Promise<Signed> {
    const signed = await this.setup.signIn()
    await this.askOk('POST', '/api/account/terms', { headers: signed.bearer, json: terms })
    await this.askOk('POST', '/api/account/application', {
      headers: signed.bearer,
      json: makeApplication(signed.email),
    })
    return signed
  }

  /** Sends a request to the host without faults. Throws if the request is refused. */
  async askOk(method: string, path: string, options?: Ask): Promise<Answer> {
    const answer = await this.setup.ask(method, path, options)
    if (answer.status >= 400) throw new Error(`preparing failed: ${method} ${path}: ${answer.status} ${answer.text}`)
    return answer
  }
}

/** Returns whether a client stops after this failure instead of repeating its request. */
function isFinal(answer: Answer): boolean {
  const { status, json } = failureOfTool(answer) ?? answer
  const error = (json as { error?: string } | undefined)?.error
  return status < 500 && status !== 429 && error !== 'idempotency_in_progress'
}

/** Returns the reply with which a tool's call failed, or null if it is not such a reply. */
function failureOfTool({ json }: Answer): Pick<Answer, 'status' | 'json'> | null {
  const { isError, content } = (json?.result ?? {}) as { isError?: boolean; content?: readonly [{ text: string }] }
  if (!isError || !content) return null
  const failure = JSON.parse(content[0].text) as { readonly status: number }
  return { status: failure.status, json: failure }
}

/** Returns a contributor's application. */
export const makeApplication = (email: string): Record<string, unknown> => ({
  companyName: 'Example',
  incubatorBatch: 'W26',
  website: 'https://x.example',
  directoryUrl: 'https://x.example/d',
  email,
  role: 'engineer',
  authorized: true,
})
