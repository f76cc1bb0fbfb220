import { ibanLength } from '../detectors/checks/checksum.ts'
import { emailFinder, findSpelled } from '../detectors/personal/email.ts'
import { findColons, findDots, findHyphens, findIpv4 } from '../detectors/personal/network.ts'
import { findPlus, numberFinder } from '../detectors/personal/number.ts'
import { assignmentFinder } from '../detectors/secrets/assignment.ts'
import { findAfterWord } from '../detectors/secrets/marker.ts'
import { findPem } from '../detectors/secrets/pem.ts'
import { scoreSecret } from '../detectors/secrets/score.ts'
import { findCredentials } from '../detectors/secrets/url-credentials.ts'
import { GATES } from '../engine/character.ts'
import { expandRules } from '../engine/rule.ts'
import { assignmentRules, genericRules } from '../rules/generic.ts'
import { personalRules } from '../rules/personal.ts'
import type { RulePack } from './pack.ts'

/** The checks of the base pack. Rules refer to a check by its name. */
const baseChecks = {
  /** Accepts the base64 form of `name:password`, but not of a sample such as `admin:password`. */
  base64Pair(value: string): boolean {
    try {
      return /^[ -~]+:(?!password$)[ -~]+$/.test(atob(value))
    } catch {
      return false
    }
  },
  /** Accepts the BIC of a bank in a country that uses IBANs. */
  ibanCountry: (code: string): boolean => ibanLength(code.slice(4, 6)) > 0,
}

/**
 * The rules of every scrubber: for secrets with a name or PEM delimiters, e-mail addresses, numbers and network
 * addresses.
 */
export const base: RulePack = {
  sections: [
    { rank: 30, rules: expandRules(genericRules) },
    { rank: 35, rules: expandRules(assignmentRules) },
    { rank: 110, rules: expandRules(personalRules) },
  ],
  checks: baseChecks,
  finders: {
    assignment: assignmentFinder(scoreSecret),
    colons: findColons,
    credentials: findCredentials,
    dots: findDots,
    email: emailFinder(),
    hyphens: findHyphens,
    ipv4: findIpv4,
    number: numberFinder([]),
    pem: findPem,
    plus: findPlus,
    spelled: findSpelled,
    wallet: findAfterWord(
      /(?:wallet|my address|(?<![a-z])eth(?:ereum)?(?!erscan)(?: address)?|send (?:it |\w{1,6} )?to|recipient|payout)[^\n]{0,24}$/i,
      48,
    ),
  },
  gates: {
    dots: { prior: GATES.hex, ahead: [5, '.'] },
    hyphens: { prior: GATES.hex, ahead: [3, '-'] },
    ipv4: { prior: GATES.digit },
  },
}
