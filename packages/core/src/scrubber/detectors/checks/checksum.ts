/** Check digits of card and identity numbers. All functions except `luhn` expect a number without separators. */

/** Checks the check digit of ISO/IEC 7812 (cards, Canadian SINs and other numbers). Ignores separators. */
export function luhn(number: string): boolean {
  const digits = number.replace(/\D/g, '')
  let sum = 0
  for (let i = digits.length - 1, double = false; i >= 0; i--, double = !double) {
    let digit = digits.charCodeAt(i) - 48
    if (double && (digit *= 2) > 9) digit -= 9
    sum += digit
  }
  return sum % 10 === 0
}

/** Returns whether a number is in a range of card issuers and has the length of that range (ISO/IEC 7812). */
export const isCard = (digits: string): boolean =>
  /^(?:4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[01]|720)\d{12,13}|3[47]\d{13}|3(?:0[0-59]|[689]\d)\d{11,16}|6(?:011|4[4-9]\d|5\d\d)\d{12,15}|35(?:2[89]|[3-8]\d)\d{12}|62\d{14,17}|(?:5018|5020|5038|5893|6304|6759|676[1-3])\d{8,15}|220[0-4]\d{12}|8[16]\d{14}|60\d{14}|508[5-9]\d{12})$/.test(
    digits,
  ) &&
  luhn(digits) &&
  !/^(\d)\1+$/.test(digits)

/** Returns the sum of the digits times their weights, modulo `modulus`. */
export const weighted = (digits: string, weights: readonly number[], modulus: number): number =>
  weights.reduce((sum, weight, i) => sum + weight * (digits.charCodeAt(i) - 48), 0) % modulus

const D5 = '0123456789123406789523401789563401289567401239567859876043216598710432765982104387659321049876543210'
const P8 = [
  '0123456789',
  '1576283094',
  '5803796142',
  '8916043527',
  '9453126870',
  '4286573901',
  '2793806415',
  '7046913258',
]

/** Checks the check digit of Verhoeff's scheme over the dihedral group D5, which Aadhaar numbers use. */
export function verhoeff(digits: string): boolean {
  let check = 0
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(P8[i % 8]?.[Number(digits[digits.length - 1 - i])])
    check = Number(D5[check * 10 + digit])
  }
  return check === 0
}

/** The countries, each with the length of its IBAN. */
const IBAN_LENGTHS = `AD24AE23AL28AT20AZ28BA20BE16BG22BH22BR29BY28CH21CR22CY28CZ24DE22DK18DO28EE20EG29ES24FI18FO18FR27GB22GE22GI23GL18GR27GT28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20LU20LV21LY25MC27MD24ME22MK19MR27MT31MU30NL18NO15PK24PL28PS29PT25QA29RO24RS22SA24SC31SE24SI19SK24SM27ST25SV28TL23TN24TR26UA29VA22VG24XK20`

/** Returns the length of the IBANs of a country, or 0 if the country has no IBANs. */
export const ibanLength = (country: string): number => {
  const at = IBAN_LENGTHS.indexOf(country)
  return at >= 0 && at % 4 === 0 ? Number(IBAN_LENGTHS.slice(at + 2, at + 4)) : 0
}

/** Checks ISO 7064 MOD 97-10 of an IBAN (ISO 13616). */
export function isIban(text: string): boolean {
  const moved = text.slice(4) + text.slice(0, 4)
  let rest = 0
  for (let i = 0; i < moved.length; i++) {
    const code = moved.charCodeAt(i)
    rest = code >= 65 ? (rest * 100 + code - 55) % 97 : (rest * 10 + code - 48) % 97
  }
  return rest === 1
}
