import type { Campaign, ActiveCampaign } from './store.ts'

const hour = 60 * 60 * 1000
const day = 24 * hour

/** The closed vocabulary of topics (decisions section 9). */
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

/** Reasons of a vote, by vote. */
export const upReasons = ['helpful'] as const
export const downReasons = ['not_interested', 'irrelevant', 'offensive', 'repetitive', 'misleading'] as const

/** The UTC day of a time, counted from 1970. */
export const dayOf = (now: number): number => Math.floor(now / day)

/** What an impression of a campaign costs, in millionths of a dollar: a thousandth of its CPM. */
export const pricePerImpression = (cpmUsd: number): number => Math.round(cpmUsd * 1000)

/** Dollars as millionths, and back. */
export const toMicros = (usd: number): number => Math.round(usd * 1_000_000)
export const toDollars = (millionths: number): number => millionths / 1_000_000

/** The share of a stretch that may be used up by now: what has passed of it and a little ahead, so that the start is not dry. */
function due(passed: number, length: number, ahead: number): number {
  return Math.min(1, Math.max(0, passed + Math.min(ahead, length)) / length)
}

/**
 * Whether a campaign may be served now. `out` are its serves that may still count: they are taken as counted, so that no budget
 * is promised twice. With an end the budget is spread evenly over the run, a daily cap over the UTC day, each a 24th ahead (the
 * run an hour at least).
 */
export function isWithinPace(campaign: ActiveCampaign, out: number, now: number): boolean {
  const { budget, spent, price, dailyCap, startsAt, endsAt, createdAt } = campaign
  if ((startsAt !== null && now < startsAt) || (endsAt !== null && now >= endsAt)) return false
  const committed = spent + out * price
  if (committed + price > budget) return false
  const start = startsAt ?? Math.min(createdAt, now)
  if (endsAt !== null && committed >= budget * due(now - start, endsAt - start, Math.max(hour, (endsAt - start) / 24)))
    return false
  if (dailyCap === null) return true
  const today = (campaign.day === dayOf(now) ? campaign.impressionsToday : 0) + out
  return today < dailyCap && today < dailyCap * due(now - dayOf(now) * day, day, hour)
}

/** A campaign's status as an operator sees it. */
export const campaignStatuses = ['scheduled', 'active', 'exhausted', 'ended', 'paused'] as const

/**
 * Derives the status at a time. What cannot run again comes first: `ended`, then `exhausted` (less is left than an impression
 * costs), then the operator's `paused`, then `scheduled` before its start.
 */
export function campaignStatus(campaign: Omit<Campaign, 'num'>, now: number): (typeof campaignStatuses)[number] {
  const { status, budget, spent, price, startsAt, endsAt } = campaign
  if (endsAt !== null && now >= endsAt) return 'ended'
  if (spent + price > budget) return 'exhausted'
  if (status === 'paused') return 'paused'
  return startsAt !== null && now < startsAt ? 'scheduled' : 'active'
}

/** `contextual` when the campaign asked for the topic, `general` when it takes any; null when it fits neither. */
export function matchTopic(
  campaign: Pick<ActiveCampaign, 'topics'>,
  topic: Topic | undefined,
): 'contextual' | 'general' | null {
  if (topic !== undefined && campaign.topics.includes(topic)) return 'contextual'
  return campaign.topics.length === 0 ? 'general' : null
}

/** At most this many campaigns are offered to the store for one serve. */
const offered = 16

/** The campaigns that fit, best first: those that asked for the topic, then the dearer, then the one that used less of its budget. */
export function rankCampaigns(
  running: readonly ActiveCampaign[],
  topic: Topic | undefined,
  out: (num: number) => number,
  now: number,
): ActiveCampaign[] {
  return running
    .filter((one) => matchTopic(one, topic) !== null && isWithinPace(one, out(one.num), now))
    .sort(
      (a, b) =>
        Number(matchTopic(b, topic) === 'contextual') - Number(matchTopic(a, topic) === 'contextual') ||
        b.price - a.price ||
        a.spent / a.budget - b.spent / b.budget ||
        a.num - b.num,
    )
    .slice(0, offered)
}

/** Whether the caller's client asks not to be tracked: no consent, device context or lasting session then counts. */
export function declinesTracking(headers: Readonly<Record<string, string | undefined>>): boolean {
  return headers['sec-gpc']?.trim() === '1' || headers['dnt']?.trim() === '1'
}
