import { hash, randomFillSync } from 'node:crypto'
import type { Digest, Random } from '@tributary/core'

/** SHA-256 by OpenSSL, in one call: an object for each hash takes as long as 2 KB do. */
export const nodeDigest: Digest = (data) => hash('sha256', data, 'buffer')

const pool = new Uint8Array(8192)
let at = pool.length

/** Bytes of the system's generator, fetched 8 KiB at a time, since each call to it costs more than the bytes do. */
export const nodeRandom: Random = (length) => {
  if (length > pool.length / 4) return randomFillSync(new Uint8Array(length))
  if (at + length > pool.length) {
    randomFillSync(pool)
    at = 0
  }
  const bytes = pool.slice(at, at + length)
  pool.fill(0, at, at + length)
  at += length
  return bytes
}
