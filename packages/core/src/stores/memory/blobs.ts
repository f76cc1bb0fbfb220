import type { Blobs, Clock } from '../../ports.ts'
import { systemClock } from '../../system.ts'

/** Blobs in a Map. `clock` dates them. */
export function memoryBlobs(clock: Clock = systemClock): Blobs {
  const blobs = new Map<string, { bytes: Uint8Array; writtenAt: number }>()
  return {
    // Copies, since the caller may go on using what it handed over or was given.
    async put(key, bytes) {
      blobs.set(key, { bytes: bytes.slice(), writtenAt: clock() })
    },
    async get(key) {
      return blobs.get(key)?.bytes.slice() ?? null
    },
    async delete(key) {
      blobs.delete(key)
    },
    async stale(before, limit, after) {
      const keys = [...blobs].filter(([key, { writtenAt }]) => key > after && writtenAt < before).map(([key]) => key)
      return keys.sort((a, b) => (a < b ? -1 : 1)).slice(0, limit)
    },
  }
}
