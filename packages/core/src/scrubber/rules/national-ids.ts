import { weighted } from '../detectors/checks/checksum.ts'
import type { IdNumber } from './id-number.ts'

/** Makes one line of the table below. `near` is always required if `valid` alone would accept too many numbers. */
const id = (
  name: string,
  placeholder: string,
  pattern: RegExp,
  runs: readonly number[] | string,
  near?: RegExp,
  valid?: (bare: string) => boolean,
  loose?: 'separated',
): IdNumber => ({
  id: name,
  category: 'government_id',
  placeholder,
  pattern,
  ...(typeof runs === 'string' ? { letters: runs } : { runs }),
  ...(near && { near, ...(loose ? {} : { always: true as const }) }),
  ...(valid && { valid }),
})

/** Checks year, month and day as six digits. Some countries add a number to the month. */
const born = (d: string): boolean => {
  const month = Number(d.slice(2, 4)) % 20
  const day = Number(d.slice(4, 6))
  return month >= 1 && month <= 13 && day >= 1 && day <= 31
}
const sum = (d: string, weights: readonly number[], modulus: number): number => weighted(d, weights, modulus)
const last = (d: string): number => Number(d[d.length - 1])

const chinese = (t: string): boolean => {
  const month = Number(t.slice(10, 12))
  const day = Number(t.slice(12, 14))
  if (!/^[1-8]\d{5}(?:18|19|20)/.test(t) || month < 1 || month > 12 || day < 1 || day > 31) return false
  return '10X98765432'[sum(t, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2], 11)] === t.charAt(17).toUpperCase()
}
const belgian = (d: string): boolean => {
  const body = Number(d.slice(0, 9))
  const check = Number(d.slice(9))
  return born(d) && (97 - (body % 97) === check || 97 - ((2_000_000_000 + body) % 97) === check)
}
const norwegian = (d: string): boolean =>
  sum(d, [3, 7, 6, 1, 8, 9, 4, 5, 2, 1], 11) === 0 && sum(d, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1], 11) === 0
const turkish = (d: string): boolean => {
  const at = (i: number): number => Number(d[i])
  const odd = at(0) + at(2) + at(4) + at(6) + at(8)
  const even = at(1) + at(3) + at(5) + at(7)
  return d[0] !== '0' && (((odd * 7 - even) % 10) + 10) % 10 === at(9) && (odd + even + at(9)) % 10 === at(10)
}
const ean = (d: string): boolean => sum(d, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1], 10) === 0
const chilean = (t: string): boolean => {
  let total = 0
  const body = t.slice(0, -1)
  for (let i = 0; i < body.length; i++) total += Number(body[body.length - 1 - i]) * (2 + (i % 6))
  const check = 11 - (total % 11)
  return (check === 11 ? '0' : check === 10 ? 'K' : String(check)) === t.slice(-1).toUpperCase()
}
const argentine = (d: string): boolean => (11 - sum(d, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2], 11)) % 11 === last(d)
const russian = (d: string): boolean =>
  d.length === 10
    ? sum(d, [2, 4, 10, 3, 5, 9, 4, 6, 8], 11) % 10 === last(d)
    : sum(d, [7, 2, 4, 10, 3, 5, 9, 4, 6, 8], 11) % 10 === Number(d[10]) &&
      sum(d, [3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8], 11) % 10 === last(d)
const snils = (d: string): boolean => sum(d, [9, 8, 7, 6, 5, 4, 3, 2, 1], 101) % 100 === Number(d.slice(9))
const curp = (t: string): boolean => {
  const ALPHABET = '0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ'
  let total = 0
  for (let i = 0; i < 17; i++) total += ALPHABET.indexOf(t.charAt(i).toUpperCase()) * (18 - i)
  return (10 - (total % 10)) % 10 === last(t)
}

/**
 * More numbers of persons, by country. A number without a check digit, or with one that every tenth number has, counts
 * only near a word for it. `personal-labels.ts` handles any number right after the name of a field.
 */
