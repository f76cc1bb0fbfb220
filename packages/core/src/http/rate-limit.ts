import { type Rate, type Logger, type RateLimiter, clockSkewMs } from '../ports.ts'
import type { RateName } from './route.ts'
import { within } from '../deadline.ts'
import { fail, type Failure } from './failures.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const megabyte = 1024 * 1024

/** The rates of decisions section 1. `person` counts by user, `operator` wrong admin tokens by address, the others what their route names. `_bytes` count bytes. */
export const defaultRates: Readonly<Record<RateName, Rate>> = {
  person: { limit: 1200, windowMs: minute },
  ingest: { limit: 60, windowMs: minute },
  ad_feedback: { limit: 30, windowMs: minute },
  cli_feedback: { limit: 20, windowMs: hour },
  device_start: { limit: 20, windowMs: minute },
  mail_code: { limit: 30, windowMs: hour },
  mail_address: { limit: 5, windowMs: 10 * minute },
  mail_verify: { limit: 100, windowMs: hour },
  device_code: { limit: 10, windowMs: hour },
  device_code_network: { limit: 30, windowMs: 10 * minute },
  device_code_backoff: { limit: 1, windowMs: 15_000 },
  reports: { limit: 100, windowMs: hour },
  operator: { limit: 20, windowMs: minute },
  events: { limit: 600, windowMs: minute },
  telemetry_bytes: { limit: 5 * megabyte, windowMs: day },
  report_bytes: { limit: 2 * megabyte, windowMs: day },
}

export type Rates = 'off' | Partial<Record<RateName, Rate | 'off'>>

/** The rate by name under a configuration, or null when it is off. */
export function rateOf(rates: Rates | undefined, name: RateName): Rate | null {
  if (rates === 'off') return null
  const set = rates?.[name]
  return set === 'off' ? null : (set ?? defaultRates[name])
}

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
      await within(limiterMs, async () => limiter.refund?.({ key: `${name}:${key}`, rate, now }))
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

/**
 * A sliding window as two counters: the calls of the aligned window that `start` begins, and those of the one before, which
 * count for the share of it that still lies within the last `windowMs`.
 */
export interface Window {
  readonly start: number
  readonly current: number
  readonly previous: number
}

/** Where the aligned window of `now` begins. */
export const windowStart = ({ windowMs }: Rate, now: number): number => now - (now % windowMs)

/** The window moved on to `now`. One that begins a little later stays: another host's clock is ahead of ours. */
export function movedTo(window: Window | undefined, rate: Rate, now: number): Window {
  const start = windowStart(rate, now)
  if (!window || window.start + rate.windowMs < start || window.start > now + clockSkewMs)
    return { start, current: 0, previous: 0 }
  if (window.start >= start) return window
  return { start, current: 0, previous: window.current }
}

/** How much of the window before still counts: 1 at the turn, 0 at the end. */
export function weight({ start }: Window, { windowMs }: Rate, now: number): number {
  return Math.min(1, Math.max(0, 1 - (now - start) / windowMs))
}

/** Whole calls that the window has room for. */
export function room(window: Window, rate: Rate, now: number): number {
  return Math.max(0, Math.floor(rate.limit - window.current - window.previous * weight(window, rate, now)))
}

/** Milliseconds until there is room for a call of this cost, if nobody calls before. */
export function waitMs({ start, current, previous }: Window, { limit, windowMs }: Rate, now: number, cost = 1): number {
  const share = (calls: number, left: number): number =>
    calls <= left || calls === 0 ? 0 : 1 - Math.max(0, left) / calls
  const at =
    current + cost <= limit
      ? start + share(previous, limit - current - cost) * windowMs
      : start + windowMs + share(current, limit - cost) * windowMs
  return Math.max(1, Math.ceil(at - now))
}
