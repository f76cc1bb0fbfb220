import { ibanLength } from './checksum.ts'

/** The checks to which rules of the base pack refer by name. */
export const baseChecks = {
  /** Accepts base64 of a name and a password with a colon between them. */
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
