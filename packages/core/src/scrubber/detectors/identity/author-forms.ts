import { IN_HOME } from '../../engine/code.ts'
import type { FoundText } from '../../engine/detect.ts'
import type { Sketched } from '../../engine/fold.ts'
import type { OwnedForm } from '../../engine/known-forms.ts'
import type { Meter, Steps } from '../../engine/meter.ts'
import type { Finding } from '../../engine/rule.ts'
import { HOST, PERSON } from '../../rules/categories.ts'
import { commonWords } from '../../rules/common-words.ts'
import { publicOwners } from '../../rules/nobody.ts'
import { isMadeOfName } from './address-owner.ts'
import { formsOf, latinForms, romanize } from './forms.ts'
import { formsOfHost, labelOf, mailHostOf } from './known-identity.ts'
import { capitalize } from './learned-identity.ts'

/**
 * Returns the forms of the author's mail hosts, and of the name that an account and an address give together. An
 * address belongs to the author if it was made from a proven name or account: `jane.roe@acme.io` from `/home/jroe`. If
 * a folder of a home directory (`~/acmetools`) is the only evidence for a host, other forms of the host are replaced
 * elsewhere only if they are distinctive.
 */
export function* formsOfAuthor(
  identities: readonly Finding[],
  texts: readonly FoundText[],
  meter: Meter,
): Steps<OwnedForm[]> {
  const own = unique(identities.filter(({ rule }) => rule.own))
  const authors = [...own, ...unique(identities.filter(({ value }) => own.includes(initialsOf(value))))]
  const addresses = texts.flatMap(({ found = [] }) => found.filter(({ rule }) => rule.category === 'email'))
  const forms: OwnedForm[] = []
  for (const address of unique(addresses)) {
    const [host = ''] = mailHostOf(address)
    const label = labelOf(host) ?? ''
    const isCompany = label.length > 5 && !commonWords.has(label) && !publicOwners.has(label)
    const [local = ''] = address.split('@')
    const names = namesOfBoth(authors, local)
    let name: string | undefined
    let isHome = false
    for (const { content } of texts) {
      name ??= names.find((one) => content.text.includes(one))
      isHome ||= isCompany && isFolder(label, content.text)
      if (meter.spend(content.text.length >> 3)) yield
    }
    const isOwn = name !== undefined || authors.some(ownerOf(local))
    if (name) for (const form of formsOf('person', name)) forms.push({ form, value: name.toLowerCase(), rule: ownName })
    if (isCompany && (isOwn || isHome))
      for (const form of formsOfHost(host))
        forms.push({ form, value: host, rule: isOwn || form.text === host ? ownHost : homeHost })
  }
  return forms
}

/** The maximum number of authors, and of addresses, that are compared with each other. */
const MOST = 64
const unique = (found: readonly Finding[]): string[] => [...new Set(found.map(({ value }) => value))].slice(0, MOST)

const ownHost = { id: 'own-host', ...HOST, kind: 'known', own: true } as const
const homeHost = { id: 'own-host', ...HOST, own: true } as const
const ownName = { id: 'author', ...PERSON, own: true } as const

/** Returns the initials of a name of three or more words, which may be an account: `jvr`. */
function initialsOf(name: string): string {
  const words = name.split(/[ -]/)
  return words.length > 2 ? words.map((word) => word.charAt(0)).join('') : name
}

/** Returns a function that tells whether an address was made from a name or an account. */
function ownerOf(local: string): (author: string) => boolean {
  const parts = local.replace(/\d+$/, '').split(/[._-]/)
  const accounts = new Set(formsOf('person', parts.join(' ')).map(({ text }) => text.toLowerCase())).add(parts.join(''))
  return (author) => (author.includes(' ') ? isMadeOfName(parts, author) : accounts.has(author))
}

/** Returns full names: the first name is the address (`jane@`), and the last name is in the account (`jroe`). */
const namesOfBoth = (accounts: readonly string[], local: string): string[] =>
  accounts
    .filter((account) => /^[a-z]{3,}$/.test(local) && /^[a-z]{5,}$/.test(account) && account[0] === local[0])
    .map((account) => capitalize(`${local} ${account.slice(1)}`.toUpperCase()))

