import { lazy, type Lazy } from '../http/lazy.ts'
import type { EncryptionDeps } from '../ingest/encryption.ts'
import type { Intake, IntakeDeps } from '../ingest/intake.ts'
import type { Blobs, Clock } from '../ports.ts'
import type { Scrubber } from '../scrubber/index.ts'
import { VERSION } from '../scrubber/version.ts'
import { monotonicClock } from './system.ts'

/** What one call of the default scrubber may take: a batch of 64 MB in one trace takes 3 s. */
const scrubLimitMs = 20_000

/**
 * The scrubber of the options, or the one with the whole table, loaded when the first text is to be scrubbed. A table that does
 * not load is an error for who asks. Its version is known without it.
 */
export function resolveScrubber(
  given: Scrubber | undefined,
  clock: Clock,
): { scrubVersion: string; scrubber: Lazy<Scrubber> } {
  if (given) return { scrubVersion: given.version, scrubber: () => given }
  const load = async (): Promise<Scrubber> =>
    (await import('../scrubber/index.ts')).createScrubber({
      now: monotonicClock(clock, scrubLimitMs / 2),
      limitMs: scrubLimitMs,
    })
  return { scrubVersion: VERSION, scrubber: lazy(load) }
}

/** Blobs whose content is encrypted at rest; what does it is loaded with the first upload. */
export function encryptUploads(deps: EncryptionDeps): Blobs {
  const { blobs } = deps
  const encrypted = lazy(async () => (await import('../ingest/encryption.ts')).encryptedBlobs(deps))
  return {
    put: async (key, bytes) => (await encrypted()).put(key, bytes),
    get: async (key) => (await encrypted()).get(key),
    delete: (key) => blobs.delete(key),
    stale: (before, limit, after) => blobs.stale(before, limit, after),
    ...(blobs.presign
      ? { presign: (key: string, bytes: number, expiresAt: number) => blobs.presign!(key, bytes, expiresAt) }
      : {}),
  }
}

/** The intake of this thread, loaded with the first batch. */
export function lazyIntake(deps: IntakeDeps): Intake {
  const intake = lazy(async () => (await import('../ingest/intake.ts')).inlineIntake(deps))
  return { receive: async (...batch) => (await intake()).receive(...batch) }
}
