import { isBase58Check } from './base58.ts'
import { luhn, verhoeff, weighted } from './checksum.ts'

const last = (text: string): number => Number(text.at(-1))
const isOneDigit = (digits: string): boolean => /^(\d)\1+$/.test(digits)

/** Checks the month and the day of a date with six digits. Some countries add a multiple of 20 to the month. */
const isDate = (digits: string, months = 12): boolean => {
  const month = Number(digits.slice(2, 4)) % 20
  const day = Number(digits.slice(4, 6))
  return month >= 1 && month <= months && day >= 1 && day <= 31
}
const nif = (text: string): boolean => 'TRWAGMYFPDXBNJZSQVHLCKE'[Number(text.slice(0, 8)) % 23] === text[8]
const CNPJ = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]
/** The values of letters and digits at odd positions of a fiscal code. */
const ODD = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23]

/**
 * The checks of identity and account numbers, which rules refer to by name. They verify check digits and dates of
 * numbers without separators.
 */
export const countryChecks = {
  base58Check: isBase58Check,
  luhn,
  verhoeff,
  argentine: (d: string): boolean => (11 - weighted(d, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2], 11)) % 11 === last(d),
  belgian(d: string): boolean {
    const body = Number(d.slice(0, 9))
    const check = Number(d.slice(9))
    return isDate(d, 13) && (97 - (body % 97) === check || 97 - ((2_000_000_000 + body) % 97) === check)
  },
  chilean(t: string): boolean {
    let total = 0
    const body = t.slice(0, -1)
    for (let i = 0; i < body.length; i++) total += Number(body[body.length - 1 - i]) * (2 + (i % 6))
    const check = 11 - (total % 11)
    return (check === 11 ? '0' : check === 10 ? 'K' : String(check)) === t.slice(-1).toUpperCase()
  },
  chinese(t: string): boolean {
    const month = Number(t.slice(10, 12))
    const day = Number(t.slice(12, 14))
    if (!/^[1-8]\d{5}(?:18|19|20)/.test(t) || month < 1 || month > 12 || day < 1 || day > 31) return false
    const sum = weighted(t, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2], 11)
    return '10X98765432'[sum] === t.charAt(17).toUpperCase()
  },
  cnpj(d: string): boolean {
    const digit = (count: number): number => {
      const rest = weighted(d, CNPJ.slice(13 - count), 11)
      return rest < 2 ? 0 : 11 - rest
    }
    return !isOneDigit(d) && digit(12) === Number(d[12]) && digit(13) === Number(d[13])
  },
  cpf(d: string): boolean {
    if (/^(\d)\1+$|^0?1234567890?9?$/.test(d)) return false
    const digit = (count: number): number => {
      let sum = 0
      for (let i = 0; i < count; i++) sum += Number(d[i]) * (count + 1 - i)
      return ((sum * 10) % 11) % 10
    }
    return digit(9) === Number(d[9]) && digit(10) === Number(d[10])
  },
  curp(t: string): boolean {
    let total = 0
    for (let i = 0; i < 17; i++)
      total += '0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ'.indexOf(t.charAt(i).toUpperCase()) * (18 - i)
    return (10 - (total % 10)) % 10 === last(t)
  },
  date: (d: string): boolean => isDate(d),
  dateAfterLetters: (t: string): boolean => isDate(t.replace(/^[^\d]+/, ''), 13),
  dea: (t: string): boolean => weighted(t.slice(2), [1, 2, 1, 2, 1, 2], 1000) % 10 === Number(t[8]),
  ean: (d: string): boolean => weighted(d, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1], 10) === 0,
  fiscalCode(t: string): boolean {
    const text = t.toUpperCase()
    let sum = 0
    for (let i = 0; i < 15; i++) {
      const code = text.charCodeAt(i)
      const value = code < 58 ? code - 48 : code - 65
      sum += i % 2 === 0 ? (ODD[value] ?? 0) : value
    }
    return String.fromCharCode(65 + (sum % 26)) === text[15]
  },
  germanTax(d: string): boolean {
    let product = 10
    for (let i = 0; i < 10; i++) {
      const sum = (Number(d[i]) + product) % 10 || 10
      product = (sum * 2) % 11
    }
    return (11 - product) % 10 === Number(d[10])
  },
  hetu: (t: string): boolean =>
    '0123456789ABCDEFHJKLMNPRSTUVWXY'[Number(t.slice(0, 6) + t.slice(-4, -1)) % 31] === t.at(-1),
  medicare: (d: string): boolean => weighted(d, [1, 3, 7, 9, 1, 3, 7, 9], 10) === Number(d[8]),
  nhs: (d: string): boolean =>
    (11 - weighted(d, [10, 9, 8, 7, 6, 5, 4, 3, 2], 11)) % 11 === Number(d[9]) && !isOneDigit(d),
  nie: (t: string): boolean => nif(`${'XYZ'.indexOf(t.charAt(0))}${t.slice(1)}`),
  nif,
  nir: (t: string): boolean =>
    97 - Number(BigInt(t.slice(0, 13).replace(/2A/i, '19').replace(/2B/i, '18')) % 97n) === Number(t.slice(13)),
  norwegian: (d: string): boolean =>
    weighted(d, [3, 7, 6, 1, 8, 9, 4, 5, 2, 1], 11) === 0 && weighted(d, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1], 11) === 0,
  npi: (d: string): boolean => luhn(`80840${d}`),
  nric(t: string): boolean {
    const sum =
      weighted(t.slice(1, 8), [2, 7, 6, 5, 4, 3, 2], 1000) + ('TG'.includes(t.charAt(0)) ? 4 : t[0] === 'M' ? 3 : 0)
    if (t[0] === 'M') return 'KLJNPQRTUWX'[10 - (sum % 11)] === t[8]
    return ('ST'.includes(t.charAt(0)) ? 'JZIHGFEDCBA' : 'XWUTRQPNMLK')[sum % 11] === t[8]
  },
  personnummer: (t: string): boolean =>
    isDate(t.slice(-11, -5).replace('-', '')) && luhn(t.replace(/[-+]/, '').slice(-10)),
  pesel: (d: string): boolean =>
    isDate(d) && (10 - weighted(d, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3], 10)) % 10 === Number(d[10]),
  snils: (d: string): boolean => weighted(d, [9, 8, 7, 6, 5, 4, 3, 2, 1], 101) % 100 === Number(d.slice(9)),
  thai: (d: string): boolean => (11 - weighted(d, [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2], 11)) % 10 === Number(d[12]),
  turkish(d: string): boolean {
    const at = (i: number): number => Number(d[i])
    const odd = at(0) + at(2) + at(4) + at(6) + at(8)
    const even = at(1) + at(3) + at(5) + at(7)
    return d[0] !== '0' && (((odd * 7 - even) % 10) + 10) % 10 === at(9) && (odd + even + at(9)) % 10 === at(10)
  },
}
