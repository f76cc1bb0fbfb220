import type { StoredExport } from './store.ts'

const second = 1000
const minute = 60 * second

/** How long a lease is valid, and after how long it is renewed, in milliseconds. */
export const leaseMs = 30 * second
export const renewMs = 10 * second
/** How long a prepared export can be downloaded, in milliseconds. */
export const exportMs = 60 * minute
/** How often a worker deletes expired exports, in milliseconds. */
export const sweepMs = minute
/** The most attempts at an export. An erasure is tried until it is done. */
export const maxAttempts = 5

/** Returns how many milliseconds to wait after an attempt, 1 for the first. */
export function waitAfter(attempt: number): number {
  return Math.min(2 ** (attempt - 1) * 5 * second, 5 * minute)
}

export const filename = 'tributary-account.json'
type Attempted = Pick<StoredExport, 'id' | 'attempt'>

/**
 * Returns the key of an export that is one blob. Each attempt has its own keys, because a worker that lost its lease
 * may still write.
 */
export const exportKey = ({ id, attempt }: Attempted): string => `export/${id}/${attempt}`
export const exportPartKey = (attempted: Attempted, part: number): string => `${exportKey(attempted)}/${part}`

/** Returns the keys of the blobs of an export. */
export function exportKeys(stored: StoredExport): string[] {
  return stored.url === null
    ? Array.from({ length: stored.parts }, (_, part) => exportPartKey(stored, part))
    : [exportKey(stored)]
}
