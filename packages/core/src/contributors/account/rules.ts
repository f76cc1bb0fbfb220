import type { StoredExport } from './store.ts'

/** The time for which a prepared export can be downloaded, in milliseconds. */
export const exportMs = 60 * 60_000
/** The maximum number of attempts to prepare an export. An erasure is retried until it succeeds. */
export const maxExportAttempts = 5

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
