import type { Condition } from '../engine/rule.ts'

/** One kind of government or account number. */
export interface IdNumber {
  /** Default: `government_id`. */
  readonly category?: string
  readonly placeholder: string
  /** The pattern, anchored at the start of the word. */
  readonly pattern: RegExp
  readonly valid?: Condition
  /**
   * The allowed numbers of letters before the first digit, each as one digit: `12` means one or two letters. Default:
   * 0.
   */
  readonly letters?: string
  /**
   * The allowed numbers of consecutive digits, up to the first separator. Applies only if no letters precede the
   * digits.
   */
  readonly runs?: readonly number[]
  /** If set, a number counts only if this regular expression matches shortly before or after the number. */
  readonly near?: RegExp
  /** Like `near`, but only for a number without separators. */
  readonly nearBare?: RegExp
}

/**
 * Identity and account numbers, by country. They are tried at a digit that begins a word or follows its first letters.
 * Numbers without a check digit, or with a check digit that 1 in 10 random numbers also has, count only near a word for
 * this kind of number. `personal-labels.ts` handles numbers right after the name of a field.
 */
export const idNumbers: Readonly<Record<string, IdNumber>> = {
  'bitcoin-address': {
    category: 'crypto_address',
    placeholder: 'CRYPTO_ADDRESS',
    pattern: /^[13][1-9A-HJ-NP-Za-km-z]{25,34}(?![A-Za-z0-9])/,
    valid: 'base58Check',
  },
  'uk-nino': {
    placeholder: 'NATIONAL_INSURANCE',
    pattern: /^(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D](?![A-Za-z0-9])/i,
    letters: '2',
    nearBare: /\bni\b|nino|insurance|hmrc|payroll|employee/i,
  },
  'in-pan': { placeholder: 'PAN', pattern: /^[A-Z]{3}[ABCFGHLJPTK][A-Z]\d{4}[A-Z](?![A-Za-z0-9])/, letters: '5' },
  'sg-nric': { placeholder: 'NRIC', pattern: /^[STFGM]\d{7}[A-Z](?![A-Za-z0-9])/, valid: 'nric', letters: '1' },
  'es-nie': { placeholder: 'NIE', pattern: /^[XYZ]-?\d{7}-?[A-Z](?![A-Za-z0-9])/, valid: 'nie', letters: '1' },
  'es-nif': { placeholder: 'NIF', pattern: /^\d{8}-?[A-Z](?![A-Za-z0-9])/, valid: 'nif', runs: [8] },
  'pt-nif': { placeholder: 'NIF', pattern: /^[1-35689]\d{8}(?!\d)/, runs: [9], near: /\bnif\b|contribuinte/i },
  'it-fiscal-code': {
    placeholder: 'FISCAL_CODE',
    pattern: /^[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z](?![A-Za-z0-9])/i,
    valid: 'fiscalCode',
    letters: '6',
  },
  'us-dea': {
    placeholder: 'DEA_NUMBER',
    pattern: /^[ABCDEFGHJKLMPRSTUX][A-Z9]\d{7}(?![A-Za-z0-9])/i,
    valid: 'dea',
    letters: '12',
    nearBare: /dea|prescri|medical|license|certificate/i,
  },
  'fi-hetu': {
    placeholder: 'HETU',
    pattern: /^\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y](?![A-Za-z0-9])/,
    valid: 'hetu',
    runs: [6],
  },
  'kr-rrn': { placeholder: 'RRN', pattern: /^\d{6}-[1-8]\d{6}(?!\d)/, valid: 'date', runs: [6] },
  'br-cpf': {
    placeholder: 'CPF',
    pattern: /^\d{3}\.\d{3}\.\d{3}-\d{2}(?!\d)|^\d{11}(?!\d)/,
    valid: 'cpf',
    runs: [3, 11],
    nearBare: /cpf|cliente|titular|pix|contribuinte|documento|bras?il/i,
  },
  'br-cnpj': {
    placeholder: 'CNPJ',
    pattern: /^\d{2}\.\d{3}\.\d{3}\/\d{4}-\d{2}(?!\d)|^\d{14}(?!\d)/,
    valid: 'cnpj',
    runs: [2, 14],
    nearBare: /cnpj|empresa|company/i,
  },
  'in-aadhaar': {
    placeholder: 'AADHAAR',
    pattern: /^[2-9]\d{3}([ -]?)\d{4}\1\d{4}(?![ -]?\d)/,
    valid: 'verhoeff',
    runs: [4, 12],
    nearBare: /aadhaar|aadhar|uidai|uid/i,
  },
  'uk-nhs': {
    placeholder: 'NHS_NUMBER',
    pattern: /^\d{3}([ -]?)\d{3}\1\d{4}(?!\d)/,
    valid: 'nhs',
    runs: [3, 10],
    nearBare: /nhs|health|patient/i,
  },
  'ca-sin': {
    placeholder: 'SIN',
    pattern: /^\d{3}([ -]?)\d{3}\1\d{3}(?![ -]?\d)/,
    valid: 'luhn',
    runs: [3, 9],
    nearBare: /\bsin\b|social insurance|assurance sociale|\bnas\b/i,
  },
  'pl-pesel': {
    placeholder: 'PESEL',
    pattern: /^\d{11}(?!\d)/,
    valid: 'pesel',
    runs: [11],
    nearBare: /pesel|pol(?:ish|ska)/i,
  },
  'fr-nir': {
    placeholder: 'NIR',
    pattern: /^[12] ?\d{2} ?(?:0[1-9]|1[0-2]|[2-9]\d) ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}(?!\d)/i,
    valid: 'nir',
    runs: [1, 3, 5, 7, 13, 15],
  },
  'au-medicare': {
    placeholder: 'MEDICARE',
    pattern: /^[2-6]\d{3}([ -]?)\d{5}\1\d(?![ -]?\d)/,
    valid: 'medicare',
    runs: [4, 10],
    nearBare: /medicare/i,
  },
  'se-personnummer': {
    placeholder: 'PERSONNUMMER',
    pattern: /^(?:19|20)?\d{6}[-+]\d{4}(?!\d)/,
    valid: 'personnummer',
    runs: [6, 8],
  },
  'de-tax-id': {
    placeholder: 'TAX_ID',
    pattern: /^[1-9]\d([ ]?)\d{3}\1\d{3}\1\d{3}(?!\d)/,
    valid: 'germanTax',
    runs: [2, 11],
    near: /steuer|tax|idnr|identifikationsnummer|\btin\b/i,
  },
  'th-id': {
    placeholder: 'THAI_ID',
    pattern: /^[1-8]-?\d{4}-?\d{5}-?\d{2}-?\d(?!\d)/,
    valid: 'thai',
    runs: [1, 13],
    nearBare: /thai|national id|\bid card/i,
  },
  'za-id': {
    placeholder: 'SA_ID',
    pattern: /^\d{13}(?!\d)/,
    valid: ['date', 'luhn'],
    runs: [13],
    near: /south africa|\bid[ _]?(?:number|no\b)|identity (?:number|no)|\brsa\b/i,
  },
  'driver-license': {
    placeholder: 'DRIVER_LICENSE',
    pattern: /^(?:[A-Z]{1,2}-?\d{3}-?\d{3,4}-?\d{2}-?\d{3,4}|[A-Z]{1,3}\d{5,14}[A-Z]?)(?![A-Za-z0-9])/i,
    letters: '123',
    near: /driver'?s?.{0,2}li[cs]en[cs]e|driving li[cs]en[cs]e|\bDL\b(?!>)|patente|licen[cs]e (?:number|no\b|#)/i,
  },
  'us-itin': {
    placeholder: 'ITIN',
    pattern: /^9\d{2}[- ]?(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])[- ]?\d{4}(?!\d)/,
    runs: [3, 9],
    nearBare: /itin|taxpayer|tax id/i,
  },
  'us-npi': {
    placeholder: 'NPI',
    pattern: /^[12]\d{9}(?!\d)/,
    valid: 'npi',
    runs: [10],
    near: /\bnpi\b|national provider/i,
  },
  'cn-id': { placeholder: 'CHINESE_ID', pattern: /^\d{17}[\dXx](?![A-Za-z0-9])/, valid: 'chinese', runs: [17, 18] },
  'in-gstin': { placeholder: 'GSTIN', pattern: /^\d{2}[A-Z]{5}\d{4}[A-Z][1-9A-Z]Z[0-9A-Z](?![A-Za-z0-9])/, runs: [2] },
  'ae-emirates-id': { placeholder: 'EMIRATES_ID', pattern: /^784-?(?:19|20)\d{2}-?\d{7}-?\d(?!\d)/, runs: [3, 15] },
  'tr-tckn': {
    placeholder: 'TCKN',
    pattern: /^[1-9]\d{10}(?!\d)/,
    valid: 'turkish',
    runs: [11],
    near: /t\.?c\.?\b|kimlik|tckn|turkish/i,
  },
  'be-nrn': {
    placeholder: 'NATIONAL_REGISTER',
    pattern: /^\d{2}\.\d{2}\.\d{2}[-.]\d{3}[-.]\d{2}(?!\d)|^\d{11}(?!\d)/,
    valid: 'belgian',
    runs: [2, 11],
    nearBare: /rijksregister|registre national|national number|\bnrn\b|\binsz\b|\bniss\b|belg/i,
  },
  'no-fodselsnummer': {
    placeholder: 'FODSELSNUMMER',
    pattern: /^\d{6} ?\d{5}(?!\d)/,
    valid: 'norwegian',
    runs: [6, 11],
    near: /f(?:ø|o|oe)dsels|personnummer|norw|norsk|\bfnr\b/i,
  },
  'ch-ahv': {
    placeholder: 'AHV',
    pattern: /^756\.\d{4}\.\d{4}\.\d{2}(?!\d)|^756\d{10}(?!\d)/,
    valid: 'ean',
    runs: [3, 13],
    nearBare: /ahv|avs|\bssn\b|swiss|sozial|oasi/i,
  },
  'uk-driving-licence': {
    placeholder: 'DRIVER_LICENSE',
    pattern: /^[A-Z9]{5}\d[0156]\d[0-3]\d{2}[A-Z9]{2}[A-Z0-9]\d?[A-Z]{2}(?![A-Za-z0-9])/,
    letters: '345',
  },
  'ru-snils': {
    placeholder: 'SNILS',
    pattern: /^\d{3}-\d{3}-\d{3}[ -]\d{2}(?!\d)|^\d{11}(?!\d)/,
    valid: 'snils',
    runs: [3, 11],
    nearBare: /снилс|snils/i,
  },
  'eu-vat': {
    placeholder: 'VAT',
    pattern:
      /^(?:ATU\d{8}|BE[01]\d{9}|BG\d{9,10}|CY\d{8}[A-Z]|CZ\d{8,10}|DE\d{9}|DK\d{8}|EE\d{9}|EL\d{9}|ES[A-Z0-9]\d{7}[A-Z0-9]|FI\d{8}|FR[A-Z0-9]{2}\d{9}|GB\d{9}(?:\d{3})?|HR\d{11}|HU\d{8}|IE\d{7}[A-Z]{1,2}|IT\d{11}|LT\d{9,12}|LU\d{8}|LV\d{11}|MT\d{8}|NL\d{9}B\d{2}|PL\d{10}|PT\d{9}|RO\d{2,10}|SE\d{12}|SI\d{8}|SK\d{10}|CHE-?\d{3}\.?\d{3}\.?\d{3})(?![A-Za-z0-9])/,
    letters: '123',
    near: /vat|ust|uid|tva|iva\b|btw|mwst|umsatz|moms|alv|dph|áfa|nip\b|tax/i,
  },
  'us-mbi': {
    placeholder: 'MEDICARE',
    pattern:
      /^[1-9][AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y]\d-[AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y]\d-[AC-HJKMNP-RT-Y]{2}\d{2}(?![A-Za-z0-9])/,
    runs: [1],
  },
  'mx-curp': {
    placeholder: 'CURP',
    pattern: /^[A-Z][AEIOUX][A-Z]{2}\d{6}[HMX][A-Z]{5}[A-Z0-9]\d(?![A-Za-z0-9])/i,
    valid: 'curp',
    letters: '4',
  },
  'ar-cuit': {
    placeholder: 'CUIT',
    pattern: /^(?:20|2[347]|30|3[34])-?\d{8}-?\d(?!\d)/,
    valid: 'argentine',
    runs: [2, 11],
    nearBare: /cui[tl]|argent/i,
  },
  'cl-rut': {
    placeholder: 'RUT',
    pattern: /^\d{1,2}\.\d{3}\.\d{3}-[\dKk](?![A-Za-z0-9])/,
    valid: 'chilean',
    runs: [1, 2],
    nearBare: /\brut\b|chile/i,
  },
  // `near` is required, because part numbers have the same form.
  'cl-rut-plain': {
    placeholder: 'RUT',
    pattern: /^\d{7,8}-?[\dKk](?![A-Za-z0-9])/,
    valid: 'chilean',
    runs: [7, 8, 9],
    near: /\brut\b|chile/i,
  },
  'mx-rfc': {
    placeholder: 'RFC',
    pattern: /^[A-ZÑ&]{3,4}\d{6}[A-Z0-9]{3}(?![A-Za-z0-9])/i,
    valid: 'dateAfterLetters',
    letters: '34',
    near: /\brfc\b|contribuyente/i,
  },
  'us-ein': {
    placeholder: 'EIN',
    pattern: /^\d{2}-?\d{7}(?!\d)/,
    runs: [2, 9],
    near: /\bf?ein\b|employer id|tax id|irs/i,
  },
  'gh-card': { placeholder: 'GHANA_CARD', pattern: /^GHA-\d{9}-\d(?!\d)/, letters: '3' },
  'bank-account': {
    category: 'bank_account',
    placeholder: 'BANK_ACCOUNT',
    pattern: /^\d{8,17}(?!\d)/,
    runs: [8, 9, 10, 11, 12, 13, 14, 15, 16, 17],
    near: /(?:bank|checking|savings|deposit|debit)[^\n]{0,20}(?:account|acct|#|number)|routing[^\n]{0,40}account|account (?:number|no\b)|account: {1,6}\(?(?:checking|savings)|acct|(?:sort code|bsb|ifsc)[^\n]{0,24}account|konto(?:nummer|nr|-nr)|kontonr|n[úu]mero de cuenta|num[ée]ro de compte|rekeningnummer|iban|numero di conto|账号|口座番号|계좌/i,
  },
}
