import { plannedShare, type campaignStatuses } from '../../ads/rules.ts'
import { grouped } from '../../http/format.ts'
import { html, type Html, stats } from '../../http/html.ts'
import { dateOfDay, dayMs, utcDay } from '../../ids.ts'
import { chartScript, figure } from '../charts.ts'
import type { Shown } from '../contract.ts'
import { status as tag, time } from '../pages.ts'
import { formatUsd } from '../../money.ts'
import { campaignForm, fieldsOf, type EditableCampaign } from './campaign-form.ts'

/** A campaign as JSON shows it. */
export interface Campaign extends EditableCampaign {
  readonly id: string
  readonly status: (typeof campaignStatuses)[number]
  readonly spentUsd: number
  readonly impressions: number
  readonly clicks: number
  readonly createdAt: string
}

/** What counted on a UTC day. */
export interface CampaignDay {
  readonly day: string
  readonly impressions: number
  readonly clicks: number
  readonly spentUsd: number
}

/** The most days in the charts. */
const shownDays = 90

/**
 * Renders the page of a campaign: its status, what was spent and counted, charts by day, and the form that edits it.
 */
export function campaignPage(
  shown: Shown,
  { campaign, days }: { readonly campaign: Campaign; readonly days: readonly CampaignDay[] },
): { title: string; body: Html } {
  const { prefix, now } = shown
  const { id, name, status, brandName, startsAt, endsAt, impressions, clicks, spentUsd, budgetUsd, cpmUsd } = campaign
  return {
    title: name,
    body: html`<div class="facts">
        ${tag(status)} <bdi>${brandName}</bdi>
        <span>${time(startsAt ?? campaign.createdAt)} to ${time(endsAt) ?? 'the end of the budget'} (UTC)</span>
        ${statusForm(prefix, campaign, id)}
      </div>
      ${stats([
        ['Spent', formatUsd(spentUsd)],
        ['Budget', formatUsd(budgetUsd)],
        ['CPM', formatUsd(cpmUsd)],
        ['Impressions', grouped(impressions)],
        ['Clicks', grouped(clicks)],
        ['Click rate', impressions === 0 ? '–' : `${((100 * clicks) / impressions).toFixed(1)}%`],
      ])}
      ${paceText(campaign, now)}
      <h2>Activity</h2>
      ${days.length === 0 ? html`<p data-empty>No impressions yet.</p>` : charts(prefix, campaign, days, now)}
      <h2>Edit campaign</h2>
      <p>A change takes effect at once. Ads that are already on a screen still count, at their old price.</p>
      ${campaignForm(shown, { action: 'edit', item: id, stored: fieldsOf(campaign) })}`,
  }
}

const timesOf = ({ startsAt, endsAt, createdAt }: Campaign) => ({
  startsAt: startsAt === null ? null : Date.parse(startsAt),
  endsAt: endsAt === null ? null : Date.parse(endsAt),
  createdAt: Date.parse(createdAt),
})

/** Says how spending compares with a budget that is spread evenly; nothing before the start and without an end. */
function paceText(campaign: Campaign, now: number): Html | null {
  const share = plannedShare(timesOf(campaign), now)
  if (share === null || share === 0) return null
  const { spentUsd, budgetUsd } = campaign
  const plannedUsd = Math.round(share * budgetUsd * 100) / 100
  return html`<p>
    Planned until now: <strong>${formatUsd(plannedUsd)}</strong>, if the budget is spread evenly over the run. Spent:
    <strong>${formatUsd(spentUsd)}</strong
    >${plannedUsd > 0 ? ` (${Math.round((100 * spentUsd) / plannedUsd)}%)` : null}.
  </p>`
}

function charts(prefix: string, campaign: Campaign, days: readonly CampaignDay[], now: number): Html {
  const times = timesOf(campaign)
  const last = utcDay(Math.min(now, times.endsAt ?? now))
  const firstActive = utcDay(Date.parse(days[0]!.day))
  const first = Math.max(Math.min(utcDay(times.startsAt ?? times.createdAt), firstActive), last - shownDays + 1)
  const byDay = new Map(days.map((day) => [day.day, day]))
  const dates = Array.from({ length: Math.max(1, last - first + 1) }, (_, n) => dateOfDay(first + n))
  const shown = dates.map((date) => byDay.get(date) ?? { impressions: 0, clicks: 0, spentUsd: 0 })
  // What was spent before the first day of the chart is in the sum, not in the days.
  let sum = campaign.spentUsd - shown.reduce((total, { spentUsd }) => total + spentUsd, 0)
  const spentSoFar = shown.map(({ spentUsd }) => (sum += spentUsd))
  const planned = dates.map((date) => plannedShare(times, Math.min(now, Date.parse(date) + dayMs)))
  const amount = (usd: number): string => usd.toFixed(2)
  return html`<div class="charts">
      ${figure({
        title: 'Spend and pacing (USD)',
        days: dates,
        lines: [
          ['Spent so far', spentSoFar.map(amount)],
          ...(times.endsAt === null
            ? []
            : ([['Planned so far', planned.map((share) => amount((share ?? 0) * campaign.budgetUsd))]] as const)),
          ['Spent on the day', shown.map(({ spentUsd }) => amount(spentUsd))],
        ],
      })}
      ${figure({
        title: 'Impressions and clicks',
        days: dates,
        lines: [
          ['Impressions', shown.map(({ impressions }) => grouped(impressions))],
          ['Clicks', shown.map(({ clicks }) => grouped(clicks))],
        ],
      })}
    </div>
    ${chartScript(prefix)}`
}

/** Renders the form that pauses or resumes a campaign. `item`: the page that the browser returns to; none: the list. */
export function statusForm(prefix: string, { id, status, name }: Campaign, item: string | null = null): Html | null {
  if (status === 'ended' || status === 'exhausted') return null
  const [next, verb] = status === 'paused' ? (['active', 'Resume'] as const) : (['paused', 'Pause'] as const)
  return html`<form method="post" action="${prefix}/admin/campaigns/status">
    <input type="hidden" name="id" value="${id}" /><input type="hidden" name="status" value="${next}" />
    ${item === null ? null : html`<input type="hidden" name="item" value="${item}" />`}
    <button class="second small" aria-label="${verb} ${name}">${verb}</button>
  </form>`
}
