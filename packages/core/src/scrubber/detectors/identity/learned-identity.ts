import { beginsWord, isAlnum } from '../../engine/character.ts'
import { matchRule, type Finder, type Findings, type Hit } from '../../engine/findings.ts'
import type { Finding, KnownForm, Rule } from '../../engine/rule.ts'
import { ACCOUNT, HOST, ORGANIZATION, PERSON, USER } from '../../rules/categories.ts'
import { commonWords } from '../../rules/common-words.ts'
import { EVERYBODY, publicOwners } from '../../rules/nobody.ts'
import {
  isAccount,
  isCustomer,
  isOrganizationName,
  isPerson,
  isPersonalAccount,
  isRole,
  isAutomation,
} from './accounts.ts'
import { formsOf, type IdentityKind } from './forms.ts'
import { isEasternName, isPersonName, isSingleName } from './person-name.ts'

/** Returns the usual spelling of a name that is written in capital letters: `JANE ROE` as `Jane Roe`. */
export const capitalize = (name: string): string =>
  /\p{Ll}/u.test(name) ? name : name.toLowerCase().replace(/(?<![\p{L}\p{M}])\p{L}/gu, (letter) => letter.toUpperCase())

/** Adds a finding of an identity with the forms in which it may occur again. */
export function pushIdentity(
  { kind, value, start, rule }: Pick<Finding, 'value' | 'start' | 'rule'> & { readonly kind: IdentityKind },
  found: Findings,
): void {
  push(identify(kind, value, rule), start, found)
}

/** The properties of an identity that are the same wherever its value occurs. */
interface Identity extends Pick<Finding, 'rule' | 'value'> {
  readonly length: number
  readonly forms: () => readonly KnownForm[]
}

export const identify = (kind: IdentityKind, value: string, rule: Finding['rule']): Identity => ({
  length: value.length,
  rule,
  value: kind === 'id' ? value : value.toLowerCase().replaceAll('’', "'"),
  forms: () => formsOf(kind, value),
})

export const push = ({ length, rule, value, forms }: Identity, start: number, found: Findings): void =>
  void found.push({ start, end: start + length, rule, value, forms })

