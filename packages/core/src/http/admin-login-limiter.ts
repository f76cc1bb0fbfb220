import { addressKey } from './address.ts'
import type { Failure } from './failures.ts'
import type { ConsumeRate } from './consume-rate.ts'

/** Who guesses the operator's token, by address. */
export interface AdminLoginLimiter {
  /** The refusal for an address that has guessed too often, whatever it brings now; else null. */
  blocked(address: string | null, now: number): Failure<'rate_limited'> | null
  /** Counts a wrong token; the refusal when it was one too many. */
  recordFailure(address: string | null, now: number): Promise<Failure<'rate_limited'> | null>
}

/** Addresses that are remembered as stopped; beyond these the oldest are asked of the limiter again. */
const most = 10_000

/**
 * Only wrong tokens are counted, in the limiter that all hosts share, so the operator's own calls cost nothing. An address
 * that used up its guesses is not compared any more until there is room for one: a right guess must not look otherwise.
 */
export function createAdminLoginLimiter(consumeRate: ConsumeRate): AdminLoginLimiter {
  const until = new Map<string, { readonly at: number; readonly refusal: Failure<'rate_limited'> }>()
  return {
    blocked(address, now) {
      const key = addressKey(address)
      const stop = until.get(key)
      if (stop && now < stop.at) return stop.refusal
      if (stop) until.delete(key)
      return null
    },
    async recordFailure(address, now) {
      const key = addressKey(address)
      const refusal = await consumeRate('operator', key, now)
      if (!refusal) return null
      const seconds = Number(refusal.headers.find(([name]) => name === 'retry-after')?.[1] ?? 1)
      until.set(key, { at: now + seconds * 1000, refusal })
      if (until.size > most) until.delete(until.keys().next().value!)
      return refusal
    },
  }
}
