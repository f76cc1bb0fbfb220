/** What the policy is decided from. `accepted` is the version of the terms that the person accepted last. */
export interface Facts {
  readonly country: string | null
  readonly termsVersion: string | null
  readonly residencyConfirmed: boolean
  readonly paused: boolean
  readonly operatorPaused: boolean
}

/** Version of the default terms; a test ties it to their text. */
export const defaultTermsVersion = '2026-11-22'

/**
 * Returns the version that people accept: the given one, or the default terms' own. With a text of the operator's own the first
 * 48 bits of its SHA-256 follow, so that nobody can change the text without asking everybody again.
 */
export function termsVersionOf(
  given: string | undefined,
  text: string | undefined,
  hexDigest: (text: string) => string,
): string {
  if (text === undefined) return given ?? defaultTermsVersion
  return `${given ?? 'terms'}-${hexDigest(text).slice(0, 12)}`
}

/** What the operator asks of everyone. */
export interface Rulebook {
  readonly allowedCountries: readonly string[]
  readonly termsVersion: string
}

export const reasons = [
  'country_unknown',
  'us_upload_required',
  'residency_required',
  'terms_required',
  'contributor_paused',
] as const
export type Reason = (typeof reasons)[number]

/** Whether the terms as they are now were accepted. */
export function termsAccepted(facts: Pick<Facts, 'termsVersion'>, rules: Pick<Rulebook, 'termsVersion'>): boolean {
  return facts.termsVersion === rules.termsVersion
}

/** Why uploads are closed to a person, or null when they are open: the first that applies (decisions section 5, E11). */
export function policyReason(facts: Facts, rules: Rulebook): Reason | null {
  if (facts.country === null) return 'country_unknown'
  if (!rules.allowedCountries.includes(facts.country)) return 'us_upload_required'
  if (!facts.residencyConfirmed) return 'residency_required'
  if (!termsAccepted(facts, rules)) return 'terms_required'
  if (facts.paused || facts.operatorPaused) return 'contributor_paused'
  return null
}

/** What E5 refuses before the body is read, in its own order: terms, approval, country, the rest of the policy. */
export function uploadRefusal(
  facts: Facts & { readonly status: string },
  rules: Rulebook,
): Reason | 'contributor_approval_required' | null {
  if (!termsAccepted(facts, rules)) return 'terms_required'
  if (facts.status !== 'approved') return 'contributor_approval_required'
  return policyReason(facts, rules)
}

/** A country as the policy takes it: two upper-case letters, else unknown. `XX` and `T1` (Tor) are a proxy's words for unknown. */
export function knownCountry(answer: string | null | undefined): string | null {
  return answer !== null && answer !== undefined && /^[A-Z]{2}$/.test(answer) && answer !== 'XX' ? answer : null
}

/** A step of a new contributor's way. `waiting`: done on their side, the operator's answer is not there yet. */
export interface Step {
  readonly id: 'terms' | 'application' | 'contact' | 'upload'
  readonly state: 'done' | 'open' | 'waiting' | 'refused'
}

/** The way of a new contributor, in order, with what is done of it. */
export function steps(
  standing: Omit<Facts, 'country'> & { readonly status: string; readonly contactCompleted: boolean },
  rules: Pick<Rulebook, 'termsVersion'>,
): Step[] {
  const application = { approved: 'done', pending: 'waiting', rejected: 'refused' } as const
  return [
    { id: 'terms', state: termsAccepted(standing, rules) && standing.residencyConfirmed ? 'done' : 'open' },
    { id: 'application', state: application[standing.status as keyof typeof application] ?? 'open' },
    { id: 'contact', state: standing.contactCompleted ? 'done' : 'open' },
    { id: 'upload', state: 'open' },
  ]
}

/** The page of the first step that waits for the person; the upload has none and happens in their client. */
export function nextPage(way: readonly Step[]): '/terms' | '/apply' | '/contact' | null {
  const pages = { terms: '/terms', application: '/apply', contact: '/contact', upload: null } as const
  const next = way.find(({ id, state }) => state === 'open' || (state === 'refused' && id === 'application'))
  return next ? pages[next.id] : null
}
