import type { Detector, KnownForm } from '../../engine/rule.ts'
import type { Seed } from '../../engine/scrub-trace.ts'
import type { KnownIdentity } from '../../engine/scrubber-types.ts'
import { formsOf } from './forms.ts'

const rule = (placeholder: string): Seed['rule'] => ({ id: 'known-identity', category: 'identity', placeholder })
const BLOCKED = { id: 'blocked-term', category: 'blocked_term', placeholder: 'BLOCKED' }

/**
 * Returns the forms of what is known of the author, and of the terms that the author blocks; blocked terms decide
 * first.
 */
export function seedsOf(identity: KnownIdentity = {}, blockedTerms: readonly string[] = []): readonly Seed[] {
  const { names = [], emails = [], organizations = [], hosts = [] } = identity
  const exact = (value: string): readonly KnownForm[] => [{ text: value }]
  const seeds = (
    values: readonly string[],
    placeholder: string,
    forms: (value: string) => readonly KnownForm[],
  ): Seed[] =>
    values
      .map((value) => value.trim())
      .filter((value) => value.length > 1)
      .map((value) => ({
        value: value.toLowerCase().replaceAll('’', "'"),
        rule: rule(placeholder),
        forms: forms(value),
      }))
  return [
    ...seeds(blockedTerms, 'BLOCKED', exact).map((seed) => ({ ...seed, rule: BLOCKED })),
    ...seeds(emails, 'EMAIL', exact),
    ...seeds(hosts, 'HOST', (host) => exact(host.replace(/^www\./i, ''))),
    ...seeds(organizations, 'ORG', (name) => formsOf('organization', name)),
    ...seeds(names, 'PERSON', (name) => formsOf('person', name)),
  ]
}

/** Creates a detector of phone numbers by their digits, in whatever groups they are written; null for none. */
export function phoneDetector(phones: readonly string[]): Detector | null {
  const patterns = phones
    .map((phone) => phone.replace(/\D/g, ''))
    .filter((digits) => digits.length >= 7 && digits.length <= 15)
    .map((digits) => {
      // The last nine or ten digits: the country's code may be left out, or stand as zeros.
      const national = digits.slice(-Math.min(10, Math.max(7, digits.length - 2)))
      const code = digits.slice(0, digits.length - national.length)
      return `(?<!\\d)(?:(?:\\+|00)?${code}[ ().-]{0,3})?\\(?0?${[...national].join('[ ().\\/-]{0,3}')}(?!\\d)`
    })
  if (patterns.length === 0) return null
  const pattern = new RegExp(patterns.join('|'), 'g')
  return {
    id: 'known-identity',
    category: 'identity',
    placeholder: 'PHONE',
    *find(text) {
      for (const match of text.matchAll(pattern)) yield { start: match.index, end: match.index + match[0].length }
    },
  }
}
