import { within } from '../deadline.ts'
import type { Logger, RateLimiter } from '../ports.ts'
import { fail, type Failure } from './failures.ts'
import { rateOf, type Rates } from './rate.ts'
import type { RateName } from './route.ts'

/**
 * How long a limiter may take. A limiter that fails lets the call through, whose own statements may then wait as long as a
 * store's deadline: together that must stay below the ten seconds in which every request is answered.
 */
const limiterMs = 1_000

/** Spends one call of a named rate, or `cost` of them; the failure when there are not so many left. */
export type ConsumeRate = (
  name: RateName,
  key: string,
  now: number,
  cost?: number,
) => Promise<Failure<'rate_limited'> | null>

/** A limit as the headers of a refusal name it (draft-ietf-httpapi-ratelimit-headers-10). */
export interface NamedLimit {
  readonly name: string
  readonly limit: number
  readonly remaining: number
  readonly retrySeconds: number
  /** The window that the limit is of; absent: it is of what is there at a time. */
  readonly windowSeconds?: number
  /** What is counted; default requests. */
  readonly unit?: 'content-bytes'
}

/** Returns the headers that tell a client which limit refused it and when to come back. */
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

/** Undoes one call that was spent and turned out not to be what the rate counts. */
export type RefundRate = (name: RateName, key: string, now: number) => Promise<void>

/** The other way round. A limiter that fails keeps the call as spent. */
export function createRefundRate(limiter: RateLimiter, rates: Rates | undefined, logger: Logger): RefundRate {
  return async (name, key, now) => {
    const rate = rateOf(rates, name)
    if (!rate) return
    try {
      await within(limiterMs, async () => limiter.refund?.(`${name}:${key}`, rate, now))
    } catch (error) {
      logger.warn({ err: error, rate: name }, 'the rate limiter failed; a call stays counted')
    }
  }
}

/** A limiter that fails lets the call through, since a broken counter must not take the service down. */
export function createConsumeRate(limiter: RateLimiter, rates: Rates | undefined, logger: Logger): ConsumeRate {
  return async (name, key, now, cost) => {
    const rate = rateOf(rates, name)
    if (!rate) return null
    try {
      const { allowed, remaining, resetMs } = await within(limiterMs, () =>
        limiter.consume(`${name}:${key}`, rate, now, cost),
      )
      if (allowed) return null
      const retrySeconds = Math.max(1, Math.ceil(resetMs / 1000))
      return fail(
        'rate_limited',
        {},
        limitHeaders({
          name,
          limit: rate.limit,
          remaining,
          retrySeconds,
          windowSeconds: rate.windowMs / 1000,
          ...(cost === undefined ? {} : { unit: 'content-bytes' }),
        }),
      )
    } catch (error) {
      logger.warn({ err: error, rate: name }, 'the rate limiter failed; the call goes through')
      return null
    }
  }
}
