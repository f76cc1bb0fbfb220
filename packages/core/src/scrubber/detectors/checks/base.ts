import { ibanLength } from './checksum.ts'

/** The checks of the base pack. Rules refer to a check by its name. */
export const baseChecks = {
  /** Accepts the base64 form of `name:password`. */
  base64Pair(value: string): boolean {
    try {
      return /^[\x20-\x7e]+:[\x20-\x7e]+$/.test(atob(value))
    } catch {
      return false
    }
  },
  /** Accepts the BIC of a bank in a country that uses IBANs. */
  ibanCountry: (code: string): boolean => ibanLength(code.slice(4, 6)) > 0,
}
