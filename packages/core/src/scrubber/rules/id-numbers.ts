import type { IdNumber } from './id-number.ts'
import { luhn, verhoeff, weighted } from '../detectors/checks/checksum.ts'
import { isBase58Check } from '../detectors/checks/base58.ts'
import { nationalIds } from './national-ids.ts'

const CONTROL = 'TRWAGMYFPDXBNJZSQVHLCKE'
const nif = (text: string): boolean => CONTROL[Number(text.slice(0, 8)) % 23] === text[8]
const cpf = (d: string): boolean => {
  if (/^(\d)\1+$|^0?1234567890?9?$/.test(d)) return false
  const digit = (count: number): number => {
    let sum = 0
    for (let i = 0; i < count; i++) sum += Number(d[i]) * (count + 1 - i)
    return ((sum * 10) % 11) % 10
  }
  return digit(9) === Number(d[9]) && digit(10) === Number(d[10])
}
const CNPJ = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]
const cnpj = (d: string): boolean => {
  const digit = (count: number): number => {
    const rest = weighted(d, CNPJ.slice(13 - count), 11)
    return rest < 2 ? 0 : 11 - rest
  }
  return !/^(\d)\1+$/.test(d) && digit(12) === Number(d[12]) && digit(13) === Number(d[13])
}
const nhs = (d: string): boolean => {
  const check = (11 - weighted(d, [10, 9, 8, 7, 6, 5, 4, 3, 2], 11)) % 11
  return check === Number(d[9]) && !/^(\d)\1+$/.test(d)
}
const date = (d: string): boolean => {
  const month = Number(d.slice(2, 4)) % 20
  const day = Number(d.slice(4, 6))
  return month >= 1 && month <= 12 && day >= 1 && day <= 31
}
const nric = (text: string): boolean => {
  const sum =
    weighted(text.slice(1, 8), [2, 7, 6, 5, 4, 3, 2], 1000) +
    ('TG'.includes(text.charAt(0)) ? 4 : text[0] === 'M' ? 3 : 0)
  const letter = 'ST'.includes(text.charAt(0))
    ? 'JZIHGFEDCBA'[sum % 11]
    : text[0] === 'M'
      ? 'KLJNPQRTUWX'[10 - (sum % 11)]
      : 'XWUTRQPNMLK'[sum % 11]
  return letter === text[8]
}
const ODD = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23]
const fiscal = (text: string): boolean => {
  let sum = 0
  for (let i = 0; i < 15; i++) {
    const code = text.charCodeAt(i)
    const value = code < 58 ? code - 48 : code - 65
    sum += i % 2 === 0 ? (ODD[value] ?? 0) : value
  }
  return String.fromCharCode(65 + (sum % 26)) === text[15]
}
const government = (
  id: string,
  placeholder: string,
  pattern: RegExp,
  valid?: (bare: string) => boolean,
  near?: RegExp,
  always?: true,
): IdNumber => ({
  id,
  category: 'government_id',
  placeholder,
  pattern,
  ...(valid && { valid }),
  ...(near && { near }),
  ...(always && { always }),
})

/**
 * Numbers of persons and accounts, each with its check digits. They are tried where a digit begins a word or follows
 * its letters.
 */
