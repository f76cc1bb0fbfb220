import { csvLine } from '../../http/csv.ts'
import { dateOfDay, dayMs, utcDay } from '../../ids.ts'
import { campaignStatus, rejectionReasons } from '../rules.ts'
import type { AdStore, CampaignDay, CampaignMonth, SponsoredCampaign } from '../store.ts'

type Reason = (typeof rejectionReasons)[number]

/** A UTC day in the report of a sponsor. Money is millionths of a dollar. */
export interface SponsorDay extends CampaignDay {
  readonly notCounted: ReadonlyMap<Reason, number>
  /** The sum of the corrections that operators made on the day. */
  readonly corrections: number
  /** The part of the campaign's current budget that remains after the day. */
  readonly remaining: number
}

/** Returns the sum of all counts, whatever their reason. */
export const sumCounts = (counts: ReadonlyMap<Reason, number>): number =>
  [...counts.values()].reduce((a, b) => a + b, 0)

/** Returns the days on which anything was counted or corrected, oldest first. */
export function sponsorDays({ campaign, days, rejections, corrections }: SponsoredCampaign): SponsorDay[] {
  const byDay = new Map(days.map((one) => [one.day, one]))
  const notCounted = new Map<number, Map<Reason, number>>()
  for (const { day, reason, count } of rejections) {
    if (reason === 'unknown') continue
    const ofDay = notCounted.get(day) ?? new Map<Reason, number>()
    notCounted.set(day, ofDay.set(reason, count))
  }
  const corrected = new Map<number, number>()
  for (const { day, micros } of corrections) corrected.set(day, (corrected.get(day) ?? 0) + micros)
  let spent = 0
  return [...new Set([...byDay.keys(), ...notCounted.keys(), ...corrected.keys()])]
    .sort((a, b) => a - b)
    .map((day) => {
      const counts = byDay.get(day) ?? { day, impressions: 0, clicks: 0, micros: 0 }
      const correction = corrected.get(day) ?? 0
      spent += counts.micros + correction
      return {
        ...counts,
        notCounted: notCounted.get(day) ?? new Map(),
        corrections: correction,
        remaining: Math.max(0, campaign.budget - spent),
      }
    })
}

/** The day of the next month on which a month's figures become final. */
const closesOnDay = 3

const toMonth = (day: number): string => dateOfDay(day).slice(0, 7)

/** Returns the first day of the following month, in UTC days since 1970. */
function firstDayAfter(month: string): number {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return utcDay(Date.UTC(year, number, 1))
}

/** Returns the day on which a month closes. */
const closingDay = (month: string): number => firstDayAfter(month) + closesOnDay - 1

/** The maximum number of past months that are closed late, after a time without a worker. */
const lateMonths = 3

/** Closes the months that are over, oldest first. A closed month does not change. */
export async function closeMonths(now: number, store: Pick<AdStore, 'closeMonth'>): Promise<void> {
  const today = utcDay(now)
  const date = new Date(now)
  for (let back = lateMonths; back > 0; back--) {
    const month = toMonth(utcDay(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - back, 1)))
    if (closingDay(month) <= today) await store.closeMonth({ month, lastDay: firstDayAfter(month) - 1, now })
  }
}

/** The amount that a campaign owes for a month. `closesOn` is the day on which an open month closes. */
export interface SponsorMonth extends CampaignMonth {
  readonly closesOn: number | null
}

const noFigures = { impressions: 0, clicks: 0, notCounted: 0, micros: 0, corrections: 0 }

/**
 * Returns the months of a campaign, oldest first: closed months with the figures at their closing, then the remaining
 * days by month. Impressions and corrections that are recorded after their month was closed count towards the first
 * month that was still open, so the months always add up to the campaign's figures.
 */
export function sponsorMonths(found: SponsoredCampaign): SponsorMonth[] {
  const closed = found.months.map((month) => ({ ...month, closesOn: null }))
  const lastClosed = closed.at(-1)
  const firstOpen = lastClosed === undefined ? null : toMonth(firstDayAfter(lastClosed.month))
  const open = new Map<string, Omit<CampaignMonth, 'month'>>()
  const add = (month: string, sign: 1 | -1, figures: Omit<CampaignMonth, 'month'>): void => {
    const sum = open.get(month) ?? noFigures
    open.set(month, {
      impressions: sum.impressions + sign * figures.impressions,
      clicks: sum.clicks + sign * figures.clicks,
      notCounted: sum.notCounted + sign * figures.notCounted,
      micros: sum.micros + sign * figures.micros,
      corrections: sum.corrections + sign * figures.corrections,
    })
  }
  for (const { notCounted, ...day } of sponsorDays(found)) {
    const month = toMonth(day.day)
    add(firstOpen !== null && month < firstOpen ? firstOpen : month, 1, { ...day, notCounted: sumCounts(notCounted) })
  }
  for (const month of closed) add(firstOpen!, -1, month)
  const isEmpty = (figures: Omit<CampaignMonth, 'month'>): boolean =>
    Object.keys(noFigures).every((name) => figures[name as keyof typeof noFigures] === 0)
  return [
    ...closed,
    ...[...open]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([month, figures]) => ({ month, ...figures, closesOn: closingDay(month) })),
  ].filter((month) => !isEmpty(month))
}

/**
 * The number of past days from which the daily spend is estimated, and the maximum number of days ahead for which an
 * end is projected.
 */
const [paceDays, projectedDays] = [7, 3650]

/**
 * Returns when a campaign will end: when its budget is used up at the pace of the last seven days, including today, or
 * at the end of its schedule if this end is earlier. Returns null while the campaign is paused, when its budget is used
 * up, or when neither time is known.
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

/**
 * Returns the days of a campaign as CSV with a header line. Existing columns never change; new columns are added at the
 * end.
 */
export function sponsorCsv(found: SponsoredCampaign, now: number): string {
  const end = projectedEnd(found, now)
  const lines = sponsorDays(found).map(({ day, impressions, clicks, micros, notCounted, corrections, remaining }) => [
    dateOfDay(day),
    `${impressions}`,
    `${clicks}`,
    usd(micros),
    `${sumCounts(notCounted)}`,
    ...rejectionReasons.map((reason) => `${notCounted.get(reason) ?? 0}`),
    usd(remaining),
    end === null ? '' : dateOfDay(utcDay(end)),
    usd(corrections),
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
    'corrections_usd',
  ]
  return [header, ...lines].map(csvLine).join('')
}

/**
 * Returns the months of a campaign as CSV with a header line. Existing columns never change; new columns are added at
 * the end.
 */
export function sponsorMonthsCsv(found: SponsoredCampaign): string {
  const lines = sponsorMonths(found).map(({ month, closesOn, micros, corrections, ...counts }) => [
    month,
    closesOn === null ? 'closed' : 'open',
    closesOn === null ? '' : dateOfDay(closesOn),
    `${counts.impressions}`,
    `${counts.clicks}`,
    `${counts.notCounted}`,
    usd(micros),
    usd(corrections),
    usd(micros + corrections),
  ])
  const header = [
    'month',
    'state',
    'closes_on',
    'impressions',
    'clicks',
    'not_counted',
    'spend_usd',
    'corrections_usd',
    'total_usd',
  ]
  return [header, ...lines].map(csvLine).join('')
}
