import { gzipSync } from 'node:zlib'
import type { HostReply } from '../emulators/wire.ts'
import { Answer, type PendingAnswer, type SentRequest } from './answer.ts'
import { Skip, type Target } from './target.ts'
import { checkEveryReply } from './contract.ts'

export type Headers = Readonly<Record<string, string>>

/** A request of a check. */
export interface CheckRequest {
  /** Headers of the caller: a person's `bearer` or `cookie`, or the headers of the operator. */
  readonly as?: Headers
  readonly headers?: Headers
  /** The body, which is sent as JSON. */
  readonly json?: unknown
  /** The body, which is sent unchanged. */
  readonly body?: string | Uint8Array
  /** The content type. Default: `application/json` if there is a body. */
  readonly type?: string
  /** Whether the body is sent compressed. */
  readonly gzip?: boolean
  /**
   * Whether 429 `rate_limited` is treated as a normal answer. Otherwise the run waits for the time in `retry-after` and
   * sends the request again.
   */
  readonly limited?: boolean
}

/** Changes a reply before it is checked, to test the checks. `check` is null for a request outside a check. */
export type AlterReply = (
  reply: HostReply,
  about: { readonly check: string | null; readonly sent: SentRequest },
) => HostReply

export interface RunStateOptions {
  readonly alter?: AlterReply
  /** The maximum total time that the run waits for used-up rates, in milliseconds. Default: 180,000. */
  readonly patienceMs?: number
  /** Milliseconds after which all hosts of a service read the data that one of them wrote. Default: 6,000. */
  readonly eventuallyMs?: number
  /**
   * The maximum time in milliseconds for which exports and re-scrubbing wait for the schedule, which runs once a
   * minute. Default: `eventuallyMs` if it is given, else 90,000.
   */
  readonly scheduledMs?: number
  /** The maximum duration of a job with a few traces, in milliseconds. Default: 30,000. */
  readonly jobMs?: number
  /** Whether the target is another server, which implements a protocol but has none of Tributary's contracts. */
  readonly isForeign?: boolean
  /** A function that is called with the time that the run waits, in ms, and the reason. */
  readonly onWait?: (ms: number, what: string) => void
}

/** Large bodies in compressed form. They are cached, because the same body is sent to many routes. */
const packings = new Map<string, Buffer>()

function packBody(plain: Buffer, given: string | Uint8Array): Buffer {
  if (typeof given !== 'string' || given.length < 100_000) return gzipSync(plain)
  const known = packings.get(given) ?? gzipSync(plain)
  packings.set(given, known)
  return known
}

/**
 * Returns whether a 429 is caused by a rate, so that waiting helps. Pages contain no error code, and OAuth uses another
 * code.
 */
const isRateLimited = (answer: Answer): boolean =>
  answer.text.includes('"rate_limited"') ||
  answer.text.includes('"rate limited"') ||
  answer.header('content-type')?.startsWith('text/html') === true

/** More requests than a whole run makes. Reaching this number means that the run loops. */
const maxRequests = 20_000

/** The state that the checks of one run share: the target, data created once, and data to delete at the end. */
export class RunState {
  readonly target: Target
  /** A part of the names of everything that the run creates, so that two runs do not collide. */
  readonly run = Math.floor(Math.random() * 36 ** 8)
    .toString(36)
    .padStart(8, '0')
  /** The data that stays at the service after the run, in words. */
  readonly leftovers = new Set<string>()
  /** The outcomes declared in the contracts that this run observed: `E9 PATCH /api/traces/:id 409 already_sold`. */
  readonly met = new Set<string>()
  /** The ids of all accepted jobs. */
  readonly jobs: string[] = []
  /** Addresses of accounts that a check has erased. */
  readonly erased = new Set<string>()
  readonly eventuallyMs: number
  readonly scheduledMs: number
  readonly jobMs: number
  requests = 0
  readonly #made = new Map<string, Promise<unknown>>()
  readonly #after: (() => Promise<unknown>)[] = []
  readonly #options: RunStateOptions
  #patience: number
  /**
   * The time until which the run is already waiting. Another wait that ends before this time does not reduce the
   * remaining patience.
   */
  #until = 0

