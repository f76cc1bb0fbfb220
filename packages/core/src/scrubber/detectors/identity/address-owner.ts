import type { Hit } from '../../engine/findings.ts'
import type { KnownForm } from '../../engine/rule.ts'
import { ACCOUNT, PERSON } from '../../rules/categories.ts'
import { commonWords, MAILBOXES } from '../../rules/common-words.ts'
import { isNobody } from '../personal/email.ts'
import { isAccount, isRole } from './accounts.ts'
import { formsOf, latinForms } from './forms.ts'
import { capitalize, identify, INITIAL_AND_LAST, push, pushIdentity } from './learned-identity.ts'
import { isPersonName, isSingleName } from './person-name.ts'

const BEFORE_ADDRESS =
  /(?:^|[^\p{L}\d'’.-])((?:\p{Lu}[\p{L}\p{M}'’.-]{0,30} )(?:[\p{L}\p{M}'’.-]{1,30} ){0,3}\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?<!['’]))["']?(?: \([^()\n]{1,40}\))? ?<$/u
/** `佐藤 健太 <kenta@corp.jp>` */
const EASTERN_BEFORE_ADDRESS =
  /(?:^|[^\p{L}])([\p{Script=Han}々]{1,4} ?[\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}]{1,4}|[가-힣]{2,4}) ?<$/u
/** Two or three words of a script without letter case, after a label or at the beginning of a line. */
const UNCASED_BEFORE_ADDRESS =
  /(?:^|[:：,،;\n"'(]|\\n)[ \t]{0,4}([\p{Lo}\p{M}\u200c\u05be'’-]{2,24}(?: [\p{Lo}\p{M}\u200c\u05be'’-]{2,24}){1,2}) ?<$/u
/** `jroe = Jane Roe <jane@corp.io>`, the format of `git svn --authors-file`. */
const LOGIN_BEFORE_NAME = /(?:^|[\n`]|\\n)([a-z][\w.-]{1,38}) = $/
/** `Roe, Jane <jane@corp.io>`, but not the end of a list: `Jane Roe, Max Doe, Ann <ann@corp.io>`. */
const LAST_NAME_FIRST =
  /(?:^|[^\p{L}\d'’.-])(?<!, \p{Lu}[\p{L}'’-]{1,30} )((\p{Lu}[\p{L}\p{M}'’-]{1,30}), (\p{Lu}[\p{L}\p{M}'’-]{1,30}(?<!['’])))["']? ?<$/u
/** An account at the beginning of its line or after a label: `Author: jroe <jane@corp.io>`. */
const ACCOUNT_BEFORE_ADDRESS = /(?:(?:^|\n|\\n)[ \t⎿]{0,12}|[:>-] |["'])([A-Za-z][\w.-]{2,38}) <$/

/** Names of headers directly before an address: `author-mail <jane@corp.io>`. */
const LABEL = /mail$|^(?:from|to|cc|bcc|reply-to|sender|contact|author|committer|tagger|maintainer|url|via|by)$/i

/** Returns the longest name at the end of a value. Other words with a capital letter may precede the name. */
function nameAtEnd(words = ''): string | undefined {
  for (let name = words; name.includes(' '); name = name.slice(name.indexOf(' ') + 1))
    if (isPersonName(name) || INITIAL_AND_LAST.test(name)) return name
  return undefined
}

/** A name that a mail header writes in ASCII (RFC 2047): `=?UTF-8?q?Micha=C5=82?=`. */
const ENCODED_NAME = /(?:=\?utf-8\?[bq]\?[^?\s]{1,120}\?=\s?){1,3} ?<$/i
const ENCODED_WORD = /=\?utf-8\?([bq])\?([^?]+)\?=\s?/gi

function decodeName(words: string): string {
  try {
    const bytes = words.replace(ENCODED_WORD, (_, kind: string, word: string) =>
      kind.toLowerCase() === 'b' ? atob(word) : word.replaceAll('_', ' ').replace(/=([\dA-F]{2})/gi, '%$1'),
    )
    return decodeURIComponent(bytes.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`))
  } catch {
    return ''
  }
}

