/** The facts that decide the policy. `termsVersion` is the version that the user accepted last. */
export interface PolicyFacts {
  readonly country: string | null
  readonly termsVersion: string | null
  readonly residencyConfirmed: boolean
  readonly paused: boolean
  readonly operatorPaused: boolean
}

/** The version of the default terms. A test checks that the version and the text are changed together. */
export const defaultTermsVersion = '2026-12-01'

/**
 * Returns the version of the terms that users accept: the configured version, or the default version. If a text is
 * configured, the first 48 bits of its SHA-256 are appended to the version, so that a changed text must be accepted
 * again.
 */
export function resolveTermsVersion(
  configured: string | undefined,
  text: string | undefined,
  hexDigest: (text: string) => string,
): string {
  if (text === undefined) return configured ?? defaultTermsVersion
  return `${configured ?? 'terms'}-${hexDigest(text).slice(0, 12)}`
}

/** The conditions for uploads that the operator configured for all users. */
export interface PolicyConditions {
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

/** Returns whether the user accepted the current terms. */
export function termsAccepted(
  facts: Pick<PolicyFacts, 'termsVersion'>,
  rules: Pick<PolicyConditions, 'termsVersion'>,
): boolean {
  return facts.termsVersion === rules.termsVersion
}

/** Returns the first reason in the upload policy why a user cannot upload, or null. */
export function policyReason(facts: PolicyFacts, rules: PolicyConditions): Reason | null {
  if (facts.country === null) return 'country_unknown'
  if (!rules.allowedCountries.includes(facts.country)) return 'us_upload_required'
  if (!facts.residencyConfirmed) return 'residency_required'
  if (!termsAccepted(facts, rules)) return 'terms_required'
  if (facts.paused || facts.operatorPaused) return 'contributor_paused'
  return null
}

/**
 * Returns the first reason for which `POST /api/ingest` refuses an upload, or null. The order is: terms, approval,
 * country, then the rest of the policy.
 */
export function uploadRefusal(
  facts: PolicyFacts & { readonly status: string },
  rules: PolicyConditions,
): Reason | 'contributor_approval_required' | null {
  if (!termsAccepted(facts, rules)) return 'terms_required'
  if (facts.status !== 'approved') return 'contributor_approval_required'
  return policyReason(facts, rules)
}

/**
 * Returns a country of two upper-case letters, or null for any other text. Proxies send `XX` and `T1` (Tor) for an
 * unknown country.
 */
export function knownCountry(answer: string | null | undefined): string | null {
  return answer !== null && answer !== undefined && /^[A-Z]{2}$/.test(answer) && answer !== 'XX' ? answer : null
}

/**
 * An onboarding step. `waiting`: the user completed it and the operator's decision is pending. `unconfirmed`: the user
 * accepted the terms, but did not confirm the residency.
 */
export interface Step {
  readonly id: 'terms' | 'application' | 'contact' | 'upload'
  readonly state: 'done' | 'open' | 'unconfirmed' | 'waiting' | 'refused'
}

/** Returns the onboarding steps of a contributor in order, with their states. */
export function steps(
  standing: Omit<PolicyFacts, 'country'> & { readonly status: string; readonly contactCompleted: boolean },
  rules: Pick<PolicyConditions, 'termsVersion'>,
): Step[] {
  const accepted = standing.residencyConfirmed ? 'done' : 'unconfirmed'
  const application = { approved: 'done', pending: 'waiting', rejected: 'refused' } as const
  return [
    { id: 'terms', state: termsAccepted(standing, rules) ? accepted : 'open' },
    { id: 'application', state: application[standing.status as keyof typeof application] ?? 'open' },
    { id: 'contact', state: standing.contactCompleted ? 'done' : 'open' },
    { id: 'upload', state: 'open' },
  ]
}

/** Returns the first step that is needed to upload and not done. Contact details are optional. */
export function nextNeededStep(allSteps: readonly Step[]): Step {
  return allSteps.find(({ id, state }) => id !== 'contact' && state !== 'done')!
}

/** Returns the steps that a person can do now: a person on the waitlist cannot confirm a residence. */
export const possibleSteps = (allSteps: readonly Step[], isOnWaitlist: boolean): readonly Step[] =>
  isOnWaitlist ? allSteps.filter(({ state }) => state !== 'unconfirmed') : allSteps

/**
 * Returns whether a person waits for uploads to open in their country, and so cannot finish the steps yet. A person who
 * has confirmed a residence where uploads are open is no longer waiting.
 */
export function isWaiting(
  entry: { readonly country: string | null; readonly notifiedAt: number | null } | null,
  { residencyConfirmed }: Pick<PolicyFacts, 'residencyConfirmed'>,
  { allowedCountries }: Pick<PolicyConditions, 'allowedCountries'>,
): boolean {
  if (entry === null || entry.notifiedAt !== null || residencyConfirmed) return false
  return entry.country === null || !allowedCountries.includes(entry.country)
}

/** Returns the page of the first open step, or null: the upload has no page and happens in the client. */
export function nextPage(allSteps: readonly Step[]): '/terms' | '/apply' | '/contact' | null {
  const pages = { terms: '/terms', application: '/apply', contact: '/contact', upload: null } as const
  const next = allSteps.find(({ state }) => state !== 'done' && state !== 'waiting')
  return next ? pages[next.id] : null
}

/** The party that paused a person's uploads, or null. A pause by the operator takes precedence. */
export type PausedBy = 'operator' | 'person' | null

/** Returns who paused uploads. */
export function pausedBy({
  paused,
  operatorPaused,
}: {
  readonly paused: boolean
  readonly operatorPaused: boolean
}): PausedBy {
  return operatorPaused ? 'operator' : paused ? 'person' : null
}
