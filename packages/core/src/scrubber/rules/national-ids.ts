import { luhn, weighted } from './checksum.ts'
import type { IdNumber } from './id-number.ts'

/** One line of the table below; `near` is wanted always where `valid` alone would say yes to too many numbers. */
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

/** Checks year, month and day as six digits, where some countries add to the month. */
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
  return '10X98765432'[sum(t, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2], 11)] === t[17]!.toUpperCase()
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
const mod1110 = (d: string): boolean => {
  let product = 10
  for (let i = 0; i < d.length - 1; i++) product = (((Number(d[i]) + product) % 10 || 10) * 2) % 11
  return (11 - product) % 10 === last(d)
}
const ean = (d: string): boolean => sum(d, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1], 10) === 0
const chilean = (t: string): boolean => {
  let total = 0
  const body = t.slice(0, -1)
  for (let i = 0; i < body.length; i++) total += Number(body[body.length - 1 - i]) * (2 + (i % 6))
  const check = 11 - (total % 11)
  return (check === 11 ? '0' : check === 10 ? 'K' : String(check)) === t.at(-1)!.toUpperCase()
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
  for (let i = 0; i < 17; i++) total += ALPHABET.indexOf(t[i]!.toUpperCase()) * (18 - i)
  return (10 - (total % 10)) % 10 === last(t)
}
const mynumber = (d: string): boolean => {
  const rest = sum(d, [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2], 11)
  return (rest <= 1 ? 0 : 11 - rest) === last(d)
}
const taiwanese = (t: string): boolean => {
  const code = 'ABCDEFGHJKLMNPQRSTUVXYWZIO'.indexOf(t[0]!) + 10
  return (
    code > 9 &&
    (Math.floor(code / 10) + (code % 10) * 9 + sum(t.slice(1), [8, 7, 6, 5, 4, 3, 2, 1, 1], 1000)) % 10 === 0
  )
}

/**
 * More numbers of persons, by country. Those without a check digit, or with one that a tenth of all numbers have, only
 * beside a word for them.
 */
