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

/** Spends one call of a named rate; the failure when there is none left. */
export type Spend = (name: RateName, key: string, now: number) => Promise<Failure<'rate_limited'> | null>

/** Undoes one call that was spent and turned out not to be what the rate counts. */
export type GiveBack = (name: RateName, key: string, now: number) => Promise<void>

/** The other way round. A limiter that fails keeps the call as spent. */
export function backgiver(limiter: RateLimiter, rates: Rates | undefined, logger: Logger): GiveBack {
  return async (name, key, now) => {
    const rate = rateOf(rates, name)
    if (!rate) return
    try {
      await within(limiterMs, async () => limiter.giveBack?.(`${name}:${key}`, rate, now))
    } catch (error) {
      logger.warn({ err: error, rate: name }, 'the rate limiter failed; a call stays counted')
    }
  }
}

/** A limiter that fails lets the call through, since a broken counter must not take the service down. */
export function spender(limiter: RateLimiter, rates: Rates | undefined, logger: Logger): Spend {
  return async (name, key, now) => {
    const rate = rateOf(rates, name)
    if (!rate) return null
    try {
      const { allowed, remaining, resetMs } = await within(limiterMs, () => limiter.take(`${name}:${key}`, rate, now))
      if (allowed) return null
      const seconds = Math.max(1, Math.ceil(resetMs / 1000))
      return fail('rate_limited', {}, [
        ['retry-after', String(seconds)],
        ['ratelimit-policy', `"${name}";q=${rate.limit};w=${rate.windowMs / 1000}`],
        ['ratelimit', `"${name}";r=${remaining};t=${seconds}`],
      ])
    } catch (error) {
      logger.warn({ err: error, rate: name }, 'the rate limiter failed; the call goes through')
      return null
    }
  }
}
