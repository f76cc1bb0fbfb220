import { isDigit } from '../../engine/character.ts'
import { rememberWords } from '../../engine/remember.ts'
import {
  accountWords,
  hostWords,
  idOwners,
  impersonalDeeds,
  impersonalWords,
  machineWords,
  nameSuffixes,
  organizationWords,
  personWords,
  roleWords,
} from '../../rules/identity-words.ts'

/** What the name of a field, a column or a variable says of its value. */
export type FieldKind = 'person' | 'role' | 'account' | 'organization' | 'machine' | 'host' | 'id'

const ID = /^(?:ids?|number|uid|guid|uuid)$/
/** `created`, `written`, `sent`, `run`. */
const PARTICIPLE = /(?:ed|en|wn|nt|ut|lt|un|de|ld|to)$/

function classify(name: string): FieldKind | null {
  const parts = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((part) => part !== '')
  if (parts.length === 0 || parts.length > 6) return null
  const last = parts.at(-1)!
  if (ID.test(last) && parts.length > 1) return idOwners.has(singular(parts.at(-2)!)) ? 'id' : null
  if (last === 'by' && parts.length > 1) {
    const deed = parts.at(-2)!
    return PARTICIPLE.test(deed) && !impersonalDeeds.has(deed) ? 'person' : null
  }
  if (last === 'name' && /^(?:full|display|real|legal|preferred)$/.test(parts.at(-2) ?? '')) return 'role'
  let end = parts.length - 1
  while (end > 0 && nameSuffixes.has(parts[end]!) && !isWord(parts[end - 1]! + parts[end]!)) end--
  const head = singular(parts[end]!)
  const isNamed = end < parts.length - 1
  const joined = parts.slice(Math.max(0, end - 1), end + 1).join('')
  const kind = kindOf(end > 0 && machineWords.has(joined) ? joined : head, isNamed)
  if (!kind) return null
  const isImpersonal = parts.slice(0, end).some((part) => impersonalWords.has(part))
  return isImpersonal && kind !== 'machine' ? null : kind
}

/**
 * Returns what a name says of its value, null for nothing: `lastModifiedBy`, `owner_name`, `TEAM-ID`, `Computer Name`.
 */
export const classifyFieldName = (name: string): FieldKind | null => (endsInDigit(name) ? null : classifyOnce(name))

const classifyOnce = rememberWords(classify)
/** No word of the table does. */
const endsInDigit = (name: string): boolean => isDigit(name, name.length - 1)

const singular = (word: string): string => (word.length > 3 && word.endsWith('s') ? word.slice(0, -1) : word)
const isWord = (word: string): boolean => machineWords.has(word)

function kindOf(head: string, isNamed: boolean): FieldKind | null {
  if (personWords.has(head)) return 'person'
  if (accountWords.has(head)) return 'account'
  if (machineWords.has(head)) return 'machine'
  // `nodeName` is an element's in a document.
  if (isNamed && hostWords.has(head)) return head === 'node' ? 'host' : 'machine'
  if (organizationWords.has(head)) return 'organization'
  if (hostWords.has(head)) return 'host'
  return roleWords.has(head) ? 'role' : null
}

/** The words that lead to a field: the scanner searches them. `by` only where it ends a name. */
export const fieldKeywords: readonly string[] = [
  ...new Set([
    ...[personWords, roleWords, accountWords, organizationWords, machineWords, hostWords, idOwners].flatMap((set) => [
      ...set,
    ]),
    'full name',
    'full_name',
    'fullname',
    'display name',
    'display_name',
    'displayname',
    'real_name',
    'realname',
    '_by',
    '-by',
    'by:',
    'by"',
    'by\\',
    "by'",
    'by=',
    'by>',
    'by  ',
  ]),
]
