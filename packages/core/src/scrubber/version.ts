import type { AsyncDetector, Detector, Rule } from './engine/rule.ts'
import type { PackId } from './engine/scrubber-types.ts'

/**
 * Stored with every trace, so that traces which an older scrubber read can be found. A date and a number of that
 * day: raise it whenever a rule, a detector or the decoding changes what comes out. `version.test.ts` fails when the
 * output of the labelled cases changes and this does not.
 */
export const VERSION = '2026-11-24.34'

/**
 * Returns `VERSION`, followed by a digest of the rules and detectors that an app adds, and of the packs that it leaves
 * out.
 */
export function versionOf(
  added: readonly Rule[],
  detectors: readonly (Detector | AsyncDetector)[],
  without: readonly PackId[] = [],
): string {
  if (added.length === 0 && detectors.length === 0 && without.length === 0) return VERSION
  const content = JSON.stringify([
    added.map(({ pattern, valid, ...rule }) => ({ ...rule, pattern: String(pattern), valid: String(valid) })),
    detectors.map((detector) =>
      'detect' in detector
        ? [detector.id, detector.version, 'async']
        : [detector.id, detector.version, detector.category, detector.placeholder],
    ),
    ...without.map((id) => `without ${id}`),
  ])
  return `${VERSION}+${hash(content, 31)}${hash(content, 37)}`
}

/** FNV-1a, six digits of it: it tells versions apart, and SHA-256 would take 5 KB of a browser's bundle. */
function hash(text: string, seed: number): string {
  let value = 0x811c9dc5 ^ seed
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  return ((value ^ (value >>> 15)) >>> 0).toString(16).padStart(8, '0').slice(2)
}
