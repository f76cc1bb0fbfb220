import { campaignStatus } from '../../ads/rules.ts'
import { listPage, type MemoryList } from './list.ts'
import type {
  AdStore,
  Campaign,
  CampaignCorrection,
  CampaignDetails,
  CampaignMonth,
  CampaignRejections,
  CampaignStatus,
  ListCampaignsParams,
  NewCampaign,
  RejectionReason,
} from '../../ads/store.ts'
import { timestampOrNull, utcDay } from '../../ids.ts'
import type { MemoryAudit } from './audit.ts'

interface LedgerDay {
  impressions: number
  micros: number
  clicks: number
}

/** A campaign with its ledger by UTC day. */
export interface StoredCampaign extends NewCampaign {
  readonly num: number
  status: CampaignStatus
  spent: number
  impressions: number
  clicks: number
  readonly days: Map<number, LedgerDay>
  readonly rejections: { day: number; reason: RejectionReason; count: number }[]
  readonly months: CampaignMonth[]
  readonly corrections: CampaignCorrection[]
  link: { readonly tokenHash: string; readonly madeAt: number } | null
}

/** Adds an impression that did not count to its day. */
export function addRejection({ rejections }: StoredCampaign, day: number, reason: RejectionReason): void {
  const stored = rejections.find((one) => one.day === day && one.reason === reason)
  if (stored) stored.count++
  else rejections.push({ day, reason, count: 1 })
}

/** Returns the ledger of a day, which it adds if there is none. */
export function ledgerOfDay({ days }: StoredCampaign, day: number): LedgerDay {
  const ledger = days.get(day) ?? { impressions: 0, micros: 0, clicks: 0 }
  days.set(day, ledger)
  return ledger
}

/** Returns the details that the audit shows. */
function auditedDetails(details: CampaignDetails): Record<string, string | number | null> {
  const { name, brandName, title, text, url, favicon, topics, cpmUsd, budget, dailyCap, startsAt, endsAt } = details
  return {
    name,
    brandName,
    title,
    text,
    url,
    favicon,
    topics: JSON.stringify(topics),
    cpmUsd,
    budgetUsd: budget / 1_000_000,
    dailyCap,
    startsAt: timestampOrNull(startsAt),
    endsAt: timestampOrNull(endsAt),
  }
}

const withoutLedger = ({
  days: _,
  rejections: _rejections,
  months: _months,
  corrections: _corrections,
  link: _link,
  ...campaign
}: StoredCampaign): Campaign => campaign

const daysOf = ({ days }: StoredCampaign) =>
  [...days].map(([day, ledger]) => ({ day, ...ledger })).sort((a, b) => a.day - b.day)

const byDay = (a: CampaignRejections, b: CampaignRejections): number => a.day - b.day || (a.reason < b.reason ? -1 : 1)

type CampaignMethods =
  | 'listActiveCampaigns'
  | 'createCampaign'
  | 'listCampaigns'
  | 'listCampaignNames'
  | 'findCampaign'
  | 'replaceCampaign'
  | 'setCampaignStatus'
  | 'endCampaign'
  | 'setSponsorLink'
  | 'findSponsored'
  | 'correctCampaign'
  | 'closeMonth'
  | 'rotateSecrets'

