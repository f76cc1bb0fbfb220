import { lazy, type Lazy } from '../lazy.ts'
import type { EncryptionDeps } from '../ingest/encryption.ts'
import type { Intake, IntakeDeps } from '../ingest/intake.ts'
import type { Blobs, Clock, Verifier } from '../ports.ts'
import type { AsyncDetector, Detector, Scrubber } from '../scrubber/index.ts'
import { versionOf } from '../scrubber/version.ts'
import { monotonicClock } from '../system.ts'

/** The time limit of one call of the default scrubber, in milliseconds. A trace of 64 MB takes 3 s. */
const scrubLimitMs = 20_000

interface ScrubberOptions {
  readonly scrubber?: Scrubber
  readonly detectors?: readonly (Detector | AsyncDetector)[]
  readonly verifier?: Verifier
}

/**
 * Returns the scrubber of the options, or the default scrubber with the given detectors. The default scrubber is loaded
 * when the first text is scrubbed; the call rejects if it does not load. `scrubVersion` includes the version of the
 * verifier and does not require loading. Throws if the verifier's version cannot be stored. Throws if both a scrubber
 * and detectors are given, because that scrubber would not use the detectors.
 */
export function resolveScrubber(
  { scrubber: given, detectors = [], verifier }: ScrubberOptions,
  clock: Clock,
): { scrubVersion: string; scrubber: Lazy<Scrubber> } {
  if (verifier && !/^[a-z0-9.-]{1,64}$/.test(verifier.version))
    throw new Error(`verifier.version must be 1 to 64 of a-z, 0-9, "." and "-", not ${verifier.version}`)
  if (given && detectors.length > 0)
    throw new Error('detectors: pass them to the createScrubber call that makes your `scrubber`')
  const scrubVersion = (given?.version ?? versionOf([], detectors)) + (verifier ? `+${verifier.version}` : '')
  if (given) return { scrubVersion, scrubber: () => given }
  const load = async (): Promise<Scrubber> =>
    (await import('../scrubber/index.ts')).createScrubber({
      now: monotonicClock(clock, scrubLimitMs / 2),
      limitMs: scrubLimitMs,
      detectors,
    })
  return { scrubVersion, scrubber: lazy(load) }
}

/** Returns blobs that encrypt their content at rest. The encryption is loaded with the first upload. */
export function encryptUploads(deps: EncryptionDeps): Blobs {
  const { blobs } = deps
  const encrypted = lazy(async () => (await import('../ingest/encryption.ts')).encryptedBlobs(deps))
  return {
    put: async (key, bytes) => (await encrypted()).put(key, bytes),
    get: async (key) => (await encrypted()).get(key),
    delete: (key) => blobs.delete(key),
    stale: (before, limit, after) => blobs.stale(before, limit, after),
    ...(blobs.presign ? { presign: blobs.presign.bind(blobs) } : {}),
  }
}

/** Returns the intake of this thread, which is loaded with the first batch. */
export function lazyIntake(deps: IntakeDeps): Intake {
  const intake = lazy(async () => (await import('../ingest/intake.ts')).inlineIntake(deps))
  return { receive: async (...batch) => (await intake()).receive(...batch) }
}
