import type * as z from 'zod'
import type { Campaign as CampaignItem, CampaignDay as Day } from './contract.ts'
import { plannedShare } from './rules.ts'
import { firstOf } from '../lists.ts'
import { exactDecimals } from '../money.ts'
import { sponsorLine } from './terminal.ts'
import { percent } from '../ui/format.ts'
import { exactMoney, field, formError, html, type Html, messagesOf, money, number, stats } from '../ui/html.ts'
import { campaignsMessages } from '../messages/admin/campaigns.ts'
import { dateOfDay, dayMs, utcDay } from '../ids.ts'
import { chartScript, figure } from '../ui/operator/charts.ts'
import type { SectionListParams } from '../admin/contract.ts'
import {
  addressText,
  idempotencyField,
  listPath,
  message as shared,
  sectionPath,
  sectionTitle,
  status as tag,
  time,
} from '../ui/operator/pages.ts'
import { campaignForm, toFields, type CampaignFields } from './campaign-form.ts'

const message = messagesOf(campaignsMessages)

export type Campaign = z.output<typeof CampaignItem>

type CampaignDay = z.output<typeof Day>

/** A campaign with its days, and the time when its sponsor's link was created. */
export interface FoundCampaign {
  readonly campaign: Campaign
  readonly days: readonly CampaignDay[]
  readonly sponsorLinkAt: string | null
}

/** The maximum number of days in the charts. */
const shownDays = 90

/**
 * Renders the page of a campaign: its status, the spent amount, the counts, charts by day, and the form that edits it.
 */
export function campaignPage(
  shown: SectionListParams,
  { campaign, days, sponsorLinkAt }: FoundCampaign,
): { title: string; body: Html } {
  const { prefix, now } = shown
  const { id, name, status, brandName, startsAt, endsAt, impressions, clicks, spentUsd, budgetUsd, cpmUsd } = campaign
  const from = time(startsAt ?? campaign.createdAt)
  const startHint =
    startsAt === null
      ? message('campaigns.startsAt.started', { time: time(campaign.createdAt) })
      : Date.parse(startsAt) <= now
        ? message('campaigns.startsAt.past')
        : null
  const run =
    endsAt === null ? message('campaigns.runBudget', { from }) : message('campaigns.run', { from, to: time(endsAt) })
  const share = budgetUsd === 0 ? percent(1) : percent(spentUsd / budgetUsd)
  const changeStatus = statusForm(prefix, campaign, id)
  const budget = message('campaigns.shareOfBudget', { share, budget: exactMoney(budgetUsd) })
  return {
    title: name,
    body: html`<div class="facts">${tag(status)} <bdi>${brandName}</bdi> <span>${run}</span></div>
      <div class="row">
        ${changeStatus} ${status === 'ended' ? null : endForm(prefix, id)}
        <a class="button second small" href="${prefix}${sectionPath('campaigns', 'new')}?copy=${id}">
          ${message('campaigns.copy')}
        </a>
        <a class="button second small" href="#edit">${message('campaigns.toEdit')}</a>
        <a class="button second small" href="#sponsor-link">${message('campaigns.link')}</a>
        <a class="button second small" href="${listPath(prefix, 'audit', { subject: id })}"
          >${sectionTitle({ id: 'audit' })}</a
        >
      </div>
      <p class="terminal"><code>${sponsorLine({ isPaid: true, brandName, text: campaign.text }, 120)}</code></p>
      <p><a href="${campaign.url}" rel="noopener noreferrer nofollow">${addressText(campaign.url)}</a></p>
      ${stats([
        [message('campaigns.spent'), exactMoney(spentUsd), budget],
        [message('campaigns.cpm'), exactMoney(cpmUsd)],
        [message('campaigns.impressions'), number(impressions)],
        [message('campaigns.clicks'), number(clicks)],
        [message('campaigns.clickRate'), impressions === 0 ? '–' : percent(clicks / impressions)],
      ])}
      ${paceText(campaign, now)} ${correctionForm(shown, id)}
      <h2>${message('campaigns.activity')}</h2>
      ${
        days.length === 0
          ? html`<p data-empty>${message('campaigns.noImpressions')}</p>`
          : charts(prefix, campaign, days, now)
      }
      ${linkForms(prefix, id, sponsorLinkAt)}
      <h2 id="edit">${message('campaigns.edit')}</h2>
      <p>${message('campaigns.editIntro')}</p>
      ${campaignForm(shown, { action: 'edit', item: id, stored: toFields(campaign), startHint })}`,
  }
}

