import { isHeaderOne, type PlainRequest } from '../http/message.ts'
import { dateOfDay, utcDay } from '../ids.ts'
import { toDollars } from '../money.ts'
import type { ActiveCampaign, Campaign, DayCount, ShownCampaignStatus } from './store.ts'

const hour = 60 * 60 * 1000
const day = 24 * hour

/** The time for which serves are kept for replays, late clicks and the caps, in milliseconds. */
export const serveRetentionMs = 7 * day

/** All topics that a campaign or a request can have. */
export const topics = [
  'ai',
  'apis',
  'backend',
  'cloud',
  'data',
  'databases',
  'devops',
  'editors',
  'frontend',
  'hosting',
  'mobile',
  'observability',
  'productivity',
  'security',
  'terminal',
  'testing',
] as const
export type Topic = (typeof topics)[number]

/** The reasons that may be given with a vote. */
export const upvoteReasons = ['helpful'] as const
export const downvoteReasons = ['not_interested', 'irrelevant', 'offensive', 'repetitive', 'misleading'] as const

/** Returns the price of one impression in millionths of a dollar: a thousandth of the CPM. */
export const pricePerImpression = (cpmUsd: number): number => Math.round(cpmUsd * 1000)

/**
 * Returns the share of a budget that may be used after the share `elapsed` of a period. `ahead` allows spending before
 * any time has passed, so the result exceeds 1 towards the end.
 */
const allowedShare = (elapsed: number, period: number, ahead: number): number => (elapsed + ahead) / period

/** A daily cap up to this number is not spread over the day, because it allows at most one impression an hour. */
const maxImmediateCap = 24

/**
 * Returns whether a campaign may be served now. `outstanding` serves may still count, so they are treated as counted
 * and no budget is promised twice. The budget of a campaign with an end is spread evenly over the run, and a daily cap
 * above 24 is spread over the UTC day. Spending may be ahead of this plan by up to an hour, or by a 24th of a run that
 * is longer than a day.
 */
export function isWithinPace(campaign: ActiveCampaign, outstanding: number, now: number): boolean {
  const { budget, spent, price, dailyCap, startsAt, endsAt, createdAt } = campaign
  if ((startsAt !== null && now < startsAt) || (endsAt !== null && now >= endsAt)) return false
  const committed = spent + outstanding * price
  if (committed + price > budget) return false
  const start = startsAt ?? Math.min(createdAt, now)
  if (endsAt !== null) {
    const run = endsAt - start
    if (committed >= budget * allowedShare(now - start, run, Math.max(hour, run / 24))) return false
  }
  if (dailyCap === null) return true
  const today = (campaign.day === utcDay(now) ? campaign.impressionsToday : 0) + outstanding
  if (today >= dailyCap) return false
  return dailyCap <= maxImmediateCap || today < dailyCap * allowedShare(now - utcDay(now) * day, day, hour)
}

/**
 * Returns the share of a campaign's budget that should be spent by a given time if the budget is spread evenly over the
 * run: 0 to 1, or null for a campaign without an end.
 */
export function plannedShare(
  { startsAt, endsAt, createdAt }: Pick<Campaign, 'startsAt' | 'endsAt' | 'createdAt'>,
  at: number,
): number | null {
  const start = startsAt ?? createdAt
  return endsAt === null ? null : Math.min(1, Math.max(0, at - start) / Math.max(1, endsAt - start))
}

/** The reasons why an impression of a served line did not count. */
export const rejectionReasons = [
  'too_soon',
  'expired',
  'replayed',
  'unclaimed',
  'datacenter',
  'capped',
  'capped_person',
  'capped_new',
  'capped_address',
] as const

/** The maximum number of days of a campaign that are listed. */
export const maxCampaignDays = 400

export const campaignStatuses = [
  'scheduled',
  'active',
  'exhausted',
  'ended',
  'paused',
] as const satisfies readonly ShownCampaignStatus[]

/**
 * Returns the status of a campaign at a time. Statuses of campaigns that cannot run again come first: `ended`, then
 * `exhausted` (less is left than an impression costs), then the operator's `paused`, then `scheduled` before its start.
 */
export function campaignStatus(campaign: Omit<Campaign, 'num'>, now: number): ShownCampaignStatus {
  const { status, budget, spent, price, startsAt, endsAt } = campaign
  if (endsAt !== null && now >= endsAt) return 'ended'
  if (spent + price > budget) return 'exhausted'
  if (status === 'paused') return 'paused'
  return startsAt !== null && now < startsAt ? 'scheduled' : 'active'
}

/**
 * Returns `contextual` when the campaign lists the topic, `general` when the campaign has no topics, and null when the
 * campaign does not match.
 */
export function matchTopic(
  campaign: Pick<ActiveCampaign, 'topics'>,
  topic: Topic | undefined,
): 'contextual' | 'general' | null {
  if (topic !== undefined && campaign.topics.includes(topic)) return 'contextual'
  return campaign.topics.length === 0 ? 'general' : null
}

/** The maximum number of campaigns that are candidates for one serve. */
const maxCandidates = 16

interface RankOptions {
  readonly topic: Topic | undefined
  /** Returns the number of serves of a campaign that may still count. */
  readonly countOutstanding: (num: number) => number
  readonly now: number
}

/**
 * Returns the campaigns that may be served, best first. Campaigns that list the topic come first, then campaigns with a
 * higher price, then campaigns with a larger unspent share of the budget.
 */
export function rankCampaigns(
  campaigns: readonly ActiveCampaign[],
  { topic, countOutstanding, now }: RankOptions,
): ActiveCampaign[] {
  const isContextual = (campaign: ActiveCampaign): number => Number(matchTopic(campaign, topic) === 'contextual')
  return campaigns
    .filter((campaign) => matchTopic(campaign, topic) !== null)
    .filter((campaign) => isWithinPace(campaign, countOutstanding(campaign.num), now))
    .sort(
      (a, b) =>
        isContextual(b) - isContextual(a) ||
        b.price - a.price ||
        a.spent / a.budget - b.spent / b.budget ||
        a.num - b.num,
    )
    .slice(0, maxCandidates)
}

/** Returns whether the client asks not to be tracked (W3C DNT, Global Privacy Control). */
export const declinesTracking = (headers: PlainRequest['headers']): boolean =>
  isHeaderOne(headers, 'sec-gpc') || isHeaderOne(headers, 'dnt')

/** Returns a person's count of a day as the account export shows it. `usd` is the price for sponsors. */
export const dayCountView = <Count extends DayCount>({ day: number, micros, ...count }: Count) => ({
  ...count,
  day: dateOfDay(number),
  usd: toDollars(micros),
})
