import type * as z from 'zod'
import { fail, type Failure } from '../../http/failures.ts'
import type { User } from '../../http/route.ts'
import type { Country, Random } from '../../ports.ts'
import type { UploadPolicy } from './contract.ts'
import { knownCountry, nextPage, policyReason, steps, termsAccepted, uploadRefusal, type Reason } from './rules.ts'
import type { PolicyStore, Standing } from './store.ts'

export interface PolicyDeps {
  readonly store: PolicyStore
  readonly country: Country
  readonly allowedCountries: readonly string[]
  readonly termsVersion: string
  readonly policyVersion: string
  /** Null: the default ones. */
  readonly termsText: string | null
  readonly link: (path: string) => string
  readonly prefix: string
  readonly random: Random
  /** Yields to the event loop. */
  readonly yieldToEventLoop: () => Promise<void>
}

type Policy = z.infer<typeof UploadPolicy>
/** The part of a request that the country is read from. */
interface Asking {
  readonly request: { readonly headers: Readonly<Record<string, string | undefined>> }
  readonly address: string | null
}

/** Where a caller is, or null. */
export async function countryOf({ request, address }: Asking, { country }: PolicyDeps): Promise<string | null> {
  return knownCountry(await country({ headers: request.headers, address }))
}

/** E11's answer. */
export function policyOf(standing: Standing, country: string | null, deps: PolicyDeps): Policy {
  const reason = policyReason({ ...standing, country }, deps)
  return {
    ok: true,
    eligible: reason === null,
    reason,
    country,
    policyVersion: deps.policyVersion,
    termsVersion: deps.termsVersion,
    termsAccepted: termsAccepted(standing, deps),
    residencyConfirmed: standing.residencyConfirmed,
    acceptanceUrl: deps.link('/terms'),
    waitlistUrl: deps.link('/waitlist'),
  }
}

export type UploadGate = (
  user: User,
  asking: Asking,
) => Promise<Failure<Reason | 'contributor_approval_required'> | null>

/**
 * The gate before E5's body: terms, approval, country, the rest of the policy, the first that fails, else null. One read
 * of the store. Bodies as in the interface's E5: `acceptUrl`, `status` with `applyUrl`, or the whole `policy`.
 */
export function uploadGate(deps: PolicyDeps): UploadGate {
  return async (user, asking) => {
    const [standing, country] = await Promise.all([
      deps.store.getStanding({ ownerId: user.id }),
      countryOf(asking, deps),
    ])
    const code = uploadRefusal({ ...standing, country }, deps)
    if (code === null) return null
    if (code === 'terms_required') return fail(code, { acceptUrl: deps.link('/terms') })
    if (code === 'contributor_approval_required')
      return fail(code, { status: standing.status, applyUrl: deps.link('/apply') })
    return fail(code, { policy: policyOf(standing, country, deps) })
  }
}

/** Where a browser goes after a step: the page of the next one, which says so. */
export function afterStep(deps: PolicyDeps): (ownerId: string, done: string, fallback: string) => Promise<string> {
  return async (ownerId, done, fallback) =>
    `${nextPage(steps(await deps.store.getStanding({ ownerId }), deps)) ?? fallback}?done=${done}`
}
