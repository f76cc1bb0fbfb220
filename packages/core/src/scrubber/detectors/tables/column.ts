import { rememberWords } from '../../engine/remember.ts'
import type { Finding } from '../../engine/rule.ts'
import { isPersonName } from '../identity/person-name.ts'
import { THINGS, type PersonalKind } from '../../rules/personal-labels.ts'
import { classifyPersonalLabel, personalKinds } from '../personal/personal-labels.ts'
import { classifyKeyName, type KeyClass } from '../secrets/key-name.ts'

/** The kind of the cells of a column, derived from the column's name. */
export type Column =
  /** A secret. The score of each cell decides whether the cell is a secret. */
  | { readonly kind: 'secret'; readonly name: string; readonly keyClass: KeyClass }
  /** A part of a person's name. `any` counts only if the same table has another column about a person. */
  | { readonly kind: 'person' | 'first' | 'last' | 'any' }
  | {
      readonly kind: 'value'
      readonly as: Omit<Finding['rule'], 'id'>
      readonly accepts: (cell: string) => boolean
      readonly isWeak?: boolean
    }

const countDigits = (cell: string): number => cell.replace(/\D/g, '').length
const isCode = (cell: string): boolean => /^[A-Z0-9][A-Z0-9 ./-]{4,24}$/i.test(cell) && countDigits(cell) >= 3

type ValueColumn = Extract<Column, { kind: 'value' }>

const value = (category: string, placeholder: string, accepts: (cell: string) => boolean): ValueColumn => ({
  kind: 'value',
  as: { category, placeholder },
  accepts,
})

const ADDRESS = value(
  'street_address',
  'ADDRESS',
  (cell) =>
    /\d/.test(cell) &&
    /\p{L}{3}/u.test(cell) &&
    /[ ,]/.test(cell) &&
    cell.length > 5 &&
    !/^0x|:\/\/|@|^\d{1,3}(?:\.\d{1,3}){3}|^[\w.-]+:\d+$|[{}<>=|]/.test(cell),
)
/** The columns, by name in lower case with `_` between the words. */
const COLUMNS: readonly (readonly [name: RegExp, column: Column])[] = [
  [
    /^(?:ssn|social_?security(?:_?(?:number|no|num))?|ss_?no)$/,
    value('ssn', 'SSN', (cell) => /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(cell)),
  ],
  [/^licen[cs]e$/, value('government_id', 'DRIVER_LICENSE', (cell) => isCode(cell) && countDigits(cell) > 4)],
  [
    /^(?:(?:credit|debit|payment)_?)?card(?:_?(?:number|no|num))?$|^cc_?(?:number|num)?$|^pan$/,
    value('card', 'CARD', (cell) => /^\d[\d -]{11,22}$/.test(cell) && countDigits(cell) > 11),
  ],
  [/^acc(?:oun)?t$/, { ...value('bank_account', 'BANK_ACCOUNT', (cell) => /^\d{8,17}$/.test(cell)), isWeak: true }],
  [/^(?:cvv2?|cvc|pin(?:_?code)?|otp(?:_?code)?)$/, value('secret', 'CODE', (cell) => /^\d{3,8}$/.test(cell))],
  [
    /^(?!(?:.*_)?(?:e?mail|ip|mac|url|web|memory|server|host|bus|base|hw|remote)_)(?:\p{L}+_){0,2}(?:address|addr|street|\p{L}{0,12}(?:anschrift|adress[ea]?|地址|住所)|adres[a]?|stra(?:ss|ß|at)e?|strada|ulic[aey]|utca|gat(?:a|an|uadress)|gade|vej|cadde|sokak|direcci[oó]n|domicilio|indirizzo|via|endere[cç]o|morada|osoite|c[ií]m|lakcim|alamat|rue|calle|адрес[аи]?|住址|주소|địa_chỉ)(?:_?(?:line_?)?[12])?$/u,
    ADDRESS,
  ],
  [
    /^(?:first|given|fore|middle)_?names?$|^first$|^(?:vorname|pr[eé]nom|voornaam|imi[eę]|f[oö]rnamn|fornavn|etunimi|keresztn[eé]v|jm[eé]no|prenume|imię|gvn_nm|имя)$/,
    { kind: 'first' },
  ],
  [
    /^(?:last|family|second)_?names?$|^last$|^surname$|^maiden_?name$|^(?:nachname|familienname|nom(?:_de_famille)?|apellidos?|cognome|achternaam|nazwisko|efternamn|etternavn|sukunimi|vezet[eé]kn[eé]v|p[rř][ií]jmen[ií]|prezime|sobrenome|soyad[ıi]?|nume|snm|фамилия)$/,
    { kind: 'last' },
  ],
  [
    /^(?:full|display|real|legal|customer|client|contact|employee|patient|student|member|guest|passenger|recipient|card_?holder|account_?holder|owner|author|assignee|reporter|manager|user|person|applicant|tenant)_?name$|^(?:cardholder|employee|patient|passenger|assignee|reporter|owner|author|creator|maintainer|reviewer|assigned_to|created_by|updated_by)$/,
    { kind: 'person' },
  ],
  [
    /^(?:nimi|navn|namn|naam|nome|nombre|nombres|ime|n[eé]v|ad_soyad|isim|nombre_completo|nome_completo|nom_complet|imi[eę]_i_nazwisko|mitarbeiter(?:in)?|kund[ei]n?|empleado|empleada|trabajador|borger|medarbejder|employ[eé]|salari[eé]|dipendente|werknemer|pracownik|nafn|n[eé]v|patientin|фио|ф_и_о|имя|ονοματεπώνυμο)$/,
    { kind: 'any' },
  ],
  [
    /^(?:name|client|client[ea]|paciente|titular|customer|contact|recipient|manager|person|guest|member|student)$/,
    { kind: 'any' },
  ],
]

