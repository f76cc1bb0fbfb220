import { IN_HOME } from '../../engine/account.ts'
import type { FoundText } from '../../engine/detect.ts'
import type { OwnedForm } from '../../engine/known-forms.ts'
import type { Meter, Steps } from '../../engine/meter.ts'
import type { Finding } from '../../engine/rule.ts'
import { HOST, PERSON } from '../../rules/categories.ts'
import { commonWords } from '../../rules/common-words.ts'
import { publicOwners } from '../../rules/public-owners.ts'
import { isMadeOfName } from './address-owner.ts'
import { formsOf } from './forms.ts'
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
