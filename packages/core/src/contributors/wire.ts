import type { Capability } from '../http/match.ts'
import { uuid7 } from '../ids.ts'
import { lazy } from '../lazy.ts'
import type { Wiring } from '../service/wiring.ts'
import type { ContributorsDeps } from './handlers.ts'
import { findNextPage } from './policy/gate.ts'
import { termsAccepted } from './policy/rules.ts'

export function contributorsDeps(
  { options, people, authenticator }: Wiring,
  loadParts: () => Promise<Awaited<ReturnType<ContributorsDeps['parts']>>>,
): ContributorsDeps {
  const { stores, random } = options
  return {
    ...options,
    store: stores.contributors,
    journey: people.journey,
    findNextPage: findNextPage(people.policy),
    hasAcceptedTerms: async (ownerId) => termsAccepted(await stores.policy.getStanding({ ownerId }), options),
    parts: lazy(loadParts),
    async startErasure(ownerId, now) {
      const id = uuid7(now, random)
      await stores.account.startErasure({ ownerId, id, now })
      authenticator.forgetUser(ownerId)
      return id
    },
  }
}

/**
 * Wires the routes of contributors. `load` is passed in, because the account page uses stores of other capabilities.
 */
export const wireContributors = (load: Capability['load']): Capability => ({
  name: 'contributors',
  paths: [
    '/api/account',
    '/api/traces/upload-policy',
    '/api/traces/access',
    '/api/traces/contact',
    '/api/waitlist',
    '/api/admin/applications',
    '/api/admin/contributors',
    '/api/admin/waitlist',
    '/account',
    '/blocked-terms',
    '/terms',
    '/apply',
    '/contact',
    '/waitlist',
  ],
  load,
})
