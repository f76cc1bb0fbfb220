import { commonWords, publicOwners } from '../../rules/common-words.ts'
import { accountWords, organizationWords, personWords, roleWords } from '../../rules/identity-words.ts'
import { nobody } from '../../rules/nobody.ts'
import type { Finding, Rule } from '../../engine/rule.ts'
import { readOnce } from '../../engine/remember.ts'
import { isPlaceholderWord } from '../secrets/placeholder-word.ts'
import type { FieldKind } from './field-name.ts'
import { isAccount, isPersonName, isSingleName, type IdentityKind } from './forms.ts'
import { isPerson } from './home-directory.ts'
import { pushIdentity } from './learned-identity.ts'

/** How a value is written. */
export interface Site {
  /** In quotes, in a cell or in an element: all of it is the value. */
  readonly isWhole: boolean
  /** The field stands where data stands and no code: its own name is in quotes, or it begins its line. */
  readonly isData: boolean
}

type Identity = readonly [kind: IdentityKind, as: Pick<Rule, 'category' | 'placeholder'>]
const PERSON: Identity = ['person', { category: 'person', placeholder: 'PERSON' }]
const ACCOUNT: Identity = ['account', { category: 'account_name', placeholder: 'ACCOUNT' }]
const ORGANIZATION: Identity = ['organization', { category: 'organization', placeholder: 'ORG' }]
const HOST: Identity = ['host', { category: 'host_name', placeholder: 'HOST' }]
const CLOUD_ID: Identity = ['id', { category: 'cloud_account', placeholder: 'CLOUD_ID' }]

/** Returns a value that is the name of a field is a variable: `user=recipient`. */
const isFieldWord = (word: string): boolean =>
  personWords.has(word) || roleWords.has(word) || accountWords.has(word) || organizationWords.has(word)
const isOrdinary = (word: string): boolean => {
  const lower = word.toLowerCase()
  return lower.length < 2 || nobody.has(lower) || isFieldWord(lower) || commonWords.has(lower) || /^\d+$/.test(word)
}
/** Returns whether each part of a value is an everyday word: `platform-team`, `currentUser`, `my_app`. */
const isMadeOfWords = (value: string): boolean =>
  isOrdinary(value) ||
  value
    .replace(/([a-z\d])([A-Z])/g, '$1-$2')
    .split(/[-_. ]+/)
    .every((part) => isOrdinary(part) || isOrdinary(part.replace(/\d+$/, '')))

const HANDLE = /^[A-Za-z\d](?:[\w.-]{1,37}[A-Za-z\d_])$/
/** What a function does, and what a value of code looks like. */
const CODE =
  /^(?:get|set|find|list|create|update|delete|is|has|search|book|cancel|send|add|remove|make|do|run|fetch|load|on|use|handle|calculate|transfer|check|read|write)_|[a-z][A-Z]|^[A-Z]+_[A-Z_]+$|\.(?:[a-z]{1,4}|name|login|username|email|id|user)$|_(?:\d|user)$|^v?\d|^[a-f\d]{7,40}$|--/

/** Returns whether a value may be an account: one word that no program, no role and no type has. */
export const isHandle = (value: string): boolean =>
  HANDLE.test(value) &&
  /[A-Za-z]{2}/.test(value) &&
  !CODE.test(value) &&
  (/[a-z]/.test(value) || value.length > 5) &&
  isAccount(value) &&
  isPerson(value) &&
  !isMadeOfWords(value) &&
  !isPlaceholderWord(value)

const ORGANIZATION_NAME = /^[\p{L}\d][\p{L}\p{M}\d&'’.,-]{1,40}(?: [\p{L}\d&][\p{L}\p{M}\d&'’.,-]{0,40}){0,4}$/u
const isOrganization = (value: string, { isWhole }: Site): boolean =>
  ORGANIZATION_NAME.test(value) &&
  value.length > 2 &&
  (value.includes(' ') ? /^[\p{Lu}\d]/u.test(value) : !value.includes('.') && (isWhole || !CODE.test(value))) &&
  /\p{L}{3}/u.test(value) &&
  !publicOwners.has(value.toLowerCase()) &&
  !isMadeOfWords(value) &&
  isAccount(
    value
      .replace(/[^\x00-\x7f]/g, 'x')
      .replace(/[^A-Za-z\d]+/g, '-')
      .slice(0, 30),
  ) &&
  !isPlaceholderWord(value)

const MACHINE = /^[A-Za-z][\w-]{2,62}(?:\.[\w-]{1,63}){0,4}$/
/** The name of one machine, not of a service: it has a number or a hyphen, and no domain but a private one. */
const ONE_MACHINE =
  /^(?=[^.]*[-\d])[A-Za-z][\w-]{3,62}(?:\.(?:local|lan|home|internal|corp|fritz\.box|localdomain))?$|\.(?:local|lan|home|corp|fritz\.box)$/
/** Words in a host name that mean a personal computer. */
const OWN_MACHINE = /(?:laptop|desktop|thinkpad|macbook|mbp|imac|workstation)/i
const isMachine = (value: string, kind: FieldKind): boolean =>
  MACHINE.test(value) &&
  (kind === 'machine' && !value.includes('.') ? /[-\d]|^[a-z]+$/.test(value) : ONE_MACHINE.test(value)) &&
  (!isMadeOfWords(value.replace(/\..*/, '')) || OWN_MACHINE.test(value)) &&
  !isPlaceholderWord(value) &&
  !/^(?:localhost|example|ip-\d|[0-9a-f]{12}$)|[a-z][A-Z]/.test(value)

