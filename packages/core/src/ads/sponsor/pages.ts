import { dayChart } from '../../ui/day-chart.ts'
import { percent } from '../../ui/format.ts'
import { exactMoney, html, type Html, mailLink, messagesOf, money, number, page, stats } from '../../ui/html.ts'
import { table } from '../../ui/table.ts'
import { dateOfDay, utcDay } from '../../ids.ts'
import { sponsorMessages } from '../../messages/sponsor.ts'
import { exactDecimals, toDollars } from '../../money.ts'
import { campaignStatus, rejectionReasons } from '../rules.ts'
import type { SponsoredCampaign } from '../store.ts'
import { sponsorLine } from '../terminal.ts'
import { projectedEnd, sponsorDays, sponsorMonths, sumCounts, type SponsorDay, type SponsorMonth } from './rules.ts'

const message = messagesOf(sponsorMessages)

/** The number of days in the chart, and the maximum number of days in the table. The CSV has all days. */
const [chartDays, listedDays] = [30, 90]

const date = (day: number): Html => html`<time datetime="${dateOfDay(day)}">${dateOfDay(day)}</time>`

export interface SponsorView {
  readonly prefix: string
  /** The token of the sponsor's link, which is also part of the link to the CSV. */
  readonly token: string
  readonly found: SponsoredCampaign
  readonly now: number
  /** The address that people write to for help, or undefined. */
  readonly supportEmail: string | undefined
}

/**
 * Renders the figures of a campaign for its sponsor. The campaign's name is internal to the operator and is not shown.
 */
export function sponsorPage({ prefix, token, found, now, supportEmail }: SponsorView): string {
  const { campaign } = found
  const { brandName, text, budget, spent, impressions, clicks, cpmUsd } = campaign
  const days = sponsorDays(found)
  const end = projectedEnd(found, now)
  const notCounted = days.reduce((sum, one) => sum + sumCounts(one.notCounted), 0)
  const remaining = Math.max(0, budget - spent)
  const decimals = exactDecimals([spent, remaining].map(toDollars))
  const share = message('sponsor.ofBudget', {
    share: percent(budget === 0 ? 1 : spent / budget),
    budget: exactMoney(toDollars(budget)),
  })
  const whyNotLink = html`<a href="#not-counted">${message('sponsor.notPaid')}</a>`
  const contact =
    supportEmail === undefined ? null : html`<p>${message('sponsor.contact', { address: mailLink(supportEmail) })}</p>`
  const main = html`<div class="facts">
      <span>${message(`sponsor.status.${campaignStatus(campaign, now)}`)}</span>
      <span>${message('sponsor.asOf', { day: date(utcDay(now)) })}</span>
    </div>
    ${
      days.length === 0
        ? null
        : html`<div class="row">
            <a class="button second small" href="${prefix}/sponsor/${token}/months.csv"
              >${message('sponsor.monthsCsv')}</a
            >
            <a class="button second small" href="${prefix}/sponsor/${token}.csv">${message('sponsor.csv')}</a>
          </div>`
    }
    <p class="terminal"><code>${sponsorLine({ isPaid: true, brandName, text }, 120)}</code></p>
    ${stats([
      [message('sponsor.spent'), money(toDollars(spent), decimals), share],
      [message('sponsor.remaining'), money(toDollars(remaining), decimals)],
      [
        message(end !== null && end === campaign.endsAt ? 'sponsor.scheduledEnd' : 'sponsor.end'),
        end === null ? message('sponsor.endUnknown') : date(utcDay(end)),
      ],
      [message('sponsor.impressions'), number(impressions)],
      [message('sponsor.clicks'), number(clicks)],
      [message('sponsor.notCounted'), number(notCounted), notCounted > 0 ? whyNotLink : undefined],
    ])}
    <p>${message('sponsor.price', { price: exactMoney(cpmUsd) })}</p>
    ${
      days.length === 0
        ? html`<div class="empty" data-empty>
            <p><strong>${message('sponsor.none')}</strong></p>
            <p>${message('sponsor.noneHint')}</p>
          </div>`
        : html`<h2>${message('sponsor.perDay', { days: chartDays })}</h2>
            ${chart(days, utcDay(now))}
            <h2>${message('sponsor.months')}</h2>
            <p>${message('sponsor.monthsIntro')}</p>
            ${monthTable(sponsorMonths(found))} ${correctionList(found)}
            <h2>${message('sponsor.days')}</h2>
            ${dayTable(days)}`
    }
    ${explainUncounted(days)} ${contact}`
  return page({
    title: message('sponsor.title', { sponsor: html`<bdi>${brandName}</bdi>` }),
    tab: brandName,
    prefix,
    nav: html``,
    wide: true,
    main,
  })
}

