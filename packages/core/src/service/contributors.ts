import { mountContributor } from '../admin/contributor/handlers.ts'
import {
  listMachines,
  removeSessionCookie,
  revokeMachine,
  signOutOtherBrowsers,
  signOutUser,
  type AuthDeps,
} from '../auth/handlers.ts'
import { externalSignInUrl } from '../auth/recent-sign-in.ts'
import { mountBlockedTerms } from '../contributors/blocked-terms/handlers.ts'
import { mountAccount } from '../contributors/account/handlers.ts'
import { mountContributors, type ContributorsDeps } from '../contributors/handlers.ts'
import type { PolicyDeps } from '../contributors/policy/gate.ts'
import { contributorNextStep, mountPolicy } from '../contributors/policy/handlers.ts'
import { pausedBy, termsAccepted } from '../contributors/policy/rules.ts'
import type { Mounted } from '../http/route.ts'
import { floorToCents } from '../money.ts'
import { createSummarize } from './contributor-summary.ts'
import type { ResolvedOptions } from './resolve-options.ts'

interface ContributorRoutesDeps {
  readonly options: ResolvedOptions
  readonly auth: AuthDeps
  readonly policy: PolicyDeps
  readonly contributors: ContributorsDeps
}

/**
 * Binds the routes of contributors: upload policy, application and contact, and the account page, whose forms act on
 * the same stores as the JSON routes.
 */
export function mountContributorRoutes({ options, auth, policy, contributors }: ContributorRoutesDeps): Mounted[] {
  const { stores, exportBlobs, random, link, prefix, exportLimit, yieldToEventLoop } = options
  return [
    ...mountPolicy(policy),
    // The consent is for ads alone.
    ...mountContributors(contributors).filter(({ name }) => options.capabilities.ads || name !== 'setConsent'),
    ...mountBlockedTerms({
      store: stores.blockedTerms,
      countStaleTraces: (ownerId) => stores.rescrub.countStaleTraces({ ownerId, scrubVersion: options.scrubVersion }),
      prefix,
    }),
    ...mountContributor({
      summarize: createSummarize(stores),
      recordRead: (read) => stores.audit.recordRead(read),
      signOut: (userId, audit) => signOutUser(userId, audit, auth),
    }),
    ...mountAccount({
      prefix,
      machines: (user, now) => listMachines(user, now, auth),
      revoke: async (user, id) => (await revokeMachine(user, id, auth)) !== null,
      signOutOtherBrowsers: (user) => signOutOtherBrowsers(user, auth),
      async uploads({ id: ownerId }) {
        const [standing, nextStep] = await Promise.all([
          policy.store.getStanding({ ownerId }),
          contributorNextStep(ownerId, policy),
        ])
        return {
          pausedBy: pausedBy(standing),
          nextStep,
          hasAcceptedTerms: termsAccepted(standing, options),
          hasApplied: standing.status !== 'not_applied',
          hasContact: standing.contactCompleted,
        }
      },
      supportEmail: options.brand.supportEmail,
      async pause(user, paused, now) {
        const event = options.makeEvent('contributor.paused', now)
        await policy.store.setPause({ ownerId: user.id, paused, now, event })
      },
      consent: async (user) => (options.capabilities.ads ? contributors.store.getConsent({ ownerId: user.id }) : null),
      allow: async (user, consent, now) =>
        void (await contributors.store.setConsent({ ownerId: user.id, consent, now })),
      async unpaid({ id }, now) {
        const { balance } = await stores.ledger.listEntries({ ownerId: id, now, cursor: null, limit: 1 })
        return floorToCents(balance.balance) + floorToCents(balance.pending)
      },
      sold: ({ id: ownerId }) => stores.buyers.countSold({ ownerId }),
      findErasure: async (id) => (await stores.buyers.findErasure({ id })).buyers,
      erase: (user, now) => contributors.startErasure(user.id, now),
      signInUrl: (next) => externalSignInUrl(next, auth),
      account: stores.account,
      blobs: exportBlobs,
      random,
      link,
      digest: options.digest,
      hmacCode: auth.hmacCode,
      secrets: options.secrets,
      storedSecret: options.storedSecret,
      yieldToLoop: yieldToEventLoop,
      exportLimit,
      cookieEnd: removeSessionCookie(auth),
    }),
  ]
}
