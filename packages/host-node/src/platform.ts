import { hash, randomFillSync } from 'node:crypto'
import type { Digest, Random } from '@tributary/core'

/** Computes SHA-256 by OpenSSL in one call, because creating a hash object takes as long as hashing 2 KB. */
export const nodeDigest: Digest = (data) => hash('sha256', data, 'buffer')

const pool = new Uint8Array(8192)
let position = pool.length

/** Returns random bytes of the system. Fetches 8 KiB at a time, because a call costs more than the bytes. */
export const nodeRandom: Random = (length) => {
  if (length > pool.length / 4) return randomFillSync(new Uint8Array(length))
  if (position + length > pool.length) {
    randomFillSync(pool)
    position = 0
  }
  const bytes = pool.slice(position, position + length)
  pool.fill(0, position, position + length)
  position += length
  return bytes
}

/** Yields to the event loop. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