/** Domains that no person has. Names before such an address are samples: `John Smith <john@example.com>`. */
const SAMPLE_DOMAIN = /[@.](?:example\.(?:com|org|net)|\w+\.tld)$/i

/** Finds the owner of a mail address: by the name next to the address, or by the name or account inside the address. */
export function findOwnerOfAddress(address: Omit<Hit, 'rule'>): void {
  const { text, start, end } = address
  if (text[start - 1] === '<' && !SAMPLE_DOMAIN.test(text.slice(start, end))) findNameBeforeAddress(address)
  findNamesake(address)
  findNoreplyAccount(address)
}

/** Finds the name before a mail address in angle brackets, as in trailers, mail headers, manifests and short logs. */
function findNameBeforeAddress({ text, start: at, found }: Omit<Hit, 'rule'>): void {
  const before = text.slice(Math.max(0, at - 130), at)
  const encoded = before.includes('?=') ? ENCODED_NAME.exec(before)?.[0].replace(/\s*<$/, '') : undefined
  const decoded = encoded ? decodeName(encoded).trim() : ''
  if (encoded && isPersonName(decoded)) {
    const person = identify('person', decoded, { id: 'author', ...PERSON })
    push({ ...person, length: encoded.length }, text.lastIndexOf(encoded, at), found)
    return
  }
  const match = BEFORE_ADDRESS.exec(before)
  const reversed = LAST_NAME_FIRST.exec(before)
  const [, written = '', last, first] = reversed ?? []
  const inOrder = `${first} ${last}`
  if (reversed && isPersonName(inOrder)) {
    const forms = (): readonly KnownForm[] => [...formsOf('person', inOrder), { text: written }]
    const start = text.lastIndexOf(written, at)
    const end = start + written.length
    found.push({ start, end, rule: { id: 'author', ...PERSON }, value: inOrder.toLowerCase(), forms })
    return
  }
  const account = match ? undefined : ACCOUNT_BEFORE_ADDRESS.exec(before)?.[1]
  if (account && !/^\p{Lu}/u.test(account) && isSingleName(account) && isAccount(account) && !LABEL.test(account))
    pushIdentity(
      { kind: 'account', value: account, start: text.lastIndexOf(account, at), rule: { id: 'author', ...ACCOUNT } },
      found,
    )
  const name =
    EASTERN_BEFORE_ADDRESS.exec(before)?.[1] ??
    UNCASED_BEFORE_ADDRESS.exec(before)?.[1] ??
    nameAtEnd(match?.[1]?.replace(/^(?:AM|PM|On|From|To|Cc|By|Author|Name) /, ''))
  if (!name) return
  const start = text.lastIndexOf(name, at)
  pushIdentity({ kind: 'person', value: name, start, rule: { id: 'author', ...PERSON } }, found)
  const login = LOGIN_BEFORE_NAME.exec(text.slice(Math.max(0, start - 44), start))?.[1]
  if (login && isAccount(login))
    pushIdentity(
      { kind: 'account', value: login, start: start - login.length - 3, rule: { id: 'author', ...ACCOUNT } },
      found,
    )
}

/** Words that are separated by one space. The first word has a capital letter. */
const WORDS = /\p{Lu}[\p{L}\p{M}'’.-]*(?: [\p{L}\p{M}'’.-]{1,30}){1,5}/gu
/** `jane.roe`, `roe_jane` */
const FULL_NAME = /^[a-z]{3,}[._][a-z]{3,}$/i
const MAILING_LIST = /^@(?:lists?|groups|googlegroups)\./
/** The number of characters before and after an address in which the name of its owner is searched. */
const NEAR = 160
/** The maximum number of addresses in a text whose owners are searched. */
const MOST_OWNERS = 300

/**
 * Finds the name near an address from which the address was made: `Jane Roe | jroe@corp.io`. If there is no such name,
 * the address itself may be a full name (`jane.roe@`), which is then searched in the trace.
 */
