import type * as z from 'zod'
import type { AuditContext, AuditStore } from '../../audit/store.ts'
import { fail } from '../../http/failures.ts'
import { mount, type Handlers, type Mounted } from '../../http/route.ts'
import { contributorContract, type ContributorSummary } from './contract.ts'

export interface ContributorDeps {
  /** Returns the data that the capabilities have about a person, or null if there is no such person. */
  readonly summarize: (userId: string, now: number) => Promise<z.input<typeof ContributorSummary> | null>
  readonly recordRead: AuditStore['recordRead']
  /** Signs a person out of every browser and device. Returns the number of ended sign-ins. */
  readonly signOut: (userId: string, audit: AuditContext) => Promise<number>
}

const contributorHandlers: Handlers<typeof contributorContract, ContributorDeps> = {
  async getContributor({ params: { userId }, now, audit }, { summarize, recordRead }) {
    const summary = await summarize(userId, now)
    if (!summary) return fail('not_found')
    await recordRead({ action: 'contributor.read', target: userId, audit })
    return { ok: true, ...summary }
  },

  async signOutContributor({ params: { userId }, audit }, { signOut }) {
    return { ok: true, ended: await signOut(userId, audit) }
  },
}

/** Binds the route of a contributor to its handler. */
export const mountContributor = (deps: ContributorDeps): Mounted[] =>
  mount(contributorContract, contributorHandlers, deps)