function isFolder(label: string, text: string): boolean {
  for (let at = text.indexOf(label), n = 0; at >= 0 && n < MOST; at = text.indexOf(label, at + label.length), n++)
    if (
      IN_HOME.test(text.slice(Math.max(0, at - 120), at)) &&
      !/^[\w.]/.test(text.slice(at + label.length, at + label.length + 1))
    )
      return true
  return false
}

/** Letters with diacritics. A name may contain such a letter instead of the ASCII letter in its host. */
const OTHER = '\u00c0-\u024f\u1e00-\u1eff'
const LETTER = /[\p{L}\p{M}\d]/u
/** The number of characters that one step searches. A name may end up to `MARGIN` characters later. */
const PIECE = 65_536
const MARGIN = 64
/** The maximum number of spellings of one label. */
const MOST_SPELLINGS = 16

/** The maximum number of labels whose other spellings are searched, and the form of such a label. */
const MOST_LABELS = 4
const LABEL = /^[a-z\d]{6,40}$/

/** Returns the other spellings of the host labels in a list of forms. */
export function* spellings(forms: readonly OwnedForm[], texts: readonly Sketched[], meter: Meter): Steps<OwnedForm[]> {
  const found: OwnedForm[] = []
  const labels = forms.filter(({ form }) => form.isLabel && LABEL.test(form.text))
  for (const owned of labels.slice(0, MOST_LABELS))
    for (const text of yield* spellingsOf(owned.form.text, texts, meter)) found.push({ ...owned, form: { text } })
  return found
}

/**
 * Finds the names in a trace from which the label of a host was made: `Thistle & Kiln` for `thistleandkiln`,
 * `Brückenkopf` for `brueckenkopf`. Words in lower case are not a name.
 */
function* spellingsOf(label: string, texts: readonly Sketched[], meter: Meter): Steps<Set<string>> {
  const letters = label.replace(/and|[aou]e|aa|ss|[^]/g, (part, at) => (at > 0 ? '[ -]?' : '') + lettersOf(part))
  const pattern = new RegExp(
    `${letters}|[${beginningsOf(label)}][\u0370-\u04ff]{1,29}(?=( [\u0370-\u04ff]{2,30})?)`,
    'g',
  )
  const found = new Set<string>()
  const tested = new Set<string>()
  for (const { text } of texts)
    for (let from = 0; from < text.length && found.size < MOST_SPELLINGS; from += PIECE) {
      for (const { 0: name, 1: next = '', index } of text.slice(from, from + PIECE + MARGIN).matchAll(pattern)) {
        const [before = '', after = ''] = [text[from + index - 1], text[from + index + name.length]]
        if (LETTER.test(before) || LETTER.test(after) || /^[a-z]+$|^[a-z]+ [a-z]+$/.test(name)) continue
        for (const one of [name, name + next]) {
          if (!tested.has(one) && isMade(label, one)) found.add(one)
          tested.add(one)
        }
      }
      if (meter.spend(PIECE >> 2)) yield
    }
  return found
}

/** Returns the Cyrillic and Greek letters with which a spelling of a label may begin. */
const beginningsOf = (label: string): string =>
  Array.from({ length: 0x190 }, (_, i) => String.fromCharCode(0x370 + i))
    .filter((letter) => /\p{L}/u.test(letter) && label.startsWith(romanize(letter).toLowerCase() || '?'))
    .join('')

const isMade = (label: string, name: string): boolean =>
  latinForms(name.replace('&', 'and').replace(/[ -]/g, '')).some((latin) => latin.toLowerCase() === label)

/** Returns a regular expression for letters of a label. One letter with a diacritic may replace two letters. */
const lettersOf = (part: string): string =>
  part === 'and'
    ? '(?:[aA][nN][dD]|&)'
    : [...part].map((letter, i) => `[${letter}${letter.toUpperCase()}${OTHER}]${i > 0 ? '?' : ''}`).join('')
