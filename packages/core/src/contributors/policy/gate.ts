import type { AuditStore } from '../../audit/store.ts'
import type { OperatorSession } from '../../auth/operator.ts'
import type { MakeEvent } from '../../events/event.ts'
import type * as z from 'zod'
import { fail, type Failure } from '../../http/failures.ts'
import type { Lazy } from '../../lazy.ts'
import type { ClientTerms } from '../../ui/client-commands.ts'
import type { Languages } from '../../ui/messages.ts'
import type { User } from '../../http/route.ts'
import type { Country, Random } from '../../ports.ts'
import type { UploadPolicy } from './contract.ts'
import {
  isWaiting,
  knownCountry,
  nextPage,
  policyReason,
  possibleSteps,
  steps,
  termsAccepted,
  uploadRefusal,
  type Reason,
} from './rules.ts'
import type { PolicyStore, Standing } from './store.ts'

export interface PolicyDeps extends ClientTerms {
  readonly store: PolicyStore
  readonly signedIn: OperatorSession['signedIn']
  /** Records that an operator read something. */
  readonly recordRead: AuditStore['recordRead']
  readonly findCountry: FindCountry
  readonly allowedCountries: readonly string[]
  readonly termsVersion: string
  readonly policyVersion: string
  readonly languages: Lazy<Languages>
  /** The text of the terms. Null means the default terms. */
  readonly termsText: string | null
  /**
   * The contributors' shares of sales and of sponsor lines, the time after which a share of a sale is available, and the
   * least balance for a payout request (`ShareTerms`).
   */
  readonly revenueShare: number
  readonly adShare: number
  readonly settleMs: number
  readonly minPayoutMicros: number
  readonly capabilities: { readonly ads: boolean }
  /** The mailer. Null means that the service sends no mails. */
  readonly mailer: object | null
  readonly prefix: string
  readonly random: Random
  readonly makeEvent: MakeEvent
  /** Returns whether the person uploaded anything yet. */
  readonly hasUploads: (ownerId: string) => Promise<boolean>
  /** Returns whether a device of the person is signed in. */
  readonly hasDevice: (ownerId: string) => Promise<boolean>
  /** Returns the operator's reason in the review of the latest application, or null. */
  readonly findReviewReason: (ownerId: string) => Promise<string | null>
  /** Yields to the event loop. */
  readonly yieldToEventLoop: () => Promise<void>
}

type Policy = z.infer<typeof UploadPolicy>
/** The part of a request from which the country is read. */
interface CountryRequest {
  readonly request: { readonly headers: Readonly<Record<string, string | undefined>> }
  readonly address: string | null
}

/** Returns the country of a request, or null. */
export type FindCountry = (request: CountryRequest) => Promise<string | null>

/** Returns the function that asks the port for the country of a request. */
export const createCountryFinder =
  ({ country }: { readonly country: Country }): FindCountry =>
  async ({ request, address }) =>
    knownCountry(await country({ headers: request.headers, address }))

/** Returns the upload policy that `GET /api/traces/upload-policy` shows. */
export function describePolicy(standing: Standing, country: string | null, deps: PolicyDeps): Policy {
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
  asking: CountryRequest,
) => Promise<Failure<Reason | 'contributor_approval_required'> | null>

/**
 * Returns a check that runs before the body of `POST /api/ingest` is read. The check reads the store once, and returns
 * the first failure of terms, approval, country and the rest of the policy, or null. A failure has the body of that
 * endpoint: `acceptUrl` with `terms_required`, `status` and `applyUrl` with `contributor_approval_required`, the whole
 * `policy` with `country_unknown`, else `error` alone.
 */
export function uploadGate(deps: PolicyDeps): UploadGate {
  return async (user, asking) => {
    const [standing, country] = await Promise.all([
      deps.store.getStanding({ ownerId: user.id }),
      deps.findCountry(asking),
    ])
    const code = uploadRefusal({ ...standing, country }, deps)
    if (code === null) return null
    if (code === 'terms_required') return fail(code, { acceptUrl: deps.link('/terms') })
    if (code === 'contributor_approval_required')
      return fail(code, { status: standing.status, applyUrl: deps.link('/apply') })
    return code === 'country_unknown' ? fail(code, { policy: describePolicy(standing, country, deps) }) : fail(code)
  }
}

/** Returns the path of the next onboarding page that the person can complete. */
export function findNextPage(deps: PolicyDeps): (ownerId: string, fallback: string) => Promise<string> {
  return async (ownerId, fallback) => {
    const [standing, waitlist] = await Promise.all([
      deps.store.getStanding({ ownerId }),
      deps.store.findWaitlistEntry({ ownerId }),
    ])
    return nextPage(possibleSteps(steps(standing, deps), isWaiting(waitlist, standing, deps))) ?? fallback
  }
}