export const nationalIds: readonly IdNumber[] = [
  id('cn-id', 'CHINESE_ID', /^\d{17}[\dXx](?![A-Za-z0-9])/, [17, 18], undefined, chinese),
  id(
    'tw-id',
    'TAIWANESE_ID',
    /^[A-Z][1289]\d{8}(?![A-Za-z0-9])/,
    '1',
    /taiwan|身分證|身份證|national id|\bid (?:no|number)/i,
    taiwanese,
  ),
  id(
    'hk-id',
    'HKID',
    /^[A-Z]{1,2}\d{6} ?\([0-9A]\)|^[A-Z]{1,2}\d{6}[0-9A](?![A-Za-z0-9])/,
    '12',
    /hkid|hong kong|香港|身份證/i,
  ),
  id(
    'jp-my-number',
    'MY_NUMBER',
    /^\d{4}([ -]?)\d{4}\1\d{4}(?!\d)/,
    [4, 12],
    /マイナンバー|個人番号|my ?number|individual number/i,
    mynumber,
  ),
  id('kr-rrn-bare', 'RRN', /^\d{6}-?[1-8]\d{6}(?!\d)/, [6, 13], /주민|\brrn\b|resident registration|외국인등록/i, born),
  id('kr-driver-license', 'DRIVER_LICENSE', /^\d{2}-\d{2}-\d{6}-\d{2}(?!\d)/, [2], /운전면허|licen[cs]e/i),
  id('th-id-word', 'THAI_ID', /^[1-8]-?\d{4}-?\d{5}-?\d{2}-?\d(?!\d)/, [1, 13], /ประชาชน|บัตร/),
  id('vn-cccd', 'CITIZEN_ID', /^0\d{11}(?!\d)|^\d{9}(?!\d)/, [9, 12], /cccd|cmnd|căn cước|chứng minh/i),
  id('my-kad', 'MYKAD', /^\d{6}-?\d{2}-?\d{4}(?!\d)/, [6, 12], /mykad|\bic\b|kad pengenalan|nric|malaysia/i, born),
  id('id-nik', 'NIK', /^\d{16}(?!\d)/, [16], /\bnik\b|\bktp\b|induk kependudukan/i),
  id('pk-cnic', 'CNIC', /^\d{5}-?\d{7}-?\d(?!\d)/, [5, 13], /cnic|nadra|pakistan|شناخت/i),
  id('in-voter', 'VOTER_ID', /^[A-Z]{3}\d{7}(?![A-Za-z0-9])/i, '3', /voter|epic|election/i),
  id(
    'in-vehicle',
    'VEHICLE_NUMBER',
    /^[A-Z]{2}[ -]?\d{1,2}[ -]?[A-Z]{1,3}[ -]?\d{4}(?![A-Za-z0-9])/i,
    '2',
    /vehicle|registration|\breg\b|number plate|\bcar\b|\brto\b|bike|truck/i,
  ),
  id('in-gstin', 'GSTIN', /^\d{2}[A-Z]{5}\d{4}[A-Z][1-9A-Z]Z[0-9A-Z](?![A-Za-z0-9])/, [2]),
  id('sg-uen', 'UEN', /^(?:\d{8,9}[A-Z]|[TSR]\d{2}[A-Z]{2}\d{4}[A-Z])(?![A-Za-z0-9])/, '01', /\buen\b|entity number/i),
  id('sg-fin', 'NRIC', /^[STFGM]\d{7}[A-Z](?![A-Za-z0-9])/i, '1', /nric|\bfin\b|singpass|singapore|identification/i),
  id('ae-emirates-id', 'EMIRATES_ID', /^784-?(?:19|20)\d{2}-?\d{7}-?\d(?!\d)/, [3, 15]),
  id('sa-national-id', 'NATIONAL_ID', /^[12]\d{9}(?!\d)/, [10], /iqama|saudi|هوية/i, luhn),
  id('il-id', 'ISRAELI_ID', /^\d{9}(?!\d)|^\d{8}-\d(?!\d)/, [8, 9], /teudat|t\.?z\.?\b|zehut|israel|ת\.?ז|זהות/i, luhn),
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
  id('lu-id', 'NATIONAL_ID', /^(?:18|19|20)\d{11}(?!\d)/, [13], /matricule|luxemb/i),
  id(
    'no-fodselsnummer',
    'FODSELSNUMMER',
    /^\d{6} ?\d{5}(?!\d)/,
    [6, 11],
    /f(?:ø|o|oe)dsels|personnummer|norw|norsk|\bfnr\b/i,
    norwegian,
  ),
  id(
    'dk-cpr',
    'CPR',
    /^\d{6}[- ]?\d{4}(?!\d)/,
    [6, 10],
    /\bcpr\b|personnummer|dansk|danish/i,
    (d) => Number(d.slice(0, 2)) <= 31 && Number(d.slice(2, 4)) <= 12,
  ),
  id('se-personnummer-bare', 'PERSONNUMMER', /^(?:19|20)?\d{10}(?!\d)/, [10, 12], /personn|samordning|swedish/i, (d) =>
    luhn(d.slice(-10)),
  ),
  id('is-kennitala', 'KENNITALA', /^\d{6}-?\d{4}(?!\d)/, [6, 10], /kennitala|icelandic/i),
  id(
    'ee-isikukood',
    'PERSONAL_CODE',
    /^[1-8]\d{10}(?!\d)/,
    [11],
    /isikukood|asmens kodas|personal code|henkilökohtainen/i,
  ),
  id('lv-personas-kods', 'PERSONAL_CODE', /^\d{6}-?\d{5}(?!\d)/, [6, 11], /personas kod|latvia/i),
  id(
    'cz-birth-number',
    'BIRTH_NUMBER',
    /^\d{6}\/?\d{3,4}(?!\d)/,
    [6, 9, 10],
    /rodn[éeě]|\brč\b|\brc\b|birth number/i,
    (d) =>
      (Number(d.slice(2, 4)) % 50) % 20 <= 12 &&
      Number(d.slice(4, 6)) <= 31 &&
      (d.length === 9 || Number(d) % 11 === 0),
  ),
  id('ro-cnp', 'CNP', /^[1-9]\d{12}(?!\d)/, [13], /\bcnp\b|cod numeric/i, (d) => {
    const rest = sum(d, [2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9], 11)
    return (rest === 10 ? 1 : rest) === last(d)
  }),
  id(
    'bg-egn',
    'EGN',
    /^\d{10}(?!\d)/,
    [10],
    /\begn\b|егн/i,
    (d) => sum(d, [2, 4, 8, 5, 10, 9, 7, 3, 6], 11) % 10 === last(d),
  ),
  id('hr-oib', 'OIB', /^\d{11}(?!\d)/, [11], /\boib\b|osobni identifikacijski/i, mod1110),
  id('rs-jmbg', 'JMBG', /^\d{13}(?!\d)/, [13], /jmbg|jmb\b|emšo|emso|матични/i),
  id('hu-taj', 'TAJ', /^\d{3}([ -]?)\d{3}\1\d{3}(?!\d)/, [3, 9], /\btaj\b/i),
  id(
    'pl-nip',
    'NIP',
    /^\d{3}-?\d{3}-?\d{2}-?\d{2}(?!\d)|^\d{3}-\d{2}-\d{2}-\d{3}(?!\d)/,
    [3, 10],
    /\bnip\b/i,
    (d) => sum(d, [6, 5, 7, 2, 3, 4, 5, 6, 7], 11) === last(d),
  ),
  id('pl-dowod', 'IDENTITY_CARD', /^[A-Z]{3} ?\d{6}(?![A-Za-z0-9])/, '3', /dow[oó]d|identity card|id card/i),
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
    'at-svnr',
    'SVNR',
    /^\d{4} ?\d{6}(?!\d)/,
    [4, 10],
    /svnr|sozialvers|versicherungsnummer/i,
    (d) => sum(d, [3, 7, 9, 0, 5, 8, 4, 2, 1, 6], 11) === Number(d[3]),
  ),
  id(
    'de-social-security',
    'SVNR',
    /^\d{2} ?\d{6} ?[A-Z] ?\d{3}(?![A-Za-z0-9])/,
    [2, 8],
    /renten|sozialvers|versicherungsnummer|\bsvnr\b|\brvnr\b/i,
  ),
  id(
    'de-health-insurance',
    'INSURANCE_NUMBER',
    /^[A-Z]\d{9}(?![A-Za-z0-9])/,
    '1',
    /versicherte|kvnr|krankenkasse|gesundheitskarte/i,
  ),
  id(
    'de-identity-card',
    'IDENTITY_CARD',
    /^[CFGHJKLMNPRTVWXYZ][0-9CFGHJKLMNPRTVWXYZ]{8}\d?(?![A-Za-z0-9])/,
    '1234',
    /ausweis|reisepass|passport|id card|identity card/i,
  ),
  id('fr-passport', 'PASSPORT', /^\d{2}[A-Z]{2}\d{5}(?![A-Za-z0-9])/i, [2], /passeport|passport/i),
  id('fr-siret', 'SIRET', /^\d{3} ?\d{3} ?\d{3}(?: ?\d{5})?(?!\d)/, [3, 9, 14], /sire[nt]/i, luhn),
  id(
    'it-identity-card',
    'IDENTITY_CARD',
    /^[A-Z]{2}\d{5}[A-Z]{2}(?![A-Za-z0-9])|^[A-Z]{2} ?\d{7}(?![A-Za-z0-9])/i,
    '2',
    /carta d.identit|\bcie\b|identity card|documento/i,
  ),
  id(
    'pt-nif',
    'NIF',
    /^[1-35689]\d{8}(?!\d)|^\d{3} \d{3} \d{3}(?!\d)/,
    [3, 9],
    /(?<![a-z])nif(?![a-z])|contribuinte|portug/i,
    (d) => ((11 - sum(d, [9, 8, 7, 6, 5, 4, 3, 2], 11)) % 11) % 10 === last(d),
  ),
  id('ie-pps', 'PPSN', /^\d{7}[A-W][A-IW]?(?![A-Za-z0-9])/i, [7], /\bpps|public service/i),
  id('gr-afm', 'AFM', /^\d{9}(?!\d)/, [9], /\bafm\b|αφμ|α\.φ\.μ/i),
  id('gr-amka', 'AMKA', /^\d{11}(?!\d)/, [11], /amka|αμκα/i),
  id(
    'uk-driving-licence',
    'DRIVER_LICENSE',
    /^[A-Z9]{5}\d[0156]\d[0-3]\d{2}[A-Z9]{2}[A-Z0-9]\d?[A-Z]{2}(?![A-Za-z0-9])/,
    '345',
  ),
  id('uk-utr', 'UTR', /^\d{5} ?\d{5}(?!\d)/, [5, 10], /\butr\b|unique taxpayer/i),
  id('uk-sort-code', 'SORT_CODE', /^\d{2}-\d{2}-\d{2}(?!\d)|^\d{6}(?!\d)/, [2, 6], /sort ?code/i),
  id(
    'uk-passport',
    'PASSPORT',
    /^\d{9}(?!\d)/,
    [9],
    /passport|pasaporte|passeport|reisepass|paspoort|passaporto|паспорт|护照|護照|パスポート|旅券|여권/i,
  ),
  id('ru-passport', 'PASSPORT', /^\d{2} ?\d{2} ?\d{6}(?!\d)/, [2, 4, 10], /паспорт|passport/i),
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
  id('ua-tax-id', 'TAX_ID', /^\d{10}(?!\d)/, [10], /іпн|рнокпп|ідентифікаційн/i),
  id(
    'eu-vat',
    'VAT',
    /^(?:ATU\d{8}|BE[01]\d{9}|BG\d{9,10}|CY\d{8}[A-Z]|CZ\d{8,10}|DE\d{9}|DK\d{8}|EE\d{9}|EL\d{9}|ES[A-Z0-9]\d{7}[A-Z0-9]|FI\d{8}|FR[A-Z0-9]{2}\d{9}|GB\d{9}(?:\d{3})?|HR\d{11}|HU\d{8}|IE\d{7}[A-Z]{1,2}|IT\d{11}|LT\d{9,12}|LU\d{8}|LV\d{11}|MT\d{8}|NL\d{9}B\d{2}|PL\d{10}|PT\d{9}|RO\d{2,10}|SE\d{12}|SI\d{8}|SK\d{10}|CHE-?\d{3}\.?\d{3}\.?\d{3})(?![A-Za-z0-9])/,
    '123',
    /vat|ust|uid|tva|iva\b|btw|mwst|umsatz|moms|alv|dph|áfa|nip\b|tax/i,
  ),
  id('us-ein', 'EIN', /^\d{2}-?\d{7}(?!\d)/, [2, 9], /\bf?ein\b|employer id|tax id|irs/i),
  id('us-npi', 'NPI', /^[12]\d{9}(?!\d)/, [10], /\bnpi\b|provider id/i, (d) => luhn(`80840${d}`)),
  id(
    'us-mbi',
    'MEDICARE',
    /^[1-9][AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y]\d-[AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y]\d-[AC-HJKMNP-RT-Y]{2}\d{2}(?![A-Za-z0-9])/,
    [1],
  ),
  id(
    'ca-health-card',
    'HEALTH_CARD',
    /^\d{4}([ -]?)\d{3}\1\d{3}(?:[ -]?[A-Z]{2})?(?![A-Za-z0-9])/,
    [4, 10],
    /ohip|health card|health number|ramq/i,
  ),
  id('mx-curp', 'CURP', /^[A-Z][AEIOUX][A-Z]{2}\d{6}[HMX][A-Z]{5}[A-Z0-9]\d(?![A-Za-z0-9])/i, '4', undefined, curp),
  id('mx-rfc', 'RFC', /^[A-ZÑ&]{3,4}\d{6}[A-Z0-9]{3}(?![A-Za-z0-9])/i, '34', /\brfc\b|contribuyente/i, (t) =>
    born(t.replace(/^[^\d]+/, '')),
  ),
  id('mx-clabe', 'CLABE', /^\d{18}(?!\d)/, [18], /clabe|interbancaria/i),
  id('mx-nss', 'NSS', /^\d{11}(?!\d)/, [11], /\bnss\b|\bimss\b|seguro social/i),
  id('br-rg', 'RG', /^\d{1,2}\.?\d{3}\.?\d{3}-?[\dXx](?![A-Za-z0-9])/, [1, 2, 8, 9], /\brg\b|identidade/i),
  id('br-cnh', 'DRIVER_LICENSE', /^\d{11}(?!\d)/, [11], /\bcnh\b|habilita/i),
  id(
    'br-pis',
    'PIS',
    /^\d{3}\.?\d{5}\.?\d{2}-?\d(?!\d)/,
    [3, 11],
    /\bpis\b|pasep|\bnis\b|\bnit\b/i,
    (d) => ((11 - sum(d, [3, 2, 9, 8, 7, 6, 5, 4, 3, 2], 11)) % 11) % 10 === last(d),
  ),
  id('ar-cuit', 'CUIT', /^(?:20|2[347]|30|3[34])-?\d{8}-?\d(?!\d)/, [2, 11], /cui[tl]|argent/i, argentine, 'separated'),
  id('ar-dni', 'DNI', /^\d{1,2}\.\d{3}\.\d{3}(?!\d)|^\d{7,8}(?![A-Za-z0-9])/, [1, 2, 7, 8], /\bdni\b|documento/i),
  id(
    'cl-rut',
    'RUT',
    /^\d{1,2}\.\d{3}\.\d{3}-[\dKk](?![A-Za-z0-9])|^\d{7,8}-[\dKk](?![A-Za-z0-9])/,
    [1, 2, 7, 8],
    /\bru[tn]\b|chile/i,
    chilean,
    'separated',
  ),
  id(
    'co-cedula',
    'CEDULA',
    /^\d{1,3}(?:\.\d{3}){2,3}(?!\d)|^\d{6,10}(?![A-Za-z0-9])/,
    [1, 2, 3, 6, 7, 8, 9, 10],
    /[cC][éeÉE]dula|CEDULA|\bNIT\b|[cC]iudadan/,
  ),
  id('pe-ruc', 'RUC', /^[12]\d{10}(?!\d)/, [11], /\bruc\b/i),
  id('ng-nin', 'NIN', /^\d{11}(?!\d)/, [11], /\bnin\b|\bbvn\b|nigeria/i),
  id('gh-card', 'GHANA_CARD', /^GHA-\d{9}-\d(?!\d)/, '3'),
  id('nz-ird', 'IRD', /^\d{2,3}([ -]?)\d{3}\1\d{3}(?!\d)/, [2, 3, 8, 9], /\bird\b|inland revenue/i),
]
