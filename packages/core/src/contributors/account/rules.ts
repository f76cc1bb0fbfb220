import { timestamp, timestampOrNull } from '../../ids.ts'
import type * as z from 'zod'
import type { AccountExport } from './contract.ts'
import type { PreparedExport, StoredExport } from './store.ts'

const second = 1000
const minute = 60 * second

/** How long a lease lasts, and how old it may get before it is renewed. */
export const leaseMs = 30 * second
export const renewMs = 10 * second
/** How long a prepared export may be fetched. */
export const exportMs = 60 * minute
/** How often a worker looks for exports whose time is over. */
export const sweepMs = minute
/** Attempts at an export. An erasure is tried until it is done. */
export const maxAttempts = 5

/** Milliseconds to wait after this attempt, 1 for the first. */
export function waitAfter(attempt: number): number {
  return Math.min(2 ** (attempt - 1) * 5 * second, 5 * minute)
}

export const filename = 'tributary-account.json'
type Attempted = Pick<StoredExport, 'id' | 'attempt'>

/** The key of an export that was published as one blob. Each attempt has its own keys, since a worker that lost its lease may still write. */
export const exportKey = ({ id, attempt }: Attempted): string => `export/${id}/${attempt}`
export const exportPartKey = (of: Attempted, part: number): string => `${exportKey(of)}/${part}`

/** The keys of the blobs that hold an export. */
export function exportKeys(one: StoredExport): string[] {
  return one.url === null ? Array.from({ length: one.parts }, (_, part) => exportPartKey(one, part)) : [exportKey(one)]
}

/** A prepared export as it goes out. */
export function exportView(
  { id, status, requestedAt, bytes, expiresAt, url, secret }: PreparedExport,
  link: (path: string) => string,
): z.input<typeof AccountExport> {
  return {
    id,
    status,
    requestedAt: timestamp(requestedAt),
    bytes,
    expiresAt: timestampOrNull(expiresAt),
    url: status === 'ready' ? (url ?? link(`/api/account/exports/files/${secret}`)) : null,
  }
}