/** Renders the forms that create, replace and revoke the sponsor's link. */
function linkForms(prefix: string, id: string, madeAt: string | null): Html {
  const form = (action: 'rotate' | 'revoke', label: Html): Html =>
    html`<form method="post" action="${prefix}/admin/campaigns/${action}">
      <input type="hidden" name="id" value="${id}" /><input type="hidden" name="item" value="${id}" />
      ${madeAt === null ? html`<input type="hidden" name="confirmed" value="yes" />` : null}
      <button class="${action === 'revoke' ? 'danger' : 'second'} small">${label}</button>
    </form>`
  return html`<h2 id="sponsor-link">${message('campaigns.link')}</h2>
    <p>${message('campaigns.linkIntro')}</p>
    <p>${madeAt === null ? message('campaigns.linkNone') : message('campaigns.linkMade', { time: time(madeAt) })}</p>
    <div class="row">
      ${form('rotate', message(madeAt === null ? 'campaigns.linkCreate' : 'campaigns.linkRotate'))}
      ${madeAt === null ? null : form('revoke', message('campaigns.linkRevoke'))}
    </div>`
}

/** Renders the form that adds an amount to the spend of a campaign, or subtracts it. */
function correctionForm({ prefix, formKey, problem }: SectionListParams, id: string): Html {
  const failed = problem?.action === 'correct' ? problem.form : null
  const input = (name: 'usd' | 'reason', more: { hint?: Html; inputmode?: string; maxlength?: number }): Html =>
    field({
      name,
      label: message(`campaigns.correction.${name}`),
      value: failed?.fields[name],
      error: failed?.issues.some(({ path }) => path[0] === name)
        ? message(`campaigns.correction.${name}.error`)
        : undefined,
      ...more,
    })
  return html`${failed ? formError() : null}
    <details ${failed ? html` open` : null}>
      <summary>${message('campaigns.correct')}</summary>
      <p>${message('campaigns.correctIntro')}</p>
      <form method="post" action="${prefix}/admin/campaigns/correct">
        ${idempotencyField(formKey)}
        <input type="hidden" name="id" value="${id}" /><input type="hidden" name="item" value="${id}" />
        ${input('usd', { hint: message('campaigns.correction.usd.hint'), inputmode: 'decimal' })}
        ${input('reason', { maxlength: 500 })}
        <p><button>${message('campaigns.correctButton')}</button></p>
      </form>
    </details>`
}

const selectTimes = ({ startsAt, endsAt, createdAt }: Campaign) => ({
  startsAt: startsAt === null ? null : Date.parse(startsAt),
  endsAt: endsAt === null ? null : Date.parse(endsAt),
  createdAt: Date.parse(createdAt),
})

/**
 * Returns the name of a campaign's pace. `share` is the spent amount divided by the planned amount; a deviation of up
 * to a fifth counts as on plan.
 */
const showPace = (share: number): Html =>
  html`<strong
    >${message(share < 0.8 ? 'campaigns.behindPlan' : share > 1.2 ? 'campaigns.aheadOfPlan' : 'campaigns.onPlan')}</strong
  >`

/**
 * Describes how the spending compares with an evenly spread budget. Returns null before the campaign starts or when it
 * has no end.
 */