const CLOUD_ID = { category: 'cloud_account', placeholder: 'CLOUD_ID' }
const ACCOUNT_ID = { category: 'account_name', placeholder: 'ACCOUNT_ID' }
/** `J. Roe <jroe@corp.io>` */
export const INITIAL_AND_LAST = /^(?:\p{Lu}\.[ -]?){1,3} ?\p{Lu}[\p{Ll}'’-]{2,}$/u

/** Returns the kind, category and placeholder of a value, or null for a value that identifies no person. */
type Classify = (value: string) => readonly [kind: IdentityKind, as: Pick<Rule, 'category' | 'placeholder'>] | null

const classifyPerson: Classify = (value) =>
  isPersonName(value) || INITIAL_AND_LAST.test(value) ? ['person', PERSON] : null
const EASTERN = /^[\p{Script=Han}가-힣]{2,4}$/u
/** Accepts one word too, because the context shows that the value is a name. A word in lower case is an account. */
export const classifyAuthor: Classify = (value) =>
  EVERYBODY.test(value)
    ? null
    : isPersonName(value) ||
        (/^\p{Lu}\p{Ll}/u.test(value) && isSingleName(value)) ||
        (EASTERN.test(value) && isEasternName(value))
      ? ['person', PERSON]
      : isSingleName(value) && isAccount(value)
        ? ['account', ACCOUNT]
        : null
const classifyAccount: Classify = (value) =>
  !isAccount(value) ? null : isOrganizationName(value) ? ['organization', ORGANIZATION] : ['account', ACCOUNT]
const classifyPersonalAccount: Classify = (value) => (isPersonalAccount(value) ? classifyAccount(value) : null)
const classifyCustomer: Classify = (value) => (isCustomer(value) ? classifyOrganization(value) : null)
const classifyOrganization: Classify = (value) =>
  isAutomation(value) ||
  commonWords.has(value.toLowerCase()) ||
  value.length < 3 ||
  !isAccount(value.replace(/[ ,&]+/g, '-').replace(/[^\x00-\x7f]/g, 'x'))
    ? null
    : ['organization', ORGANIZATION]
/** Hosts of code hosts, examples and containers, which identify no person and no company. */
export const NO_HOST =
  /^(?:localhost|host|hostname|server|machine|example(?:\.(?:com|org|net))?|runner|docker|container|(?:.*\.)?(?:github\.com|gitlab\.com|bitbucket\.org)|.*\.(?:invalid|localhost)|(?:.*\.)?(?:acme|corp|company|domain|my\w*|your\w*|foo|bar|host|server|app|site|demo|api|example|[a-z])\.(?:example|local|test)|ip(?:-\d{1,3}){4}|[0-9a-f]{12}|\d[\d.]*|git\.(?:kernel\.org|sr\.ht|savannah\..*|eclipse\.org|launchpad\.net|example\..*)|ssh\.dev\.azure\.com|vs-ssh\..*|hf\.co|huggingface\.co|aur\.archlinux\.org|.*\.(?:sv\.)?gnu\.org|.*\.readthedocs\.(?:io|org)|heroku\.com|codeberg\.org|gitee\.com|gitcode\.com|coding\.net|.*\.example\.(?:com|org|net)|your[-.].*|my[-.]?(?:server|host).*)$/i
const classifyHost: Classify = (value) =>
  NO_HOST.test(value) ||
  publicOwners.has(/([\w-]+)\.\w+$/.exec(value)?.[1] ?? '') ||
  value.length < 4 ||
  commonWords.has(value.toLowerCase())
    ? null
    : ['host', HOST]
const classifyId: Classify = (value) =>
  /^(?:0?1234567890?1?2?3?4?|9876543210.*|(\d{4})\1{2}|(?:(\d)\2{3}){3}|0{6,}.*|x{4,}|your|my-|<)|EXAMPLE$/i.test(
    value,
  ) ||
  /^(\w)\1+$/.test(value) ||
  isSampleId(value)
    ? null
    : ['id', CLOUD_ID]
/** Returns whether an id consists of sample words and small numbers: `my-project-id`, `foo-test-0`. */
const isSampleId = (value: string): boolean =>
  /[a-z]/.test(value) && value.split('-').every((word) => /^(?:id|\d{1,3})$/.test(word) || isRole(word))

/** An identifier that a service assigned to an account. */
const classifyAccountId: Classify = (value) => classifyId(value) && ['id', ACCOUNT_ID]

const CODE_VALUE =
  /^(?:user|test|guest|admin|name|node|foo|bar|item|field|value|string|v)[-_.]?\d*$|^[a-z]+\d$|[._](?:get|name|id|value|username|email|length|trim)$|^(?:utf|sha|md|int|uint|base|oauth)\d/i
/** A handle that contains a digit, after the name of a field: `user id: mia_li_3668`. */
const classifyUserField: Classify = (value) =>
  isPerson(value) && /[a-z]{3}.*\d/i.test(value) && !CODE_VALUE.test(value) ? ['account', USER] : null

const PLAIN_WORD = /^[A-Za-z\d][\w-]*(?<![_-])$/

/** Returns a value and its shorter forms, because a pattern may also match words after a name. */
function candidatesOf(value: string): readonly string[] {
  if (PLAIN_WORD.test(value)) return [value]
  const whole = value.replace(/(?:['’]s)?[\s.,;:'"-]*$/, '')
  if (!whole.includes(' ')) return [whole]
  const name =
    /^\p{Lu}[^ ]*(?: (?:\p{Lu}[^ ]*|(?:d[aeiou]s?|v[ao]n|la|le)(?= )))*(?: \p{Lu}[^ ]*)?/u.exec(whole)?.[0] ?? ''
  return [whole, name, whole.slice(0, whole.indexOf(' '))].map((part) => part.replace(/(?:['’]s)?[\s.,;:'"-]*$/, ''))
}

/** The classifiers, by the name of a group in a pattern. Digits in the name are ignored. */
const CLASSIFIERS: Readonly<Record<string, Classify>> = {
  person: classifyPerson,
  author: classifyAuthor,
  account: classifyPersonalAccount,
  organization: classifyOrganization,
  host: classifyHost,
  id: classifyId,
  // A holder is a person or a company.
  holder: (value) => classifyPerson(value) ?? classifyOrganization(value),
}

/**
 * Tries the rule's pattern and classifies the value of each group. Without `classify`, the name of a group selects the
 * classifier.
 */
const findBy =
  (classify?: Classify): Finder =>
  ({ text, start, rule, found }) => {
    if (!rule.inside && isAlnum(text, start) && !beginsWord(text, start)) return
    if (rule.kind === 'probable' && found.isCrowded(start, rule.id)) return
    const match = matchRule({ text, start, rule })
    if (!match) return
    let places: RegExpIndicesArray | [] | undefined
    const names = classify ? undefined : match.groups && Object.keys(match.groups)
    for (let group = 1; group < match.length; group++) {
      const value = match[group]
      const classifyGroup = classify ?? CLASSIFIERS[names?.[group - 1]?.replace(/\d+$/, '') ?? '']
      const one = value && classifyGroup ? identifyGroup(classifyGroup, value, rule) : null
      if (!one) continue
      places ??= placesOf({ text, start, rule })
      const place = places[group]
      if (place) push(one, place[0], found)
    }
  }

/** Returns the first form of a value that identifies somebody, or null. */
function identifyGroup(classify: Classify, value: string, rule: Rule): Identity | null {
  for (const candidate of candidatesOf(value)) {
    // The first word of `John Doe` identifies nobody either.
    if (isAutomation(candidate)) return null
    const kind = classify(candidate)
    if (kind) return identify(kind[0], candidate, ruleAs(rule, kind[1]))
  }
  return null
}

/** Returns the fields of a rule that do not depend on the value of a finding. */
export const placeOf = ({ id, kind, own }: Finding['rule']): Pick<Rule, 'id' | 'kind' | 'own'> => ({
  id,
  kind,
  own,
})

const rulesAs = new WeakMap<Rule, Map<Pick<Rule, 'category' | 'placeholder'>, Finding['rule']>>()

/** Returns a rule with the category and placeholder of a kind. Equal calls return the same object. */
function ruleAs(rule: Rule, as: Pick<Rule, 'category' | 'placeholder'>): Finding['rule'] {
  let known = rulesAs.get(rule)
  if (!known) rulesAs.set(rule, (known = new Map()))
  let own = known.get(as)
  if (!own) known.set(as, (own = { ...placeOf(rule), ...as }))
  return own
}

const indexed = new WeakMap<RegExp, RegExp>()

/** Returns the start and the end of each group. This matches again with the flag `d`, which makes a match slower. */
function placesOf({ text, start, rule: { pattern } }: Pick<Hit, 'text' | 'start' | 'rule'>): RegExpIndicesArray | [] {
  if (!pattern) return []
  const again = indexed.get(pattern) ?? new RegExp(pattern, `${pattern.flags}d`)
  indexed.set(pattern, again)
  again.lastIndex = start
  return again.exec(text)?.indices ?? []
}

export const findPersonName = findBy(classifyPerson)
export const findAuthorName = findBy(classifyAuthor)
export const findAccountName = findBy(classifyAccount)
export const findPersonalAccount = findBy(classifyPersonalAccount)
export const findOrganization = findBy(classifyOrganization)
export const findCustomer = findBy(classifyCustomer)
export const findHostName = findBy(classifyHost)
export const findCloudId = findBy(classifyId)
export const findAccountId = findBy(classifyAccountId)
export const findUserField = findBy(classifyUserField)
export const findNamedGroups = findBy()

const OTHER_PART =
  /\\{0,3}["'`]?(?:<\/[\w:]{2,30}>)?\s{0,3},?\s{0,16}<?\\{0,3}["'`]?(?:last_?name|family(?:[_-]?names?)?|surname|first_?names?|gvn_nm|eesnimi|prenume|given(?:[_-]?names?)?|soyad[ıi]?|nazwisko|cognome|prezime|nachname|nom|pr[eé]nom|vorname|nome|imi[eę]|ime|имя|[іi]м['’]я)\\{0,3}["'`]?\s?(?:[:=]>?|>)\s{0,3}\[?\\{0,3}["'`]?(\p{L}[\p{L}\p{M}'’-]{1,30}(?<!['’]))/iuy
const LAST = /^(?:last|family|sur)/i
/** A value that is itself the name of a field, as in translation catalogs: `"first_name": "Vorname"`. */
const FIELD_NAME =
  /^(?:vorname|nachname|pr[ée]nom|nom|nombre|apellidos?|nome|cognome|sobrenome|imi[ęe]|nazwisko|f[oö]rnamn|efternamn|first|last|name|имя|фамилия)$/i

/** The next field, whose value is a word instead of a number or an address, as in a translation catalog. */
const LABELS_BEHIND =
  /^["']?,?\s{1,16}["']?(?:phone|mobile|zip_?code|postcode|e?mail)["']?\s?(?::|=>)\s["']?(?!null)\p{L}[\p{L} -]{4,40}["']?,?(?:\r?\n|$)/u

/** `"first_name": "Jane", "last_name": "Roe"` is one person, so both parts get one placeholder. */
export const findNameParts: Finder = ({ text, start, rule, found }) => {
  const [whole = '', first] = matchRule({ text, start, rule }) ?? []
  if (!first) return
  const end = start + whole.length
  OTHER_PART.lastIndex = end
  const second = OTHER_PART.exec(text)?.[1]
  if (!second || FIELD_NAME.test(first) || FIELD_NAME.test(second)) return
  if (LABELS_BEHIND.test(text.slice(OTHER_PART.lastIndex, OTHER_PART.lastIndex + 80))) return
  const name = LAST.test(text.slice(start, start + 6)) ? `${second} ${first}` : `${first} ${second}`
  if (!isPersonName(capitalize(name))) return
  const forms = (): readonly KnownForm[] => formsOf('person', name)
  const value = name.toLowerCase()
  found.push({ start: end - first.length, end, rule, value, forms })
  found.push({ start: OTHER_PART.lastIndex - second.length, end: OTHER_PART.lastIndex, rule, value, forms })
}