  constructor(target: Target, options: RunStateOptions = {}) {
    this.target = target
    this.#options = options
    this.eventuallyMs = options.eventuallyMs ?? 6_000
    this.scheduledMs = options.scheduledMs ?? options.eventuallyMs ?? 90_000
    this.jobMs = options.jobMs ?? 30_000
    this.#patience = options.patienceMs ?? 180_000
  }

  /** Creates something once. Later callers get the same value, or the same failure. */
  makeOnce<T>(name: string, make: () => Promise<T>): Promise<T> {
    const known = this.#made.get(name) as Promise<T> | undefined
    if (known) return known
    const made = make()
    // The error reaches the caller, who awaits `made`.
    made.catch(() => undefined)
    this.#made.set(name, made)
    return made
  }

  /** Adds work to be done after all checks. */
  addCleanup(work: () => Promise<unknown>): void {
    this.#after.push(work)
  }

  /** Deletes everything that the run created, the newest first. Adds what could not be deleted to `leftovers`. */
  async cleanUp(): Promise<void> {
    for (const work of this.#after.splice(0).toReversed()) {
      await work().catch((error: unknown) =>
        this.leftovers.add(
          `what could not be deleted: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`,
        ),
      )
    }
  }

  /** Sends a request and checks the conditions for every reply. */
  ask(method: string, path: string, options: CheckRequest = {}, check: string | null = null): PendingAnswer {
    const asked = this.#send(method, path, options, check)
    return Object.assign(asked, { is: async (status: number, shape?: unknown) => (await asked).is(status, shape) })
  }

  async #send(method: string, path: string, options: CheckRequest, check: string | null): Promise<Answer> {
    const { prefix = '', request } = this.target
    const sent: SentRequest = { method, target: prefix + path, ...this.#parts(options) }
    for (;;) {
      if (++this.requests > maxRequests) throw new Error(`more than ${maxRequests} requests in one run`)
      const reply = await request(sent.method, sent.target, sent.headers, sent.body ? [sent.body] : []).catch(
        (error: unknown) => {
          throw new Error(
            `${method} ${sent.target} was not answered: ${error instanceof Error ? error.message : String(error)}`,
          )
        },
      )
      const answer = new Answer(sent, this.#options.alter?.(reply, { check, sent }) ?? reply)
      if (answer.status === 429 && !options.limited && isRateLimited(answer)) {
        await this.#wait(answer)
        continue
      }
      const met = this.#options.isForeign ? null : checkEveryReply(answer, path.split('?', 1)[0]!)
      if (met !== null) this.met.add(met)
      if (answer.status === 202 && path === '/api/ingest') this.jobs.push(String(answer.json.jobId))
      return answer
    }
  }

  #parts({
    as = {},
    headers = {},
    json,
    body,
    type,
    gzip = false,
  }: CheckRequest): Pick<SentRequest, 'headers' | 'body'> {
    const { minVersion, countryHeader } = this.target
    const given = json === undefined ? body : JSON.stringify(json)
    const plain = given === undefined ? null : Buffer.from(given)
    const packed = plain !== null && gzip ? packBody(plain, given!) : null
    const all: Record<string, string> = {
      ...(minVersion === undefined ? {} : { 'x-cli-version': minVersion }),
      ...(countryHeader === undefined ? {} : { [countryHeader.toLowerCase()]: 'US' }),
      ...(plain === null ? {} : { 'content-type': type ?? 'application/json' }),
      ...(gzip ? { 'content-encoding': 'gzip' } : {}),
      ...as,
      ...headers,
    }
    return { headers: Object.entries(all).filter(([, value]) => value !== ''), body: packed ?? plain }
  }

  async #wait(answer: Answer): Promise<void> {
    const [now, ms] = [Date.now(), Number(answer.header('retry-after') ?? 1) * 1000]
    const longer = Math.max(0, now + ms - Math.max(now, this.#until))
    if (!(longer <= this.#patience))
      throw new Skip(
        `its rate is used up: the service asks to wait ${ms / 1000} s (try again then, or serve with --rate-limits off)`,
      )
    this.#patience -= longer
    if (longer > 3_000) this.#options.onWait?.(ms, `${answer.sent.method} ${answer.sent.target.split('?')[0]}`)
    this.#until = Math.max(this.#until, now + ms)
    await new Promise((resolve) => setTimeout(resolve, ms))
  }
}
