/** Check digits of card and identity numbers. All take digits only (letters where the scheme has them). */

/** Checks ISO/IEC 7812: cards, Canadian SIN and others. */
export function luhn(digits: string): boolean {
  let sum = 0
  for (let i = digits.length - 1, double = false; i >= 0; i--, double = !double) {
    let digit = digits.charCodeAt(i) - 48
    if (double && (digit *= 2) > 9) digit -= 9
    sum += digit
  }
  return sum % 10 === 0
}

/** Ranges that issuers use, with their lengths (ISO/IEC 7812 identification numbers). */
export const isCard = (digits: string): boolean =>
  /^(?:4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[01]|720)\d{12,13}|3[47]\d{13}|3(?:0[0-59]|[689]\d)\d{11,16}|6(?:011|4[4-9]\d|5\d\d)\d{12,15}|35(?:2[89]|[3-8]\d)\d{12}|62\d{14,17}|(?:5018|5020|5038|5893|6304|6759|676[1-3])\d{8,15}|220[0-4]\d{12}|8[16]\d{14}|60\d{14}|508[5-9]\d{12})$/.test(
    digits,
  ) &&
  luhn(digits) &&
  !/^(\d)\1+$/.test(digits)

/** Weights times digits, modulo. */
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

/** Checks Verhoeff's scheme over the dihedral group D5: Aadhaar. */
export function verhoeff(digits: string): boolean {
  let check = 0
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(P8[i % 8]![Number(digits[digits.length - 1 - i])])
    check = Number(D5[check * 10 + digit])
  }
  return check === 0
}