const IDENTIFIER =
  /^(?:[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-f]{20,40}|\d{6,20}|(?=[A-Za-z_]*\d)(?=[\d_]*[A-Za-z])[A-Za-z\d_]{10,40})$/
const SAMPLE = /^(?:0?1234567890?\d*|9876543210.*|(\d{4})\1+|(.)\2+|0{6,}.*|550e8400-e29b.*|.*(?:example|your|xxx).*)$/i

/** `JANE P ROE`, as it stands on a card. */
const isCapitalName = (value: string): boolean =>
  /^\p{Lu}[\p{Lu}'’-]{2,}(?: \p{Lu}\.?)?(?: \p{Lu}[\p{Lu}'’-]{2,}){1,2}$/u.test(value) &&
  isPersonName(value.replace(/(?<=\p{L})\p{L}+/gu, (rest) => rest.toLowerCase()))
/** `Jane R.` */
const FIRST_WITH_INITIAL = /^\p{Lu}\p{Ll}{2,20} \p{Lu}\.$/u

/** Returns what a value of a field is; null for one that names nobody. */
function classifyValue(kind: FieldKind, value: string, site: Site): Identity | null {
  if (kind === 'id') return IDENTIFIER.test(value) && !SAMPLE.test(value) ? CLOUD_ID : null
  if (kind === 'machine' || kind === 'host') return isMachine(value, kind) ? HOST : null
  if (kind === 'organization') return isOrganization(value, site) ? ORGANIZATION : null
  if (isPersonName(value) || (site.isData && isCapitalName(value))) return PERSON
  if (kind === 'role' || !site.isData) return null
  if (kind === 'person' && FIRST_WITH_INITIAL.test(value)) return PERSON
  if (kind === 'person' && /^\p{Lu}\p{Ll}{2,20}$/u.test(value))
    return isSingleName(value) && !isMadeOfWords(value) && isPerson(value) && !publicOwners.has(value.toLowerCase())
      ? PERSON
      : null
  return isHandle(value) && /^[a-z\d]|^[A-Z\d]+$/.test(value) ? ACCOUNT : null
}

/** What a review or an invitation says of a person, in brackets behind the name. */
const STATE =
  /\((?:changes requested|approved|commented|pending|dismissed|requested|optional|guest|via [\w ]{2,20})\)/gi

/** Several names in one value: `Jane Roe, Max Doe`, `jroe and mdoe`, `Jane Roe (jroe)`. */
const ITEM = /[^,;&()<>]+/g
const SEVERAL = /[,;&()<>]| (?:and|und|et|y) |\\and /

/**
 * Adds who is named in the value of a field.
 * @param value a name or several, without quotes.
 */
export function pushNamed(
  kind: FieldKind,
  value: string,
  start: number,
  site: Site,
  rule: Finding['rule'],
  found: Finding[],
): void {
  const whole = classifyTrimmed(kind, value, site)
  if (whole) return push(whole, start, rule, found)
  if (kind === 'id' || kind === 'machine' || kind === 'host') return
  if (!SEVERAL.test(value)) return
  const people = lastNamesFirst(value)
  if (people) {
    for (const { named, at } of people) push(named, start + at, rule, found)
    return
  }
  const of = `${kind} ${site.isWhole} ${site.isData} ${value}`
  const items = readOnce(found, namesIn, of, () => namesIn(kind, value, site))
  // Amid words that name nobody a single one is a word too: `user: sorry, I meant the other`.
  const isList =
    site.isWhole || items.every(({ named, isOneWord }) => named !== null || (isOneWord && kind === 'person'))
  for (const { named, at } of items)
    if (named && (isList || named.identity === PERSON)) push(named, start + at, rule, found)
}

/** Splits `Roe, Jane and Doe, Max`, as bibliographies write it; null for any other list. */
function lastNamesFirst(value: string): { named: Named; at: number }[] | null {
  if (!/^[^,]+, [^,]+ and [^,]+, [^,]+/.test(value)) return null
  let at = 0
  return value
    .split(' and ')
    .map((name) => {
      const person = { named: { identity: PERSON, name, lead: 0 }, at }
      at += name.length + 5
      return person
    })
    .filter(({ named }) => isPersonName(named.name))
}

interface Item {
  readonly at: number
  readonly named: Named | null
  readonly isOneWord: boolean
}

function namesIn(kind: FieldKind, value: string, site: Site): Item[] {
  const names = value.replace(STATE, (state) => ' '.repeat(state.length))
  return [...names.matchAll(ITEM)].flatMap(({ 0: item, index }) => {
    let at = index
    return item.split(/( and | und | et | y |\\and )/).flatMap((part, i) => {
      const from = at
      at += part.length
      return i % 2 === 1 || part.trim() === ''
        ? []
        : [{ at: from, named: classifyTrimmed(kind, part, site), isOneWord: !part.trim().includes(' ') }]
    })
  })
}

/** The word in a placeholder of ours. */
const PLACEHOLDER = /^[A-Z][A-Z0-9_]*_\d+$/

interface Named {
  readonly identity: Identity
  readonly name: string
  readonly lead: number
}

function classifyTrimmed(kind: FieldKind, value: string, site: Site): Named | null {
  const lead = /^[\s@*_"'`]*/.exec(value)![0].length
  const name = value.slice(lead).replace(/[\s*_"'`.,:;!?-]+$/, '')
  const isRead = name.length > 1 && name.length < 80 && !PLACEHOLDER.test(name)
  const identity = isRead ? classifyValue(kind, name, site) : null
  return identity && { identity, name, lead }
}

function push(
  { identity: [kind, as], name, lead }: Named,
  start: number,
  { id }: Finding['rule'],
  found: Finding[],
): void {
  pushIdentity(kind, name, start + lead, { id, ...as }, found)
}