/** Returns the methods of the ad store for campaigns and secrets; `campaigns` is shared with the serves. */
export function memoryCampaigns(
  campaigns: Map<number, StoredCampaign>,
  audits: Pick<MemoryAudit, 'record'>,
): Pick<AdStore, CampaignMethods> {
  let secrets: { secret: string; madeAt: number }[] = []
  const find = (id: string): StoredCampaign | undefined =>
    [...campaigns.values()].find((campaign) => campaign.id === id)

  return {
    async listActiveCampaigns({ day }) {
      return [...campaigns.values()]
        .filter(({ status }) => status === 'active')
        .map((campaign) => ({
          ...withoutLedger(campaign),
          day,
          impressionsToday: campaign.days.get(day)?.impressions ?? 0,
        }))
    },
    async createCampaign({ campaign, audit }) {
      const existing = find(campaign.id)
      if (existing) return withoutLedger(existing)
      const num = campaigns.size + 1
      const counters = { spent: 0, impressions: 0, clicks: 0 }
      const nothing = { days: new Map(), rejections: [], months: [], corrections: [], link: null }
      const created: StoredCampaign = { ...campaign, ...counters, num, status: 'active', ...nothing }
      campaigns.set(num, created)
      const { id, name, brandName, url, cpmUsd, budget } = campaign
      audits.record(audit, 'campaign.create', id, null, { name, brandName, url, cpmUsd, budgetUsd: budget / 1_000_000 })
      return withoutLedger(created)
    },
    async listCampaigns({ status, ...params }) {
      const found = [...campaigns.values()].filter((one) => !status || campaignStatus(one, status.at) === status.is)
      const list: MemoryList<StoredCampaign, NonNullable<ListCampaignsParams['sort']>> = {
        num: ({ num }) => num,
        at: ({ createdAt }) => createdAt,
        sorts: { createdAt: ({ num }) => num, name: ({ name }) => name, spentUsd: ({ spent }) => spent },
        whole: ({ id }) => [id],
        text: ({ id, name, brandName, title, text, url }) => [id, name, brandName, title, text, url],
      }
      const { items, next } = listPage(found, list, params)
      return { items: items.map(withoutLedger), next }
    },
    async listCampaignNames({ ids }) {
      return [...campaigns.values()].filter(({ id }) => ids.includes(id)).map(({ id, name }) => ({ id, name }))
    },
    async findCampaign({ id, maxDays }) {
      const campaign = find(id)
      if (!campaign) return null
      const sponsorLinkAt = campaign.link?.madeAt ?? null
      return { campaign: withoutLedger(campaign), days: daysOf(campaign).slice(-maxDays), sponsorLinkAt }
    },
    async replaceCampaign({ id, details, audit }) {
      const campaign = find(id)
      if (!campaign) return null
      const [was, given] = [auditedDetails(campaign), auditedDetails(details)]
      const changed = Object.keys(was).filter((name) => was[name] !== given[name])
      const only = (state: typeof was) => Object.fromEntries(changed.map((name) => [name, state[name]!]))
      if (changed.length > 0) audits.record(audit, 'campaign.update', id, only(was), only(given))
      Object.assign(campaign, details)
      return withoutLedger(campaign)
    },
    async setCampaignStatus({ id, status, audit }) {
      const campaign = find(id)
      if (!campaign) return null
      if (campaign.status !== status)
        audits.record(audit, 'campaign.update', id, { status: campaign.status }, { status })
      campaign.status = status
      return withoutLedger(campaign)
    },
    async endCampaign({ id, audit }) {
      const campaign = find(id)
      if (!campaign) return null
      const { endsAt } = campaign
      if (endsAt === null || endsAt > audit.at) {
        const state = (at: number | null) => ({ endsAt: timestampOrNull(at) })
        audits.record(audit, 'campaign.update', id, state(endsAt), state(audit.at))
        Object.assign(campaign, { endsAt: audit.at })
      }
      return withoutLedger(campaign)
    },
    async setSponsorLink({ id, tokenHash, audit }) {
      const campaign = find(id)
      if (!campaign) return false
      if (tokenHash !== null) audits.record(audit, 'campaign.rotate_sponsor_link', id, null, null)
      else if (campaign.link) audits.record(audit, 'campaign.revoke_sponsor_link', id, null, null)
      campaign.link = tokenHash === null ? null : { tokenHash, madeAt: audit.at }
      return true
    },
    async findSponsored({ tokenHash }) {
      const campaign = [...campaigns.values()].find(({ link }) => link?.tokenHash === tokenHash)
      if (!campaign) return null
      const rejections = campaign.rejections.map((one) => ({ ...one })).sort(byDay)
      const { months, corrections } = campaign
      return {
        campaign: withoutLedger(campaign),
        days: daysOf(campaign),
        rejections,
        months: [...months],
        corrections: [...corrections].sort((a, b) => a.day - b.day || (a.id < b.id ? -1 : 1)),
      }
    },
    async correctCampaign({ id, campaignId, micros, reason, audit }) {
      const campaign = find(campaignId)
      if (!campaign) return null
      if (campaign.corrections.some((one) => one.id === id)) return withoutLedger(campaign)
      if (campaign.spent + micros < 0) return 'too_large'
      const spentUsd = (spent: number) => ({ spentUsd: spent / 1_000_000 })
      audits.record(audit, 'campaign.correct', campaignId, spentUsd(campaign.spent), spentUsd(campaign.spent + micros))
      campaign.corrections.push({ id, day: utcDay(audit.at), micros, reason })
      campaign.spent += micros
      return withoutLedger(campaign)
    },
    async closeMonth({ month, lastDay }) {
      for (const { createdAt, days, rejections, months, corrections } of campaigns.values()) {
        if (utcDay(createdAt) > lastDay || months.some((one) => one.month >= month)) continue
        const until = <One extends { readonly day: number }>(all: readonly One[], pick: (one: One) => number): number =>
          all.reduce((sum, one) => (one.day <= lastDay ? sum + pick(one) : sum), 0)
        const before = (name: Exclude<keyof CampaignMonth, 'month'>): number =>
          months.reduce((sum, one) => sum + one[name], 0)
        const counted = [...days].map(([day, ledger]) => ({ day, ...ledger }))
        months.push({
          month,
          impressions: until(counted, ({ impressions }) => impressions) - before('impressions'),
          clicks: until(counted, ({ clicks }) => clicks) - before('clicks'),
          notCounted: until(rejections, ({ count }) => count) - before('notCounted'),
          micros: until(counted, ({ micros }) => micros) - before('micros'),
          corrections: until(corrections, ({ micros }) => micros) - before('corrections'),
        })
      }
    },
    async rotateSecrets({ fresh, now, since }) {
      if (!secrets.some(({ madeAt }) => madeAt > since)) {
        secrets = [{ secret: fresh, madeAt: now }, ...secrets].slice(0, 2)
      }
      return secrets.map(({ secret }) => secret)
    },
  }
}