function chart(days: readonly SponsorDay[], today: number): Html {
  const fromDay = today - chartDays + 1
  const bars = days
    .filter(({ day }) => day >= fromDay)
    .map(({ day, impressions }) => ({
      day,
      value: impressions,
      text: message('sponsor.bar', { count: impressions }),
    }))
  return dayChart({ id: 'days-caption', caption: message('sponsor.chart'), bars, fromDay, toDay: today })
}

function dayTable(days: readonly SponsorDay[]): Html {
  const decimals = exactDecimals(days.flatMap(({ micros, remaining }) => [micros, remaining]).map(toDollars))
  return table({
    caption: message('sponsor.caption', { days: listedDays }),
    items: days.slice(-listedDays).toReversed(),
    columns: [
      [message('sponsor.day'), ({ day }) => date(day)],
      [message('sponsor.impressions'), ({ impressions }) => number(impressions), 'number'],
      [message('sponsor.clicks'), ({ clicks }) => number(clicks), 'number'],
      [message('sponsor.spend'), ({ micros }) => money(toDollars(micros), decimals), 'number'],
      [message('sponsor.notCounted'), ({ notCounted }) => number(sumCounts(notCounted)), 'number'],
      [message('sponsor.remaining'), ({ remaining }) => money(toDollars(remaining), decimals), 'number'],
    ],
  })
}

function monthTable(months: readonly SponsorMonth[]): Html {
  const totals = months.flatMap(({ micros, corrections }) => [micros, corrections, micros + corrections])
  const decimals = exactDecimals(totals.map(toDollars))
  const amount = (micros: number): Html => money(toDollars(micros), decimals)
  return table({
    caption: message('sponsor.monthsCaption'),
    items: months.toReversed(),
    columns: [
      [
        message('sponsor.month'),
        ({ month, closesOn }) =>
          html`<time datetime="${month}">${month}</time
            ><small
              >${closesOn === null ? message('sponsor.closed') : message('sponsor.closesOn', { day: date(closesOn) })}</small
            >`,
      ],
      [message('sponsor.impressions'), ({ impressions }) => number(impressions), 'number'],
      [message('sponsor.clicks'), ({ clicks }) => number(clicks), 'number'],
      [message('sponsor.notCounted'), ({ notCounted }) => number(notCounted), 'number'],
      [message('sponsor.spend'), ({ micros }) => amount(micros), 'number'],
      [message('sponsor.corrections'), ({ corrections }) => amount(corrections), 'number'],
      [message('sponsor.total'), ({ micros, corrections }) => amount(micros + corrections), 'number'],
    ],
  })
}

function correctionList({ corrections }: SponsoredCampaign): Html | null {
  if (corrections.length === 0) return null
  const decimals = exactDecimals(corrections.map(({ micros }) => toDollars(micros)))
  return table({
    caption: message('sponsor.correctionsCaption'),
    items: corrections.toReversed(),
    columns: [
      [message('sponsor.day'), ({ day }) => date(day)],
      [message('sponsor.reason'), ({ reason }) => html`<bdi>${reason}</bdi>`],
      [message('sponsor.corrections'), ({ micros }) => money(toDollars(micros), decimals), 'number'],
    ],
  })
}

/** Explains each reason for which impressions did not count. */
function explainUncounted(days: readonly SponsorDay[]): Html | null {
  const counts = rejectionReasons
    .map((reason) => ({ reason, count: days.reduce((sum, one) => sum + (one.notCounted.get(reason) ?? 0), 0) }))
    .filter(({ count }) => count > 0)
  if (counts.length === 0) return null
  return html`<h2 id="not-counted">${message('sponsor.whyNot')}</h2>
    <p>${message('sponsor.whyNotIntro')}</p>
    <ul>
      ${counts.map(
        ({ reason, count }) => html`<li data-reason="${reason}">${message(`sponsor.reason.${reason}`, { count })}</li>`,
      )}
    </ul>`
}