/** Kinds that also occur in tables about things. */
const WEAK: ReadonlySet<PersonalKind> = new Set(['name', 'postcode', 'town', 'booking', 'handle', 'coordinate'])

const personalColumns = Object.fromEntries(
  Object.entries(personalKinds).map(([kind, { category, placeholder, shape, valid }]) => {
    const whole = new RegExp(`^(?:${shape})$`, kind === 'birth' ? 'iu' : 'u')
    const column = value(category, placeholder, (cell) => cell.length < 60 && whole.test(cell) && valid(cell))
    return [kind, { ...column, isWeak: WEAK.has(kind as PersonalKind) }]
  }),
) as Record<PersonalKind, ValueColumn>

/** Returns a column with the properties of the first kind. Its cells may have any of the given kinds. */
function columnOfKinds(kinds: readonly PersonalKind[]): Column | null {
  const columns = kinds.map((kind) => personalColumns[kind])
  const [first] = columns
  return first ? { ...first, accepts: (cell) => columns.some(({ accepts }) => accepts(cell)) } : null
}

/** Words for a person. A column of a kind in `WEAK` is about a person if its name begins with such a word. */
const OWNED = /^(?:home|user|customer|client|patient|driver|employee|member|my)_/

/** Names of columns in tables that describe options, fields or parameters. */
const DESCRIBES =
  /^(?:description|short_?name|default(?:_value)?|required|nullable|data_?type|parameter|option|flag|property|attribute|meaning|purpose|env(?:ironment)?_var(?:iable)?s?)$/

/**
 * Returns the column for each name, or null for an unknown name. Returns null instead of a list if no name indicates a
 * person or a secret, or if the table describes fields.
 */
export function readColumns(names: readonly string[]): readonly (Column | null)[] | null {
  const heads = names.map(readHead)
  if (heads.some(({ describes }) => describes)) return null
  const personal = heads.filter(({ isPersonal }) => isPersonal)
  if (personal.length === 0) return null
  // A table of devices has names of devices.
  const isOfDevices = personal.every(({ column }) => column?.kind === 'value' && column.as.category === 'device_id')
  const categories = new Set(heads.map(({ column }) => (column?.kind === 'value' ? column.as.category : '')))
  const isOfPeople = describesPerson(categories)
  return heads.map(({ column }, i) => {
    if (isOfDevices && column?.kind === 'any') return null
    return column ?? (isOfPeople && !namesThing(names[i] ?? '') ? { kind: 'person' } : null)
  })
}

/** Categories of values that belong to one person. The fields next to such a value describe the same person. */
export const OF_ONE_PERSON: ReadonlySet<string> = new Set([
  'bank_account',
  'card',
  'date_of_birth',
  'government_id',
  'phone',
  'ssn',
])

/**
 * Returns whether values of these categories belong to a person. A company also has accounts, phone numbers and tax
 * numbers, but seldom two of them and one that only a person has.
 */
export function describesPerson(categories: ReadonlySet<string>): boolean {
  const count = [...categories].filter((category) => OF_ONE_PERSON.has(category)).length
  return count > 1 && ['card', 'date_of_birth', 'government_id', 'ssn'].some((category) => categories.has(category))
}

/** Returns whether a label announces a thing or a place: `productName`, `Ville`. */
export const namesThing = rememberWords((label: string): boolean =>
  keyOf(label)
    .split('_')
    .some((word) => THINGS.has(word)),
)

/** The meaning of a column's name for the cells and for the table. */
interface Head {
  readonly column: Column | null
  readonly describes: boolean
  readonly isPersonal: boolean
}

const readHead = rememberWords((name): Head => {
  const key = keyOf(name)
  const column = columnOf(key, name)
  // The column `license` also occurs in lists of packages, so it does not show that a table is about people.
  const isPersonal =
    (column &&
      !/^licen[cs]e$/.test(key) &&
      !(column.kind === 'value' && column.isWeak && !OWNED.test(key)) &&
      column.kind !== 'any') ||
    /e_?mail/.test(key)
  return { column, describes: DESCRIBES.test(key), isPersonal }
})

const keyOf = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^\p{L}\d]+/gu, '_')
    .replace(/^_+|_+$/g, '')

/** Returns the kind of a column with this label as its name. */
export const kindOfLabel = (label: string): Column['kind'] | undefined => readHead(label).column?.kind

function columnOf(key: string, name: string): Column | null {
  for (const [pattern, column] of COLUMNS) if (pattern.test(key)) return column
  const personal = classifyPersonalLabel(name)
  if (personal) return columnOfKinds(personal)
  const keyClass = classifyKeyName(name)
  return keyClass === 'password' || keyClass === 'secret' ? { kind: 'secret', name, keyClass } : null
}

/** Returns whether a cell is a person's name, also with the last name first: `Roe, Jane`. */
export const isNameCell = (cell: string): boolean => isPersonName(cell.replace(/^([^,]+), ([^,]+)$/, '$2 $1'))
