import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import type { Clock, Digest, Logger, Random, Tokenizer } from '../ports.ts'

/** The platform's clock: the one place of core that reads it, and only for a service whose options name no other. */
export const systemClock: Clock = () => Date.now()

/**
 * A stop watch made of a clock that people and time servers set: it never runs back, and forward by `most` milliseconds
 * at once, so that a machine that slept for a night is not taken for one that worked all night.
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

/** The platform's Web Crypto randomness; the same place for the same reason. */
export const systemRandom: Random = (length) => crypto.getRandomValues(new Uint8Array(length))

/** SHA-256 in plain JavaScript (@noble/hashes), so that core runs where there is no `node:crypto`. */
export const defaultDigest: Digest = (data) => sha256(typeof data === 'string' ? utf8ToBytes(data) : data)

/** A macrotask: whatever waits for the event loop gets its turn. The one timer of core. */
export const systemYield = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

/** Says nothing. */
export const silentLogger: Logger = { info() {}, warn() {}, error() {} }

/** Four UTF-16 units to a token: an estimate, named as one. */
export const estimateTokenizer: Tokenizer = { name: 'estimate-4-chars', count: (text) => Math.ceil(text.length / 4) }
