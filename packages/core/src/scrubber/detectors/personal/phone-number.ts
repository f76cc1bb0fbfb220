import { CALLED, CALLING_CODES, GROUPED } from '../../rules/phone-plans.ts'

const plan = new Map(CALLING_CODES.split(/\s+/).map((entry) => entry.split(':') as [string, string]))

/**
 * Returns whether digits without a plus sign are a possible international number: the calling code exists, and the
 * length is allowed.
 */
export function isInternational(digits: string): boolean {
  for (let length = 1; length <= 3; length++) {
    const lengths = plan.get(digits.slice(0, length))
    if (!lengths) continue
    const rest = digits.length - length
    if (!lengths.includes('0123456789ABCDEF'[rest] ?? '-')) return false
    return digits[0] !== '1' || /^1[2-9]\d{2}[2-9]\d{6}$/.test(digits)
  }
  return false
}

/** Returns whether a number is in the range for films and documentation (555-0100 to 555-0199), or repeats one digit. */
export const isFictitious = (value: string): boolean => /^55501\d\d$|(\d)\1{7}/.test(value.replace(/\D/g, ''))

/**
 * Returns whether a number is a phone number in national form, without a calling code.
 * @param raw the number with its separators. It begins with a digit.
 * @param context up to 48 characters before the number.
 */
export const isNational = (raw: string, digits: string, context: string): boolean => {
  if (GROUPED.test(raw)) return true
  if (digits.length > 15) return false
  return digits.length >= 9 && /^0|[ -]/.test(raw) && CALLED.test(context)
}
