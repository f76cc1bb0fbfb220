import { rememberWords } from '../../engine/remember.ts'
import type { Finding } from '../../engine/rule.ts'
import { classifyFieldName, type FieldKind } from '../identity/field-name.ts'
import { isPersonName } from '../identity/forms.ts'
import { classifyKeyName, type KeyClass } from '../secrets/key-name.ts'

/** What the name of a column says of its cells. */
export type Column =
  /** Decided by evidence, as other secrets with a name. */
  | { readonly kind: 'secret'; readonly name: string; readonly keyClass: KeyClass }
  /** A part of a person's name. `any` wants another column about a person beside it. */
  | { readonly kind: 'person' | 'first' | 'last' | 'any'; readonly field?: FieldKind | null }
  /** Whom a field of this name names, see `identity/field-name.ts`. */
  | { readonly kind: 'named'; readonly field: FieldKind }
  | { readonly kind: 'value'; readonly as: Omit<Finding['rule'], 'id'>; readonly accepts: (cell: string) => boolean }

const countDigits = (cell: string): number => cell.replace(/\D/g, '').length
const isCode = (cell: string): boolean => /^[A-Z0-9][A-Z0-9 ./-]{4,24}$/i.test(cell) && countDigits(cell) >= 3
const MONTH = /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/i

const value = (category: string, placeholder: string, accepts: (cell: string) => boolean): Column => ({
  kind: 'value',
  as: { category, placeholder },
  accepts,
})

