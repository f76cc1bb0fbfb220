import type { accountContract } from './contract.ts'
import { accountHandlers } from './handlers.ts'
import { callHandler } from '../../http/call.ts'
import type { ResolvedOptions } from '../../service/options.ts'
import { contributorsHandlers, type ContributorsDeps } from '../handlers.ts'
import { Failure } from '../../http/failures.ts'
import { bindHandlers } from '../../http/lazy.ts'
import type { Handlers } from '../../http/route.ts'
import type { PolicyDeps } from '../policy/gate.ts'
import { cookieEnd, sessionsHandlers, signInElsewhere, type SessionsDeps } from '../../auth/handlers.ts'

/** What serves `/account`: each form does what a JSON route does, by the same handler or the same store. */
export function accountPageHandlers({
  resolved,
  sessions,
  policy,
  contributors,
}: {
  resolved: ResolvedOptions
  sessions: SessionsDeps
  policy: PolicyDeps
  contributors: ContributorsDeps
}): Handlers<typeof accountContract, null> {
  return bindHandlers(accountHandlers, {
    prefix: contributors.prefix,
    async machines(user, now) {
      const listed = await callHandler(sessionsHandlers.listMachines, sessions, { user, now })
      return listed instanceof Failure ? [] : listed.machines
    },
    revoke: async (user, id) =>
      !((await callHandler(sessionsHandlers.revokeMachine, sessions, { user, params: { id } })) instanceof Failure),
    uploads: (user) => policy.store.standing(user.id),
    pause: async (user, paused, now) => void (await policy.store.setPaused(user.id, paused, now)),
    consent: (user) => contributors.store.consent(user.id),
    allow: async (user, consent, now) => void (await contributors.store.setConsent(user.id, consent, now)),
    erase: async (user, now) =>
      void (await callHandler(contributorsHandlers.eraseAccount, contributors, { user, now })),
    signInUrl: (next) => signInElsewhere(next, sessions),
    account: resolved.stores.account,
    blobs: resolved.blobs,
    random: resolved.random,
    link: resolved.link,
    yieldToLoop: resolved.yieldToEventLoop,
    exportLimit: resolved.exportLimit,
    cookieEnd: cookieEnd(sessions),
  })
}
