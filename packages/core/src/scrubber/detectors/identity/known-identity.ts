import type { Detector, KnownForm } from '../../engine/rule.ts'
import type { Seed } from '../../engine/scrub-trace.ts'
import type { KnownIdentity } from '../../engine/scrubber-types.ts'
import { commonWords, MAILBOXES } from '../../rules/common-words.ts'
import { formsOf } from './forms.ts'

const rule = (placeholder: string): Seed['rule'] => ({
  id: 'known-identity',
  category: 'identity',
  placeholder,
  kind: 'known',
  own: true,
})
const BLOCKED = { id: 'blocked-term', category: 'blocked_term', placeholder: 'BLOCKED', kind: 'known' } as const

/**
 * Returns the texts to search for: first the author's blocked terms, then all spellings of the author's known identity.
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
    ...seeds(blockedTerms, 'BLOCKED', formsOfTerm).map((seed) => ({ ...seed, rule: BLOCKED })),
    ...seeds(emails, 'EMAIL', exact),
    ...seeds(names, 'PERSON', (name) => [...formsOf('person', name), ...machinesOf(name)]),
    ...seeds(emails.flatMap(accountOf), 'ACCOUNT', (account) =>
      formsOf('account', account).map((form) => (account.length < 4 ? { ...form, weak: true } : form)),
    ),
    ...seeds([...hosts, ...emails.flatMap(mailHostOf)], 'HOST', formsOfHost),
    ...seeds(organizations, 'ORG', (name) => formsOf('organization', name)),
  ]
}

/**
 * Returns the forms of a blocked term. A term of several words is also searched with other characters between them:
 * `Project Nightjar` as `project-nightjar` and `ProjectNightjar`.
 */
function formsOfTerm(term: string): readonly KnownForm[] {
  const words = term.split(/[\s._-]+/)
  const areWords = words.length > 1 && words.every((word) => /\p{L}{2}/u.test(word))
  const joints = words.join('').length < LEAST_JOINED ? [' ', '.', '-', '_'] : [' ', '.', '-', '_', '']
  return [term, ...(areWords ? joints.map((joint) => words.join(joint)) : [])].map((text) => ({ text }))
}
/** Two words with fewer letters may also be one ordinary word, such as `to do` and `todo`. */
const LEAST_JOINED = 7

/** macOS and iOS name a machine after its owner: `Janes-MacBook-Air`. */
const machinesOf = (name: string): KnownForm[] =>
  ['MacBook', 'Mac', 'iMac', 'iPhone', 'iPad'].map((machine) => ({ text: `${name.split(/\s/)[0]}s-${machine}` }))

/** Public mail hosts, which do not identify a company. */
const SHARED =
  /^(?:.*\.)?(?:gmail|googlemail|outlook|hotmail|live|msn|yahoo|ymail|icloud|me|mac|aol|proton|protonmail|pm|gmx|web|t-online|freenet|posteo|mailbox|fastmail|tutanota|tuta|hey|zoho|yandex|mail|inbox|qq|163|126|sina|naver|daum|hanmail|orange|free|laposte|wanadoo|sfr|libero|virgilio|tiscali|wp|onet|interia|o2|seznam|centrum|abv|riseup|sapo|bigpond|optusnet|comcast|verizon|att|cox|btinternet|sky|virginmedia|ziggo|kpn|xs4all|telia|bluewin|duck|relay|users\.noreply|noreply|email|example)(?:\.[a-z]{2,4}){1,2}$/i
/** Services that give anybody a subdomain. The name of such a service does not identify a person. */
const PLATFORM =
  /(?:^|\.)(?:(?:github|gitlab|gitbook|bitbucket|readthedocs|webflow)\.io|(?:pages|workers|fly)\.dev|(?:netlify|vercel|web|framer)\.app|(?:herokuapp|wordpress|substack|medium|myshopify|atlassian)\.com|notion\.site|azurewebsites\.net|codeberg\.page)$/i
/** Second-level domains of countries: `co.uk`, `com.br`. */
const SECOND_LEVEL = /^(?:co|com|org|net|ac|gov|edu|ne|or|gob|gouv)$/i
const accountOf = (email: string): string[] => {
  const local = email.slice(0, email.indexOf('@')).replace(/\+.*/, '')
  return local.length > 2 && !MAILBOXES.test(local) ? [local] : []
}

export const mailHostOf = (email: string): string[] => {
  const host = email.slice(email.indexOf('@') + 1)
  return host.includes('.') && !SHARED.test(host) ? [host] : []
}

/** A label with fewer letters may also be a name in code, even if it is not a common word. */
const longLabel = 6

/** Returns the main label of a host (`acmetools` of `mail.acmetools.co.uk`), or null for the host of a platform. */
export function labelOf(host: string): string | null {
  const own = host.replace(PLATFORM, '')
  if (own === '') return null
  const labels = host.split('.')
  const last = own === host ? labels.length - 2 : own.split('.').length - 1
  return labels[last > 0 && SECOND_LEVEL.test(labels[last] ?? '') ? last - 1 : last] ?? ''
}

/** Returns the forms of a company's host: the host, and its main label, such as `acmetools` of `acmetools.dev`. */
export function formsOfHost(host: string): readonly KnownForm[] {
  const bare = host.replace(/^www\./i, '')
  const label = labelOf(bare)
  if (label === null) return []
  const words = label.split('-')
  const weak = words.length < 2 && (label.length < longLabel || commonWords.has(label.toLowerCase()))
  const joined = ['-', '_', ' ', ''].map((joint) => ({
    text: words.join(joint),
    weak,
    isLabel: joint === '',
    ...(joint === ' ' && { word: label }),
  }))
  // Names of packages, bundles and services, and of their folders, contain the labels in reverse order: `io.acmetools`.
  const reversed = ['.', '/'].map((joint) => ({ text: bare.split('.').reverse().join(joint).replaceAll('-', '_') }))
  return [{ text: bare }, ...(label.length > 3 ? [...reversed, ...joined] : [])]
}

/** Creates a detector of phone numbers by their digits, with any grouping, or null if there are no numbers. */
export function phoneDetector(phones: readonly string[]): Detector | null {
  const patterns = phones
    .map((phone) => phone.replace(/\D/g, ''))
    .filter((digits) => digits.length >= 7 && digits.length <= 15)
    .map((digits) => {
      // At most the last ten digits are required. Each digit before them may be missing, because a country's code has one to
      // three digits and may be left out or written with zeros.
      const national = digits.slice(-Math.min(10, Math.max(7, digits.length - 2)))
      const before = digits
        .slice(0, -national.length)
        .split('')
        .reduce((earlier, digit) => `(?:${earlier}${digit}[ ().-]{0,3})?`, '(?:\\+|00)?')
      return `(?<!\\d)${before}\\(?0?${[...national].join('[ ().\\/-]{0,3}')}(?!\\d)`
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