function findNamesake({ text, start, end, found }: Omit<Hit, 'rule'>): void {
  if (++found.reachOf('namesake').count > MOST_OWNERS) return
  const at = text.indexOf('@', start)
  const local = text.slice(start, at)
  const parts = local.toLowerCase().replace(/\d+$/, '').split(/[._-]/)
  if (
    isNobody(local, text.slice(at + 1, end)) ||
    isRole(local) ||
    MAILBOXES.test(local) ||
    !parts.some((part) => part.length > 2) ||
    MAILING_LIST.test(text.slice(at, end))
  )
    return
  const rule = { id: 'author', ...PERSON }
  const first = Math.max(0, start - NEAR)
  for (const { 0: words, index } of text.slice(first, end + NEAR).matchAll(WORDS)) {
    const name = namesakeIn(words, parts)
    if (name)
      return pushIdentity({ kind: 'person', value: name, start: first + index + words.indexOf(name), rule }, found)
  }
  const name = capitalize(parts.join(' ').toUpperCase())
  if (!FULL_NAME.test(local) || !isPersonName(name) || parts.some((part) => commonWords.has(part))) return
  const label: KnownForm = { text: parts.join(''), isLabel: true }
  const forms = () => [label, ...formsOf('person', name).filter(({ isPart }) => !isPart)]
  found.push({ start, end: at, rule, value: name.toLowerCase(), forms })
}

/** Returns the longest name in a row of words from which an address was made, by the parts of the address. */
function namesakeIn(row: string, parts: readonly string[]): string | undefined {
  const words = row.split(' ')
  const spelled = latinForms(row).map((latin) => latin.split(' ').map(lettersOf))
  const isShared = spelled.flat().some((word) => word.length > 2 && parts.some((part) => part.includes(word)))
  if (!isShared && !spelled.some((latin) => parts.some((part) => part.length > 3 && latin.join('').includes(part))))
    return undefined
  for (let from = 0; from < words.length - 1; from++)
    for (let to = words.length; to > from + 1; to--) {
      if (!spelled.some((latin) => isMadeOf(parts, latin.slice(from, to)))) continue
      const name = words
        .slice(from, to)
        .join(' ')
        .replace(/[.,'’-]+$/, '')
      if (isPersonName(name)) return name
    }
  return undefined
}

const lettersOf = (word: string): string => word.toLowerCase().replace(/[^a-z]/g, '')

/** Returns whether each part of an address consists of words or initials of a name: `jane.roe`, `jroe`. */
function isMadeOf(parts: readonly string[], words: readonly string[]): boolean {
  const [first = ''] = words
  if (first === '' || !parts.some((part) => part.startsWith(first.charAt(0)) || part.includes(first))) return false
  const joined = words.join('')
  return parts.every((part) =>
    part.length < 3
      ? words.some((word) => word.startsWith(part))
      : (part.length > 3 && joined.includes(part)) ||
        words.some((word) => word.length > 2 && part.includes(word) && part.length < word.length + 4),
  )
}

/** Returns whether an address was made from a name. */
export const isMadeOfName = (parts: readonly string[], name: string): boolean =>
  latinForms(name).some((latin) => isMadeOf(parts, latin.split(/[ -]/).map(lettersOf)))

const NOREPLY = /^(?:\d{1,12}\+)?([A-Za-z\d][A-Za-z\d-]{1,38})@users\.noreply\./i

/** Finds the account in an address that a code host generates: `583231+jane@users.noreply.github.com`. */
function findNoreplyAccount({ text, start, end, found }: Omit<Hit, 'rule'>): void {
  const account = NOREPLY.exec(text.slice(start, end))?.[1]
  if (account && isAccount(account))
    pushIdentity(
      {
        kind: 'account',
        value: account,
        start: text.indexOf('@', start) - account.length,
        rule: { id: 'author', ...ACCOUNT },
      },
      found,
    )
}
