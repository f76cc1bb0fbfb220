import { isPerson } from '../detectors/identity/home-directory.ts'
import type { Rule } from '../engine/rule.ts'
import { commonWords } from './common-words.ts'

/** Returns whether an account is a person's: no role, no service and no everyday word. */
export const isPersonalAccount = (value: string): boolean => isPerson(value) && !commonWords.has(value.toLowerCase())

/** One to five words, of which the first is capitalized; the detector decides whether it is a person's name. */
export const NAME = String.raw`\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?: [\p{L}\p{M}'’.-]{1,30}){0,4}`
/** A name that may be one word in small letters. */
export const AUTHOR = String.raw`[\p{L}][\p{L}\p{M}\d_'’.-]{1,38}(?: [\p{L}\p{M}'’.-]{1,30}){0,4}`
export const LOGIN = String.raw`[A-Za-z\d][\w-]{1,38}`
/** A code host's address before the owner of a repository. */
export const HOST = String.raw`(?:ssh:\/\/)?(?:git@|https?:\/\/(?:[\w-]{1,40}(?::[^@\s]{1,200})?@)?)?(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org|gitea\.com|ghcr\.io)[:/]`
export const END = String.raw`(?=$|[\s"'\\,;<>|)}\]])`
export const Q = '\\\\{0,7}["\'`]'

/** By finder: what its findings are counted and replaced as, where the value does not say otherwise. */
const KINDS = {
  personName: ['person', 'PERSON'],
  authorName: ['person', 'PERSON'],
  nameParts: ['person', 'PERSON'],
  accountName: ['account_name', 'ACCOUNT'],
  organization: ['organization', 'ORG'],
  hostName: ['host_name', 'HOST'],
  cloudId: ['cloud_account', 'CLOUD_ID'],
  accountId: ['account_name', 'ACCOUNT_ID'],
  namedGroups: ['account_name', 'ACCOUNT'],
  processOwners: ['account_name', 'ACCOUNT'],
  accountList: ['account_name', 'ACCOUNT'],
  accountRows: ['account_name', 'ACCOUNT'],
  imageOwners: ['account_name', 'ACCOUNT'],
  windowsAccounts: ['account_name', 'ACCOUNT'],
  peopleList: ['person', 'PERSON'],
  loggedNames: ['person', 'PERSON'],
  shortlog: ['person', 'PERSON'],
} as const

/** Makes a rule of a place that names a person, an account, an organization, a host or a cloud account. */
export const identity = (
  id: string,
  finder: keyof typeof KINDS,
  keywords: readonly string[],
  source: string,
  more: Partial<Rule> & { readonly flags?: string } = {},
): Rule => {
  const { flags = 'uy', ...rest } = more
  const [category, placeholder] = KINDS[finder]
  return { id, category, placeholder, keywords, finder, pattern: new RegExp(source, flags), inside: true, ...rest }
}

/** Returns a pattern of each letter in either case, for words of a pattern whose value is case-sensitive. */
export const any = (words: string): string => words.replace(/[a-z]/g, (char) => `[${char}${char.toUpperCase()}]`)

/** The end of a line, also escaped, with the sign of a diff on the next one. */
export const NL = String.raw`(?:\\{1,4}n|\r?\n)[+ ]?`

/** Where a word begins, also behind an escaped line break. */
export const ALONE = String.raw`(?<!(?<!\\)[\w.%:$-])`
/** Where a line begins, also an escaped one, behind the sign of a diff or a quotation. */
export const LINE = String.raw`(?:^|\n|\\n)[+> ]{0,3}`

/** White space of several lines, also escaped. */
export const GAP = String.raw`(?:[\s+]|\\{1,4}[nrt]){1,16}`
export const UUID = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'
