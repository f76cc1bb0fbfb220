import type { Rate, Logger, RateLimiter } from '../ports.ts'
import type { RateName } from './route.ts'
import { within } from '../deadline.ts'
import { fail, type Failure } from './failures.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const megabyte = 1024 * 1024

/**
 * The default rates. `person` counts by user, and `operator` counts wrong admin tokens by address. `unknown_bearer`
 * counts other tokens that do not exist, and `mcp` counts messages and searches of MCP clients. `device_poll` counts
 * polls that are early or have unknown codes, and `device_view` counts unknown codes in links to the device page. Each
 * other rate counts the calls of the routes that name the rate. Rates that end with `_bytes` count bytes.
 */
export const defaultRates: Readonly<Record<RateName, Rate>> = {
  person: { limit: 1200, windowMs: minute },
  ingest: { limit: 60, windowMs: minute },
  ad_feedback: { limit: 30, windowMs: minute },
  cli_feedback: { limit: 20, windowMs: hour },
  unknown_bearer: { limit: 600, windowMs: minute },
  device_start: { limit: 20, windowMs: minute },
  device_poll: { limit: 600, windowMs: minute },
  mail_code: { limit: 30, windowMs: hour },
  mail_address: { limit: 5, windowMs: 10 * minute },
  mail_verify: { limit: 100, windowMs: hour },
  device_code: { limit: 10, windowMs: hour },
  device_code_network: { limit: 30, windowMs: hour },
  device_code_backoff: { limit: 1, windowMs: 15_000 },
  device_view: { limit: 30, windowMs: hour },
  reports: { limit: 100, windowMs: hour },
  operator: { limit: 20, windowMs: minute },
  mcp: { limit: 600, windowMs: minute },
  events: { limit: 600, windowMs: minute },
  telemetry_bytes: { limit: 5 * megabyte, windowMs: day },
  report_bytes: { limit: 2 * megabyte, windowMs: day },
  download_bytes: { limit: 256 * megabyte, windowMs: minute },
}

/** Returns the keys under which a person's calls are counted. */
export const personRateKeys = (personId: string): string[] =>
  Object.keys(defaultRates).map((name) => `${name}:${personId}`)

export type Rates = 'off' | Partial<Record<RateName, Rate | 'off'>>

/** Returns the rate of a name in a configuration, or null when the rate is off. */
export function resolveRate(rates: Rates | undefined, name: RateName): Rate | null {
  if (rates === 'off') return null
  const set = rates?.[name]
  return set === 'off' ? null : (set ?? defaultRates[name])
}

/**
 * The longest time that a limiter may take, in milliseconds. When the limiter fails, the call continues, and the
 * statements of the call may wait until the store's deadline. The two times together must stay below the ten seconds in
 * which every request is answered.
 */
const limiterMs = 1_000

/** Consumes one call of a named rate, or `cost` calls. Returns the failure when fewer calls are left. */
export type ConsumeRate = (
  name: RateName,
  key: string,
  now: number,
  cost?: number,
) => Promise<Failure<'rate_limited'> | null>

/** A limit as the headers of a failure describe it (draft-ietf-httpapi-ratelimit-headers-10). */
export interface NamedLimit {
  readonly name: string
  readonly limit: number
  readonly remaining: number
  readonly retrySeconds: number
  /** The window of the limit. Absent for a limit on things that are open at the same time. */
  readonly windowSeconds?: number
  /** The unit that the limit counts. Default: requests. */
  readonly unit?: 'content-bytes'
}

/** Returns the headers that tell a client which limit refused it and when to try again. */
export function limitHeaders({
  name,
  limit,
  remaining,
  retrySeconds,
  windowSeconds,
  unit,
}: NamedLimit): [string, string][] {
  const [window, counted] = [
    windowSeconds === undefined ? '' : `;w=${windowSeconds}`,
    unit === undefined ? '' : `;qu="${unit}"`,
  ]
  return [
    ['retry-after', String(retrySeconds)],
    ['ratelimit-policy', `"${name}";q=${limit}${window}${counted}`],
    ['ratelimit', `"${name}";r=${remaining};t=${retrySeconds}`],
  ]
}

/** Refunds a call that the rate should not count after all. */
export type RefundRate = (name: RateName, key: string, now: number) => Promise<void>

/** Creates the function that refunds calls. When the limiter fails, the call stays counted. */
export function createRefundRate(limiter: RateLimiter, rates: Rates | undefined, logger: Logger): RefundRate {
  return async (name, key, now) => {
    const rate = resolveRate(rates, name)
    if (!rate) return
    try {
      await within(limiterMs, async () => limiter.refund?.({ key: `${name}:${key}`, rate, now }))
    } catch (error) {
      logger.warn({ err: error, rate: name }, 'rate_limiter.refund.failed')
    }
  }
}

/**
 * Creates the function that consumes calls. When the limiter fails, the call is allowed, so that the service stays
 * available.
 */
export function createConsumeRate(limiter: RateLimiter, rates: Rates | undefined, logger: Logger): ConsumeRate {
  return async (name, key, now, cost) => {
    const rate = resolveRate(rates, name)
    if (!rate) return null
    try {
      const { allowed, resetMs } = await within(limiterMs, () =>
        limiter.consume({ key: `${name}:${key}`, rate, now, cost }),
      )
      if (allowed) return null
      const retrySeconds = Math.max(1, Math.ceil(resetMs / 1000))
      return fail(
        'rate_limited',
        {},
        limitHeaders({
          name,
          limit: rate.limit,
          remaining: 0,
          retrySeconds,
          windowSeconds: rate.windowMs / 1000,
          ...(cost === undefined ? {} : { unit: 'content-bytes' }),
        }),
      )
    } catch (error) {
      logger.warn({ err: error, rate: name }, 'rate_limiter.consume.failed')
      return null
    }
  }
}
