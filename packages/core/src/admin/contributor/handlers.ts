import type * as z from 'zod'
import { fail } from '../../http/failures.ts'
import { mount } from '../../http/mount.ts'
import type { Handlers, Mounted } from '../../http/route.ts'
import { contributorContract, type ContributorSummary } from './contract.ts'

export interface ContributorDeps {
  /** Returns what the capabilities know about a person, or null when there is no such person. */
  readonly summarize: (userId: string, now: number) => Promise<z.input<typeof ContributorSummary> | null>
}

export const contributorHandlers: Handlers<typeof contributorContract, ContributorDeps> = {
  async getContributor({ params, now }, { summarize }) {
    const summary = await summarize(params.userId, now)
    return summary ? { ok: true, ...summary } : fail('not_found')
  },
}

/** Binds the route of a contributor to its handler. */
export const mountContributor = (deps: ContributorDeps): Mounted[] =>
  mount(contributorContract, contributorHandlers, deps)
