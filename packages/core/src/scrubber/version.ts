import { bytesToHex } from '@noble/hashes/utils.js'
import { sha256 } from '@noble/hashes/sha2.js'
import type { AsyncDetector, Detector, Rule } from './engine/rule.ts'

/**
 * Stored with every trace, so that traces which an older scrubber read can be found. A date and a number of that
 * day: raise it whenever a rule, a detector or the decoding changes what comes out. `version.test.ts` fails when the
 * output of the labelled cases changes and this does not.
 */
export const VERSION = '2026-11-23.19'

/**
 * Returns `VERSION`, followed by a digest of the rules and detectors that an app adds, and of whether names in prose are
 * left to them.
 */
export function versionOf(
  added: readonly Rule[],
  detectors: readonly (Detector | AsyncDetector)[],
  hasNames = true,
): string {
  if (added.length === 0 && detectors.length === 0 && hasNames) return VERSION
  const content = JSON.stringify([
    added.map(({ pattern, valid, ...rule }) => ({ ...rule, pattern: String(pattern), valid: String(valid) })),
    detectors.map((detector) =>
      'detect' in detector
        ? [detector.id, detector.version, 'async']
        : [detector.id, detector.version, detector.category, detector.placeholder],
    ),
    ...(hasNames ? [] : ['without names']),
  ])
  return `${VERSION}+${bytesToHex(sha256(new TextEncoder().encode(content))).slice(0, 12)}`
}
