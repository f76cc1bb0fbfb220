import type { AsyncDetector, Detector, Rule } from './engine/rule.ts'
import type { PackId } from './engine/scrubber-types.ts'

/**
 * The version is stored with every trace, so that traces from an older scrubber can be found. It consists of a date and
 * a number within this day. Raise it whenever a change of a rule, a detector or the decoding changes the output.
 * `version.test.ts` fails if the output of the labelled cases changes and the version does not.
 */
export const VERSION = '2026-12-01.5'

/** Returns `VERSION` and a digest of the rules and detectors that an app adds and of the packs that it omits. */
export function versionOf(
  added: readonly Rule[],
  detectors: readonly (Detector | AsyncDetector)[],
  without: readonly PackId[] = [],
): string {
  checkDetectors(detectors)
  if (added.length === 0 && detectors.length === 0 && without.length === 0) return VERSION
  const content = JSON.stringify(
    [
      added.map(({ pattern, valid, ...rule }) => ({ ...rule, pattern: String(pattern), valid: valid ?? 'undefined' })),
      detectors.map((detector) =>
        'detect' in detector
          ? [detector.id, detector.version, 'async']
          : [detector.id, detector.version, detector.category, detector.placeholder],
      ),
      ...without.map((id) => `without ${id}`),
    ],
    (_, part) => (part instanceof RegExp || typeof part === 'function' ? String(part) : part),
  )
  return `${VERSION}+${hash(content, 31)}${hash(content, 37)}`
}

/**
 * Throws for a detector without the fields that a placeholder needs, because plain JavaScript would store
 * `[undefined_1]`.
 */
function checkDetectors(detectors: readonly (Partial<AsyncDetector> | Partial<Detector>)[]): void {
  const ids = new Set<string>()
  for (const [at, detector] of detectors.entries()) {
    const { id = '' } = detector
    const refuse = (what: string): never => {
      throw new Error(`detectors[${at}]${id ? ` (${id})` : ''} ${what}`)
    }
    if (typeof id !== 'string' || !/^[a-z][a-z0-9-]{0,63}$/.test(id))
      refuse('needs an `id` of a-z, 0-9 and "-", such as badge-number')
    if (ids.has(id)) refuse('has the `id` of another detector')
    ids.add(id)
    if ('detect' in detector) continue
    const { category, placeholder, find } = detector as Partial<Detector>
    if (typeof category !== 'string' || !/^[a-z][a-z0-9_]{0,39}$/.test(category))
      refuse('needs a `category` of a-z, 0-9 and "_"')
    if (typeof placeholder !== 'string' || !/^[A-Z][A-Z0-9_]{0,39}$/.test(placeholder))
      refuse('needs a `placeholder` of A-Z, 0-9 and "_"')
    if (typeof find !== 'function') refuse('needs a method `find` or `detect`')
  }
}

/**
 * Returns six hexadecimal digits of an FNV-1a hash, which are enough to distinguish versions. SHA-256 would add 5 KB to
 * the bundle of a browser.
 */
function hash(text: string, seed: number): string {
  let value = 0x811c9dc5 ^ seed
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  return ((value ^ (value >>> 15)) >>> 0).toString(16).padStart(8, '0').slice(2)
}