export const idNumbers: readonly IdNumber[] = [
  {
    id: 'bitcoin-address',
    category: 'crypto_address',
    placeholder: 'CRYPTO_ADDRESS',
    pattern: /^[13][1-9A-HJ-NP-Za-km-z]{25,34}(?![A-Za-z0-9])/,
    valid: isBase58Check,
  },
  {
    ...government(
      'uk-nino',
      'NATIONAL_INSURANCE',
      /^(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D](?![A-Za-z0-9])/i,
      undefined,
      /\bni\b|nino|insurance|hmrc|payroll|employee/i,
    ),
    letters: '2',
  },
  { ...government('in-pan', 'PAN', /^[A-Z]{3}[ABCFGHLJPTK][A-Z]\d{4}[A-Z](?![A-Za-z0-9])/), letters: '5' },
  { ...government('sg-nric', 'NRIC', /^[STFGM]\d{7}[A-Z](?![A-Za-z0-9])/, nric), letters: '1' },
  {
    ...government('es-nie', 'NIE', /^[XYZ]-?\d{7}-?[A-Z](?![A-Za-z0-9])/, (t) =>
      nif(`${'XYZ'.indexOf(t.charAt(0))}${t.slice(1)}`),
    ),
    letters: '1',
  },
  { ...government('es-nif', 'NIF', /^\d{8}-?[A-Z](?![A-Za-z0-9])/, nif), runs: [8] },
  {
    ...government(
      'it-fiscal-code',
      'FISCAL_CODE',
      /^[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z](?![A-Za-z0-9])/i,
      (t) => fiscal(t.toUpperCase()),
    ),
    letters: '6',
  },
  {
    ...government(
      'us-dea',
      'DEA_NUMBER',
      /^[ABCDEFGHJKLMPRSTUX][A-Z9]\d{7}(?![A-Za-z0-9])/i,
      (t) => weighted(t.slice(2), [1, 2, 1, 2, 1, 2], 1000) % 10 === Number(t[8]),
      /dea|prescri|medical|license|certificate/i,
    ),
    letters: '12',
  },
  {
    ...government(
      'fi-hetu',
      'HETU',
      /^\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y](?![A-Za-z0-9])/,
      (t) => '0123456789ABCDEFHJKLMNPRSTUVWXY'[Number(t.slice(0, 6) + t.slice(-4, -1)) % 31] === t.at(-1),
    ),
    runs: [6],
  },
  { ...government('kr-rrn', 'RRN', /^\d{6}-[1-8]\d{6}(?!\d)/, date), runs: [6] },
  { ...government('br-cpf', 'CPF', /^\d{3}\.\d{3}\.\d{3}-\d{2}(?!\d)|^\d{11}(?!\d)/, cpf), runs: [3, 11] },
  {
    ...government(
      'br-cnpj',
      'CNPJ',
      /^\d{2}\.\d{3}\.\d{3}\/\d{4}-\d{2}(?!\d)|^\d{14}(?!\d)/,
      cnpj,
      /cnpj|empresa|company/i,
    ),
    runs: [2, 14],
  },
  {
    ...government(
      'in-aadhaar',
      'AADHAAR',
      /^[2-9]\d{3}([ -]?)\d{4}\1\d{4}(?![ -]?\d)/,
      verhoeff,
      /aadhaar|aadhar|uidai|uid/i,
    ),
    runs: [4, 12],
  },
  {
    ...government('uk-nhs', 'NHS_NUMBER', /^\d{3}([ -]?)\d{3}\1\d{4}(?!\d)/, nhs, /nhs|health|patient/i),
    runs: [3, 10],
  },
  {
    ...government(
      'ca-sin',
      'SIN',
      /^\d{3}([ -]?)\d{3}\1\d{3}(?![ -]?\d)/,
      luhn,
      /\bsin\b|social insurance|assurance sociale|\bnas\b/i,
    ),
    runs: [3, 9],
  },
  {
    ...government(
      'pl-pesel',
      'PESEL',
      /^\d{11}(?!\d)/,
      (d) => date(d) && (10 - weighted(d, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3], 10)) % 10 === Number(d[10]),
      /pesel|pol(?:ish|ska)|\bid\b/i,
    ),
    runs: [11],
  },
  {
    ...government(
      'fr-nir',
      'NIR',
      /^[12] ?\d{2} ?(?:0[1-9]|1[0-2]|[2-9]\d) ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}(?!\d)/i,
      (t) =>
        97 - Number(BigInt(t.slice(0, 13).replace(/2A/i, '19').replace(/2B/i, '18')) % 97n) === Number(t.slice(13)),
    ),
    runs: [1, 3, 5, 7, 13, 15],
  },
  {
    ...government(
      'au-medicare',
      'MEDICARE',
      /^[2-6]\d{3}([ -]?)\d{5}\1\d(?![ -]?\d)/,
      (d) => weighted(d, [1, 3, 7, 9, 1, 3, 7, 9], 10) === Number(d[8]),
      /medicare/i,
    ),
    runs: [4, 10],
  },
  {
    ...government(
      'se-personnummer',
      'PERSONNUMMER',
      /^(?:19|20)?\d{6}[-+]\d{4}(?!\d)/,
      (t) => date(t.slice(-11, -5).replace('-', '')) && luhn(t.replace(/[-+]/, '').slice(-10)),
    ),
    runs: [6, 8],
  },
  {
    ...government(
      'de-tax-id',
      'TAX_ID',
      /^[1-9]\d([ ]?)\d{3}\1\d{3}\1\d{3}(?!\d)/,
      deTax,
      /steuer|tax|idnr|identifikationsnummer|\btin\b/i,
      true,
    ),
    runs: [2, 11],
  },
  { ...government('it-vat', 'VAT', /^\d{11}(?!\d)/, (d) => luhn(d), /p\.? ?iva|partita|\bvat\b/i, true), runs: [11] },
  {
    ...government(
      'th-id',
      'THAI_ID',
      /^[1-8]-?\d{4}-?\d{5}-?\d{2}-?\d(?!\d)/,
      (d) => (11 - weighted(d, [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2], 11)) % 10 === Number(d[12]),
      /thai|national id|\bid card/i,
    ),
    runs: [1, 13],
  },
  {
    ...government(
      'za-id',
      'SA_ID',
      /^\d{13}(?!\d)/,
      (d) => date(d) && luhn(d),
      /south africa|\bid[ _]?(?:number|no\b)|identity (?:number|no)|\brsa\b/i,
      true,
    ),
    runs: [13],
  },
  {
    ...government(
      'driver-license',
      'DRIVER_LICENSE',
      /^(?:[A-Z]{1,2}-?\d{3}-?\d{3,4}-?\d{2}-?\d{3,4}|[A-Z]{1,3}\d{5,14}[A-Z]?)(?![A-Za-z0-9])/i,
      undefined,
      /driver'?s?.{0,2}li[cs]en[cs]e|driving li[cs]en[cs]e|\bDL\b|patente|licen[cs]e (?:number|no\b|#)/i,
      true,
    ),
    letters: '123',
  },
  {
    ...government(
      'us-itin',
      'ITIN',
      /^9\d{2}[- ]?(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])[- ]?\d{4}(?!\d)/,
      undefined,
      /itin|taxpayer|tax id/i,
    ),
    runs: [3, 9],
  },
  {
    ...government('us-npi', 'NPI', /^[12]\d{9}(?!\d)/, (d) => luhn(`80840${d}`), /\bnpi\b|national provider/i, true),
    runs: [10],
  },
  ...nationalIds,
  {
    id: 'us-routing',
    category: 'bank_account',
    placeholder: 'ROUTING_NUMBER',
    pattern: /^[0-3]\d{8}(?!\d)/,
    valid: (d) => weighted(d, [3, 7, 1, 3, 7, 1, 3, 7, 1], 10) === 0,
    near: /routing|\baba\b|\brtn\b/i,
    always: true,
    runs: [9],
  },
  {
    id: 'bank-account',
    category: 'bank_account',
    placeholder: 'BANK_ACCOUNT',
    pattern: /^\d{8,17}(?!\d)/,
    near: /(?:bank|checking|savings|deposit|debit)[^\n]{0,20}(?:account|acct|#|number)|routing[^\n]{0,40}account|account (?:number|no\b)|account: {1,6}\(?(?:checking|savings)|acct|(?:sort code|bsb|ifsc)[^\n]{0,24}account|konto(?:nummer|nr|-nr)|kontonr|n[úu]mero de cuenta|num[ée]ro de compte|rekeningnummer|iban|numero di conto|账号|口座番号|계좌/i,
    always: true,
    runs: [8, 9, 10, 11, 12, 13, 14, 15, 16, 17],
  },
  {
    id: 'imei',
    category: 'device_id',
    placeholder: 'IMEI',
    pattern: /^\d{15}(?!\d)/,
    valid: luhn,
    near: /imei/i,
    always: true,
    runs: [15],
  },
]

function deTax(digits: string): boolean {
  let product = 10
  for (let i = 0; i < 10; i++) {
    const sum = (Number(digits[i]) + product) % 10 || 10
    product = (sum * 2) % 11
  }
  return (11 - product) % 10 === Number(digits[10])
}
