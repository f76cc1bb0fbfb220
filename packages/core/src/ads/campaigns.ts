import type * as z from 'zod'
import { fail } from '../http/failures.ts'
import { placeOf } from '../http/fields.ts'
import { mount, reply, type Handlers, type Mounted } from '../http/route.ts'
import { timestamp, timestampOrNull } from '../ids.ts'
import type { Digest } from '../ports.ts'
import { type Campaign as Shown, campaignsContract } from './contract.ts'
import type { CampaignCache } from './campaign-cache.ts'
import { campaignStatus, dollars, micros, priceOf, type Topic } from './rules.ts'
import { fingerprint } from './serving.ts'
import type { AdStore, Campaign } from './store.ts'

export interface CampaignsDeps {
  readonly store: AdStore
  readonly roster: CampaignCache
  readonly digest: Digest
}

/** A campaign as the operator sees it at a time. */
export function campaignOf(one: Campaign, now: number): z.input<typeof Shown> {
  const { id, name, brandName, title, text, url, favicon, topics, cpmUsd, dailyCap, impressions, clicks } = one
  return {
    id,
    status: campaignStatus(one, now),
    name,
    brandName,
    title,
    text,
    url,
    favicon,
    topics: topics as Topic[],
    cpmUsd,
    budgetUsd: dollars(one.budget),
    dailyCap,
    startsAt: timestampOrNull(one.startsAt),
    endsAt: timestampOrNull(one.endsAt),
    createdAt: timestamp(one.createdAt),
    spentUsd: dollars(one.spent),
    impressions,
    clicks,
  }
}

const moment = (sent: string | undefined): number | null => (sent === undefined ? null : Date.parse(sent))

export const campaignsHandlers: Handlers<typeof campaignsContract, CampaignsDeps> = {
  async listCampaigns({ query, now }, { store }) {
    const { items, next } = await store.campaigns({ cursor: placeOf(query.cursor), limit: query.limit })
    return {
      ok: true,
      items: items.map((one) => campaignOf(one, now)),
      nextCursor: next === null ? null : String(next),
    }
  },

  async createCampaign({ body, effectId, now, audit }, { store, roster, digest }) {
    const {
      name,
      brandName,
      title,
      text,
      url,
      favicon = null,
      topics,
      cpmUsd,
      budgetUsd,
      dailyCap = null,
      startsAt,
      endsAt,
    } = body
    const campaign = await store.addCampaign(
      {
        id: effectId,
        name,
        brandName,
        title,
        text,
        url,
        favicon,
        fingerprint: fingerprint(text, url, digest),
        topics,
        cpmUsd,
        price: priceOf(cpmUsd),
        budget: micros(budgetUsd),
        dailyCap,
        startsAt: moment(startsAt),
        endsAt: moment(endsAt),
        createdAt: now,
      },
      audit,
    )
    roster.drop()
    return reply(201, { ok: true, campaign: campaignOf(campaign, now) })
  },

  async updateCampaign({ params, body, now, audit }, { store, roster }) {
    const campaign = await store.setStatus(params.id, body.status, audit)
    roster.drop()
    return campaign ? { ok: true, campaign: campaignOf(campaign, now) } : fail('not_found')
  },
}

/** Binds the routes of campaigns to their handlers. */
export const mountCampaigns = (deps: CampaignsDeps): Mounted[] => mount(campaignsContract, campaignsHandlers, deps)