function paceText(campaign: Campaign, now: number): Html | null {
  const share = plannedShare(selectTimes(campaign), now)
  if (share === null || share === 0) return null
  const { spentUsd, budgetUsd } = campaign
  const plannedUsd = Math.round(share * budgetUsd * 100) / 100
  const amounts = {
    planned: html`<strong>${money(plannedUsd)}</strong>`,
    spent: html`<strong>${exactMoney(spentUsd)}</strong>`,
  }
  const text =
    plannedUsd > 0
      ? message('campaigns.paceShare', {
          ...amounts,
          pace: showPace(spentUsd / plannedUsd),
          share: percent(spentUsd / plannedUsd),
        })
      : message('campaigns.pace', amounts)
  return html`<p>${text}</p>`
}

function charts(prefix: string, campaign: Campaign, days: readonly CampaignDay[], now: number): Html {
  const times = selectTimes(campaign)
  const last = utcDay(Math.min(now, times.endsAt ?? now))
  const firstActive = utcDay(Date.parse(firstOf(days).day))
  const first = Math.max(Math.min(utcDay(times.startsAt ?? times.createdAt), firstActive), last - shownDays + 1)
  const byDay = new Map(days.map((day) => [day.day, day]))
  const dates = Array.from({ length: Math.max(1, last - first + 1) }, (_, n) => dateOfDay(first + n))
  const shown = dates.map((date) => byDay.get(date) ?? { impressions: 0, clicks: 0, spentUsd: 0 })
  // The sum starts with the amount that was spent before the first day of the chart.
  let sum = campaign.spentUsd - shown.reduce((total, { spentUsd }) => total + spentUsd, 0)
  const spentSoFar = shown.map(({ spentUsd }) => (sum += spentUsd))
  const decimals = exactDecimals(spentSoFar)
  const amount = (usd: number): Html => money(usd, decimals)
  const planned = dates.map((date) => plannedShare(times, Math.min(now, Date.parse(date) + dayMs)))
  return html`<div class="charts">
      ${figure({
        title: message('campaigns.pacing'),
        days: dates,
        isUsd: true,
        lines: [
          [message('campaigns.spentSoFar'), spentSoFar, amount],
          ...(times.endsAt === null
            ? []
            : ([
                [message('campaigns.plannedSoFar'), planned.map((share) => (share ?? 0) * campaign.budgetUsd), amount],
              ] as const)),
          [message('campaigns.spentOnDay'), shown.map(({ spentUsd }) => spentUsd), amount],
        ],
      })}
      ${figure({
        title: message('campaigns.counts'),
        days: dates,
        lines: [
          [message('campaigns.impressions'), shown.map(({ impressions }) => impressions), number],
          [message('campaigns.clicks'), shown.map(({ clicks }) => clicks), number],
        ],
      })}
    </div>
    ${chartScript(prefix)}`
}

/**
 * Renders the form that pauses or resumes a campaign. `item` is the page to which the browser returns; the default is
 * the list.
 */
export function statusForm(prefix: string, { id, status, name }: Campaign, item: string | null = null): Html | null {
  if (status === 'ended' || status === 'exhausted') return null
  const [next, verb] =
    status === 'paused' ? (['active', 'admin.resume'] as const) : (['paused', 'admin.pause'] as const)
  return html`<form method="post" action="${prefix}/admin/campaigns/status">
    <input type="hidden" name="id" value="${id}" /><input type="hidden" name="status" value="${next}" />
    ${item === null ? null : html`<input type="hidden" name="item" value="${item}" />`}
    <button class="second small" aria-label="${shared(`${verb}One`, { name })}">${shared(verb)}</button>
  </form>`
}

/** Renders the button that opens the confirmation for ending a campaign. */
const endForm = (prefix: string, id: string): Html =>
  html`<form method="post" action="${prefix}/admin/campaigns/end">
    <input type="hidden" name="id" value="${id}" />
    <button class="danger small">${message('campaigns.end')}</button>
  </form>`

/** Returns the form fields for a copy of a campaign, with a new name and without a schedule. */
export function copiedFields(campaign: Campaign): CampaignFields {
  const { startsAt: _start, endsAt: _end, name, ...fields } = toFields(campaign)
  return { ...fields, name: `${name} (copy)`.slice(0, 128) }
}