const PHONE = value(
  'phone',
  'PHONE',
  (cell) => /^[+\d][\d ().\-/x]{5,24}$|^\(\d[\d ().\-/x]{6,24}$/i.test(cell) && countDigits(cell) > 5,
)
const BIRTH = value(
  'date_of_birth',
  'DATE_OF_BIRTH',
  (cell) =>
    /^\d{1,4}[-/. ]\d{1,2}[-/. ]\d{1,4}(?:[T ]00:00[:0-9.Z]*)?$|^\d{8}$/.test(cell) ||
    (cell.length < 24 && MONTH.test(cell) && /\d{4}$/.test(cell)),
)
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
const ACCOUNT = value(
  'bank_account',
  'BANK_ACCOUNT',
  (cell) => /^[A-Z0-9][A-Z0-9 -]{5,40}$/i.test(cell) && countDigits(cell) > 5,
)

/** By the name of the column in lower case with `_` between its words. */
const COLUMNS: readonly (readonly [name: RegExp, column: Column])[] = [
  [
    /^(?:ssn|social_?security(?:_?(?:number|no|num))?|ss_?no)$/,
    value('ssn', 'SSN', (cell) => /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(cell)),
  ],
  [
    /^(?:dob|d_o_b|(?:date_?of_?)?birth(?:_?(?:date|day|dt))?|date_?of_?birth|birth_?dates?|bday|geburts(?:datum|tag)|fecha_(?:de_)?nacimiento|date_(?:de_)?naissance)$/,
    BIRTH,
  ],
  [
    /^(?:(?:home|work|cell|mobile|contact|customer|user|emergency|primary|office|day|evening)_?)?(?:phones?|tele?phone|tel|mobile|cell|cellphone|fax|whatsapp|handy|telefon|telefono|téléphone)(?:_?(?:number|no|num|nr|1|2))?$/,
    PHONE,
  ],
  [/^(?:iban|(?:bank_?)?account_?(?:number|no|num|nr)|bank_?account|kontonummer|acct_?(?:number|no|num))$/, ACCOUNT],
  [/^passport(?:_?(?:number|no|num|nr|id))?$/, value('government_id', 'PASSPORT', isCode)],
  [
    /^(?:drivers?_?)?licen[cs]e_?(?:number|no|num)$|^drivers?_?licen[cs]e$/,
    value('government_id', 'DRIVER_LICENSE', isCode),
  ],
  [/^licen[cs]e$/, value('government_id', 'DRIVER_LICENSE', (cell) => isCode(cell) && countDigits(cell) > 4)],
  [
    /^(?:national_?id|tax_?(?:id|number)|tin|nif|dni|cpf|nino|ni_?number|personal_?(?:id|number)|id_?card(?:_?(?:number|no))?)(?:_?(?:number|no))?$/,
    value('government_id', 'NATIONAL_ID', isCode),
  ],
  [
    /^(?:(?:credit|debit|payment)_?)?card(?:_?(?:number|no|num))?$|^cc_?(?:number|num)?$|^pan$/,
    value('card', 'CARD', (cell) => /^\d[\d -]{11,22}$/.test(cell) && countDigits(cell) > 11),
  ],
  [/^(?:cvv2?|cvc|pin(?:_?code)?|otp(?:_?code)?)$/, value('secret', 'CODE', (cell) => /^\d{3,8}$/.test(cell))],
  [
    /^(?:(?:home|street|postal|mailing|billing|shipping|delivery|residential|customer|user|work)_?)?(?:address|addr|street|anschrift|adresse|direccion)(?:_?(?:line_?)?[12])?$/,
    ADDRESS,
  ],
  [
    /^(?:first|given|fore|middle)_?names?$|^first$|^(?:vorname|pr[eé]nom|voornaam|imi[eę]|f[oö]rnamn|fornavn)$/,
    { kind: 'first' },
  ],
  [
    /^(?:last|family|second)_?names?$|^last$|^surname$|^maiden_?name$|^(?:nachname|familienname|nom(?:_de_famille)?|apellidos?|cognome|achternaam|nazwisko|efternamn|etternavn|soyad[ıi]?)$/,
    { kind: 'last' },
  ],
  [
    /^(?:full|display|real|legal|customer|client|contact|employee|patient|student|member|guest|passenger|recipient|card_?holder|account_?holder|owner|author|assignee|reporter|manager|user|person|applicant|tenant)_?name$|^(?:cardholder|employee|patient|passenger|assignee|reporter)$/,
    { kind: 'person' },
  ],
  [/^role_?name$/, { kind: 'named', field: 'account' }],
  [/^(?:name|customer|contact|recipient|manager|owner|author|person|guest|member|student)$/, { kind: 'any' }],
]

/** A column of a table that describes other things: options, fields, parameters. */
const DESCRIBES =
  /^(?:description|default(?:_value)?|required|nullable|data_?type|parameter|option|flag|property|attribute|meaning|purpose|env(?:ironment)?_var(?:iable)?s?)$/

/**
 * Returns what each column's name says of its cells, null for nothing; null in place of the list where no column says
 * anything or the table describes fields.
 */
export function readColumns(names: readonly string[]): readonly (Column | null)[] | null {
  const heads = names.map(readHead)
  if (heads.some(({ describes }) => describes)) return null
  return heads.some(({ isPersonal }) => isPersonal) ? heads.map(({ column }) => column) : null
}

/** What the name of one column says: of its cells, and of the table. */
interface Head {
  readonly column: Column | null
  readonly describes: boolean
  readonly isPersonal: boolean
}

const readHead = rememberWords((name): Head => {
  const key = keyOf(name)
  const column = columnOf(key, name)
  // The column `license` is one of a list of packages too.
  const isPersonal =
    (column && !/^licen[cs]e$/.test(key) && (column.kind !== 'any' || column.field === 'person')) || /e_?mail/.test(key)
  return { column, describes: DESCRIBES.test(key), isPersonal }
})

const keyOf = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^\p{L}\d]+/gu, '_')
    .replace(/^_+|_+$/g, '')

function columnOf(key: string, name: string): Column | null {
  const field = classifyFieldName(name)
  for (const [pattern, column] of COLUMNS)
    if (pattern.test(key)) return column.kind === 'person' || column.kind === 'any' ? { ...column, field } : column
  const keyClass = classifyKeyName(name)
  if (keyClass === 'password' || keyClass === 'secret') return { kind: 'secret', name, keyClass }
  return field && field !== 'host' ? { kind: 'named', field } : null
}

/** Returns whether a cell is a person's name, also with the last name first: `Roe, Jane`. */
export const isNameCell = (cell: string): boolean => isPersonName(cell.replace(/^([^,]+), ([^,]+)$/, '$2 $1'))
