import type * as z from 'zod'
import { fail } from '../http/failures.ts'
import { placeOf } from '../http/fields.ts'
import { mount, reply, type Handlers, type Mounted } from '../http/route.ts'
import { timestamp, timestampOrNull } from '../ids.ts'
import type { Digest } from '../ports.ts'
import { type Campaign as Shown, campaignsContract } from './contract.ts'
import type { CampaignCache } from './campaign-cache.ts'
import { toDollars, toMicros } from '../money.ts'
import { campaignStatus, pricePerImpression, type Topic } from './rules.ts'
import { hashCreative } from './serving.ts'
import type { AdStore, Campaign } from './store.ts'

export interface CampaignsDeps {
  readonly store: AdStore
  readonly campaignCache: CampaignCache
  readonly digest: Digest
}

/** A campaign as the operator sees it at a time. */
export function describeCampaign(one: Campaign, now: number): z.input<typeof Shown> {
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
    budgetUsd: toDollars(one.budget),
    dailyCap,
    startsAt: timestampOrNull(one.startsAt),
    endsAt: timestampOrNull(one.endsAt),
    createdAt: timestamp(one.createdAt),
    spentUsd: toDollars(one.spent),
    impressions,
    clicks,
  }
}

const moment = (sent: string | undefined): number | null => (sent === undefined ? null : Date.parse(sent))

export const campaignsHandlers: Handlers<typeof campaignsContract, CampaignsDeps> = {
  async listCampaigns({ query, now }, { store }) {
    const { items, next } = await store.listCampaigns({ cursor: placeOf(query.cursor), limit: query.limit })
    return {
      ok: true,
      items: items.map((one) => describeCampaign(one, now)),
      nextCursor: next === null ? null : String(next),
    }
  },

  async createCampaign({ body, effectId, now, audit }, { store, campaignCache, digest }) {
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
    const campaign = await store.createCampaign({
      audit,
      campaign: {
        id: effectId,
        name,
        brandName,
        title,
        text,
        url,
        favicon,
        fingerprint: hashCreative(text, url, digest),
        topics,
        cpmUsd,
        price: pricePerImpression(cpmUsd),
        budget: toMicros(budgetUsd),
        dailyCap,
        startsAt: moment(startsAt),
        endsAt: moment(endsAt),
        createdAt: now,
      },
    })
    campaignCache.invalidate()
    return reply(201, { ok: true, campaign: describeCampaign(campaign, now) })
  },

  async updateCampaign({ params, body, now, audit }, { store, campaignCache }) {
    const campaign = await store.setCampaignStatus({ id: params.id, status: body.status, audit })
    campaignCache.invalidate()
    return campaign ? { ok: true, campaign: describeCampaign(campaign, now) } : fail('not_found')
  },
}

/** Binds the routes of campaigns to their handlers. */
export const mountCampaigns = (deps: CampaignsDeps): Mounted[] => mount(campaignsContract, campaignsHandlers, deps)
