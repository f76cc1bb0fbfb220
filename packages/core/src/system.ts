import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import type { Clock, Digest, Fetch, Logger, Random, Tokenizer } from './ports.ts'

/** The platform's clock, for a service without a clock in its options. No other code of core reads this clock. */
export const systemClock: Clock = () => Date.now()

/**
 * Wraps a clock that can be set into a monotonic clock. The monotonic clock never runs backwards and advances at most
 * `most` milliseconds per call, so that the time for which a machine was suspended is not counted.
 */
export function monotonicClock(clock: Clock, most: number): Clock {
  let [last, sum] = [clock(), 0]
  return () => {
    const now = clock()
    sum += Math.min(Math.max(now - last, 0), most)
    last = now
    return sum
  }
}

/** The platform's Web Crypto randomness, for a service without randomness in its options. */
export const systemRandom: Random = (length) => crypto.getRandomValues(new Uint8Array(length))

/** SHA-256 in plain JavaScript (@noble/hashes), so that core runs on platforms without `node:crypto`. */
export const defaultDigest: Digest = (data) => sha256(typeof data === 'string' ? utf8ToBytes(data) : data)

/** Yields to the event loop by a macrotask. The only timer of core. */
export const systemYield = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

/**
 * Writes warnings and errors to the console, for a service without a logger in its options, so that problems are
 * visible by default.
 */
/* oxlint-disable no-console, no-restricted-globals -- a default of the platform, like the clock above */
export const consoleLogger: Logger = {
  info() {},
  warn: (fields, message) => console.warn(`tributary ${message}`, fields),
  error: (fields, message) => console.error(`tributary ${message}`, fields),
}
/* oxlint-enable no-console, no-restricted-globals */

/** The platform's `fetch`, read at each call. */
export const systemFetch: Fetch = (...request) => fetch(...request)

/** A logger that discards every line. */
export const silentLogger: Logger = { info() {}, warn() {}, error() {} }

/**
 * Estimates one token per four UTF-16 code units. A service without a tokenizer in its options counts the tokens of
 * each scrubbed message with this estimate.
 */
export const estimateTokenizer: Tokenizer = { name: 'estimate-4-chars', count: (text) => Math.ceil(text.length / 4) }
