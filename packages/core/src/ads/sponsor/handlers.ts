import { isSponsorToken } from '../../auth/rules.ts'
import { fail } from '../../http/failures.ts'
import { reply, mount, type Handlers, type Mounted } from '../../http/route.ts'
import { toHex } from '../../ids.ts'
import type { Digest } from '../../ports.ts'
import type { AdStore, SponsoredCampaign } from '../store.ts'
import { sponsorContract } from './contract.ts'
import { sponsorPage } from './pages.ts'
import { sponsorCsv, sponsorMonthsCsv } from './rules.ts'

export interface SponsorDeps {
  readonly store: Pick<AdStore, 'findSponsored'>
  readonly digest: Digest
  readonly prefix: string
  readonly brand: { readonly supportEmail?: string }
}

/** Returns the campaign of a token, or null. A mistyped token needs no query. */
const findSponsored = async (token: string, { store, digest }: SponsorDeps): Promise<SponsoredCampaign | null> =>
  isSponsorToken(token) ? store.findSponsored({ tokenHash: toHex(digest(token)) }) : null

/** The link is a secret, so search engines must not list the page. */
const notIndexed = ['x-robots-tag', 'noindex, nofollow'] as const

const csvHeaders = (name: string) =>
  [
    notIndexed,
    ['content-type', 'text/csv; charset=utf-8'],
    ['content-disposition', `attachment; filename="${name}.csv"`],
  ] as const

const sponsorHandlers: Handlers<typeof sponsorContract, SponsorDeps> = {
  async sponsorPage({ params: { token }, now }, deps) {
    const found = await findSponsored(token, deps)
    if (!found) return fail('not_found')
    return reply(200, sponsorPage({ prefix: deps.prefix, token, found, now, supportEmail: deps.brand.supportEmail }), [
      notIndexed,
    ])
  },

  async sponsorCsv({ params: { token }, now }, deps) {
    const found = await findSponsored(token, deps)
    if (!found) return fail('not_found')
    return reply(200, sponsorCsv(found, now), csvHeaders('campaign'))
  },

  async sponsorMonthsCsv({ params: { token } }, deps) {
    const found = await findSponsored(token, deps)
    if (!found) return fail('not_found')
    return reply(200, sponsorMonthsCsv(found), csvHeaders('campaign-months'))
  },
}

/** Binds the routes of sponsors to their handlers. */
export const mountSponsor = (deps: SponsorDeps): Mounted[] => mount(sponsorContract, sponsorHandlers, deps)