export const nationalIds: readonly IdNumber[] = [
  id('cn-id', 'CHINESE_ID', /^\d{17}[\dXx](?![A-Za-z0-9])/, [17, 18], undefined, chinese),
  id('in-gstin', 'GSTIN', /^\d{2}[A-Z]{5}\d{4}[A-Z][1-9A-Z]Z[0-9A-Z](?![A-Za-z0-9])/, [2]),
  id('ae-emirates-id', 'EMIRATES_ID', /^784-?(?:19|20)\d{2}-?\d{7}-?\d(?!\d)/, [3, 15]),
  id('tr-tckn', 'TCKN', /^[1-9]\d{10}(?!\d)/, [11], /t\.?c\.?\b|kimlik|tckn|turkish/i, turkish),
  id(
    'be-nrn',
    'NATIONAL_REGISTER',
    /^\d{2}\.\d{2}\.\d{2}[-.]\d{3}[-.]\d{2}(?!\d)|^\d{11}(?!\d)/,
    [2, 11],
    /rijksregister|registre national|national number|\bnrn\b|\binsz\b|\bniss\b|belg/i,
    belgian,
    'separated',
  ),
  id(
    'no-fodselsnummer',
    'FODSELSNUMMER',
    /^\d{6} ?\d{5}(?!\d)/,
    [6, 11],
    /f(?:ø|o|oe)dsels|personnummer|norw|norsk|\bfnr\b/i,
    norwegian,
  ),
  id(
    'ch-ahv',
    'AHV',
    /^756\.\d{4}\.\d{4}\.\d{2}(?!\d)|^756\d{10}(?!\d)/,
    [3, 13],
    /ahv|avs|\bssn\b|swiss|sozial|oasi/i,
    ean,
    'separated',
  ),
  id(
    'uk-driving-licence',
    'DRIVER_LICENSE',
    /^[A-Z9]{5}\d[0156]\d[0-3]\d{2}[A-Z9]{2}[A-Z0-9]\d?[A-Z]{2}(?![A-Za-z0-9])/,
    '345',
  ),
  id('ru-inn', 'INN', /^\d{12}(?!\d)|^\d{10}(?!\d)/, [10, 12], /инн|\binn\b|іпн|рнокпп|иин/i, (d) => russian(d)),
  id(
    'ru-snils',
    'SNILS',
    /^\d{3}-\d{3}-\d{3}[ -]\d{2}(?!\d)|^\d{11}(?!\d)/,
    [3, 11],
    /снилс|snils/i,
    snils,
    'separated',
  ),
  id(
    'eu-vat',
    'VAT',
    /^(?:ATU\d{8}|BE[01]\d{9}|BG\d{9,10}|CY\d{8}[A-Z]|CZ\d{8,10}|DE\d{9}|DK\d{8}|EE\d{9}|EL\d{9}|ES[A-Z0-9]\d{7}[A-Z0-9]|FI\d{8}|FR[A-Z0-9]{2}\d{9}|GB\d{9}(?:\d{3})?|HR\d{11}|HU\d{8}|IE\d{7}[A-Z]{1,2}|IT\d{11}|LT\d{9,12}|LU\d{8}|LV\d{11}|MT\d{8}|NL\d{9}B\d{2}|PL\d{10}|PT\d{9}|RO\d{2,10}|SE\d{12}|SI\d{8}|SK\d{10}|CHE-?\d{3}\.?\d{3}\.?\d{3})(?![A-Za-z0-9])/,
    '123',
    /vat|ust|uid|tva|iva\b|btw|mwst|umsatz|moms|alv|dph|áfa|nip\b|tax/i,
  ),
  id(
    'us-mbi',
    'MEDICARE',
    /^[1-9][AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y]\d-[AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y]\d-[AC-HJKMNP-RT-Y]{2}\d{2}(?![A-Za-z0-9])/,
    [1],
  ),
  id('mx-curp', 'CURP', /^[A-Z][AEIOUX][A-Z]{2}\d{6}[HMX][A-Z]{5}[A-Z0-9]\d(?![A-Za-z0-9])/i, '4', undefined, curp),
  id('ar-cuit', 'CUIT', /^(?:20|2[347]|30|3[34])-?\d{8}-?\d(?!\d)/, [2, 11], /cui[tl]|argent/i, argentine, 'separated'),
  id('cl-rut', 'RUT', /^\d{1,2}\.\d{3}\.\d{3}-[\dKk](?![A-Za-z0-9])/, [1, 2], /\brut\b|chile/i, chilean, 'separated'),
  // Part numbers have the same form.
  id('cl-rut-plain', 'RUT', /^\d{7,8}-?[\dKk](?![A-Za-z0-9])/, [7, 8, 9], /\brut\b|chile/i, chilean),
  id('sg-fin', 'NRIC', /^[STFGM]\d{7}[A-Z](?![A-Za-z0-9])/i, '1', /nric|\bfin\b|singpass|singapore|identification/i),
  id('mx-rfc', 'RFC', /^[A-ZÑ&]{3,4}\d{6}[A-Z0-9]{3}(?![A-Za-z0-9])/i, '34', /\brfc\b|contribuyente/i, (t) =>
    born(t.replace(/^[^\d]+/, '')),
  ),
  id('br-rg', 'RG', /^\d{1,2}\.?\d{3}\.?\d{3}-?[\dXx](?![A-Za-z0-9])/, [1, 2, 8, 9], /\brg\b|identidade/i),
  id('us-ein', 'EIN', /^\d{2}-?\d{7}(?!\d)/, [2, 9], /\bf?ein\b|employer id|tax id|irs/i),
  id(
    'pt-nif',
    'NIF',
    /^[1-35689]\d{8}(?!\d)|^\d{3} \d{3} \d{3}(?!\d)/,
    [3, 9],
    /(?<![a-z])nif(?![a-z])|contribuinte|portug/i,
    (d) => ((11 - sum(d, [9, 8, 7, 6, 5, 4, 3, 2], 11)) % 11) % 10 === last(d),
  ),
  id('gh-card', 'GHANA_CARD', /^GHA-\d{9}-\d(?!\d)/, '3'),
]
