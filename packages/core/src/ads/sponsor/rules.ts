import { csvLine } from '../../http/csv.ts'
import { dateOfDay, dayMs, utcDay } from '../../ids.ts'
import { campaignStatus, rejectionReasons } from '../rules.ts'
import type { CampaignDay, SponsoredCampaign } from '../store.ts'

type Reason = (typeof rejectionReasons)[number]

/** A UTC day as its sponsor sees it. Money is millionths of a dollar. */
export interface SponsorDay extends CampaignDay {
  readonly notCounted: ReadonlyMap<Reason, number>
  /** The part of the campaign's current budget that remains after the day. */
  readonly remaining: number
}

/** Adds up counts by reason. */
export const sumOf = (counts: ReadonlyMap<Reason, number>): number => [...counts.values()].reduce((a, b) => a + b, 0)

/** Returns the days on which something was reported, oldest first. */
export function sponsorDays({ campaign, days, rejections }: SponsoredCampaign): SponsorDay[] {
  const byDay = new Map(days.map((one) => [one.day, one]))
  const notCounted = new Map<number, Map<Reason, number>>()
  for (const { day, reason, count } of rejections) {
    if (reason === 'unknown') continue
    const ofDay = notCounted.get(day) ?? new Map<Reason, number>()
    notCounted.set(day, ofDay.set(reason, count))
  }
  let spent = 0
  return [...new Set([...byDay.keys(), ...notCounted.keys()])]
    .sort((a, b) => a - b)
    .map((day) => {
      const counts = byDay.get(day) ?? { day, impressions: 0, clicks: 0, micros: 0 }
      spent += counts.micros
      return {
        ...counts,
        notCounted: notCounted.get(day) ?? new Map(),
        remaining: Math.max(0, campaign.budget - spent),
      }
    })
}

/** The days whose spend is taken for that of the days to come, and how far ahead an end is projected. */
const [paceDays, projectedDays] = [7, 3650]

/**
 * Returns when a campaign will end: when its budget is used up at the pace of the last seven days, today included, and
 * at the latest at its own end. Null while it is paused, when its budget is used up, or when neither is known.
 */
export function projectedEnd({ campaign, days }: SponsoredCampaign, now: number): number | null {
  const { startsAt, endsAt, createdAt, budget, spent } = campaign
  const status = campaignStatus(campaign, now)
  if (status === 'ended') return endsAt
  if (status === 'paused' || status === 'exhausted') return null
  const fromDay = utcDay(now) - paceDays + 1
  const pace = days.reduce((sum, { day, micros }) => (day < fromDay ? sum : sum + micros), 0)
  const period = Math.max(now - Math.max(fromDay * dayMs, startsAt ?? createdAt), dayMs / 24)
  const left = pace === 0 ? Number.POSITIVE_INFINITY : ((budget - spent) / pace) * period
  const end = Math.min(now + left, endsAt ?? Number.POSITIVE_INFINITY)
  return end - now > projectedDays * dayMs ? endsAt : end
}

const usd = (micros: number): string => (micros / 1_000_000).toFixed(6)

/** Returns the days of a campaign as CSV with a header line. Its columns stay; new ones come last. */
export function sponsorCsv(found: SponsoredCampaign, now: number): string {
  const end = projectedEnd(found, now)
  const lines = sponsorDays(found).map(({ day, impressions, clicks, micros, notCounted, remaining }) => [
    dateOfDay(day),
    `${impressions}`,
    `${clicks}`,
    usd(micros),
    `${sumOf(notCounted)}`,
    ...rejectionReasons.map((reason) => `${notCounted.get(reason) ?? 0}`),
    usd(remaining),
    end === null ? '' : dateOfDay(utcDay(end)),
  ])
  const header = [
    'day',
    'impressions',
    'clicks',
    'spend_usd',
    'not_counted',
    ...rejectionReasons.map((reason) => `not_counted_${reason}`),
    'remaining_budget_usd',
    'projected_end',
  ]
  return [header, ...lines].map(csvLine).join('')
}
