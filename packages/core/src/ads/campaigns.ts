import { listParams } from '../http/list.ts'
import type * as z from 'zod'
import { generateToken } from '../auth/rules.ts'
import { fail } from '../http/failures.ts'
import { reply, mount, type Handlers, type Mounted } from '../http/route.ts'
import { dateOfDay, timestamp, timestampOrNull, toHex } from '../ids.ts'
import type { Digest, Random } from '../ports.ts'
import { type Campaign as Shown, campaignsContract, type NewCampaign } from './contract.ts'
import type { CampaignCache } from './campaign-cache.ts'
import { toDollars, toMicros } from '../money.ts'
import { campaignStatus, maxCampaignDays, pricePerImpression, type Topic } from './rules.ts'
import { hashCreative } from './serving.ts'
import type { AdStore, Campaign, CampaignDetails } from './store.ts'

export interface CampaignsDeps {
  readonly store: AdStore
  readonly campaignCache: CampaignCache
  readonly digest: Digest
  readonly random: Random
  /** Returns the public URL of a path. */
  readonly link: (path: string) => string
}

/** Returns a campaign as an operator sees it at the time `now`. */
function describeCampaign(one: Campaign, now: number): z.input<typeof Shown> {
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

const parseTime = (sent: string | undefined): number | null => (sent === undefined ? null : Date.parse(sent))

/**
 * Converts a request body to the form in which a campaign is stored. An optional field that was not sent becomes null.
 */
function toDetails(body: z.output<typeof NewCampaign>, digest: Digest): CampaignDetails {
  const { favicon = null, budgetUsd, dailyCap = null, startsAt, endsAt, ...rest } = body
  return {
    ...rest,
    favicon,
    fingerprint: hashCreative(rest.text, rest.url, digest),
    price: pricePerImpression(rest.cpmUsd),
    budget: toMicros(budgetUsd),
    dailyCap,
    startsAt: parseTime(startsAt),
    endsAt: parseTime(endsAt),
  }
}

export const campaignsHandlers: Handlers<typeof campaignsContract, CampaignsDeps> = {
  async listCampaigns({ query, now }, { store }) {
    const status = query.status && { is: query.status, at: now }
    const { items, next } = await store.listCampaigns({ ...listParams(query), status })
    return { ok: true, items: items.map((one) => describeCampaign(one, now)), nextCursor: next }
  },

  async createCampaign({ body, effectId, now, audit }, { store, campaignCache, digest }) {
    const campaign = await store.createCampaign({
      audit,
      campaign: { ...toDetails(body, digest), id: effectId, createdAt: now },
    })
    campaignCache.invalidate()
    return reply(201, { ok: true, campaign: describeCampaign(campaign, now) })
  },

  async getCampaign({ params, now }, { store }) {
    const found = await store.findCampaign({ id: params.id, maxDays: maxCampaignDays })
    if (!found) return fail('not_found')
    const days = found.days.map(({ day, impressions, clicks, micros }) => ({
      day: dateOfDay(day),
      impressions,
      clicks,
      spentUsd: toDollars(micros),
    }))
    return {
      ok: true,
      campaign: describeCampaign(found.campaign, now),
      days,
      sponsorLinkAt: timestampOrNull(found.sponsorLinkAt),
    }
  },

  async replaceCampaign({ params, body, now, audit }, { store, campaignCache, digest }) {
    const campaign = await store.replaceCampaign({ id: params.id, details: toDetails(body, digest), audit })
    campaignCache.invalidate()
    return campaign ? { ok: true, campaign: describeCampaign(campaign, now) } : fail('not_found')
  },

  async updateCampaign({ params, body, now, audit }, { store, campaignCache }) {
    const campaign = await store.setCampaignStatus({ ...params, ...body, audit })
    campaignCache.invalidate()
    return campaign ? { ok: true, campaign: describeCampaign(campaign, now) } : fail('not_found')
  },

  async endCampaign({ params, now, audit }, { store, campaignCache }) {
    const campaign = await store.endCampaign({ ...params, audit })
    campaignCache.invalidate()
    return campaign ? { ok: true, campaign: describeCampaign(campaign, now) } : fail('not_found')
  },

  async correctCampaign({ params, body, effectId, now, audit }, { store, campaignCache }) {
    const { usd, reason } = body
    const correction = { id: effectId, campaignId: params.id, micros: toMicros(usd), reason }
    const campaign = await store.correctCampaign({ ...correction, audit })
    campaignCache.invalidate()
    if (campaign === 'too_large') return fail('correction_too_large')
    return campaign ? { ok: true, campaign: describeCampaign(campaign, now) } : fail('not_found')
  },

  async rotateSponsorLink({ params: { id }, audit }, { store, digest, random, link }) {
    const token = generateToken(random, 'trbs_')
    const isSet = await store.setSponsorLink({ id, tokenHash: toHex(digest(token)), audit })
    return isSet ? { ok: true, token, url: link(`/sponsor/${token}`) } : fail('not_found')
  },

  async revokeSponsorLink({ params: { id }, audit }, { store }) {
    return (await store.setSponsorLink({ id, tokenHash: null, audit })) ? { ok: true } : fail('not_found')
  },
}

/** Binds the routes of campaigns to their handlers. */
export const mountCampaigns = (deps: CampaignsDeps): Mounted[] => mount(campaignsContract, campaignsHandlers, deps)
