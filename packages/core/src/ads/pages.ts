import { html, type Html, messagesOf, money, number, page } from '../http/html.ts'
import { dateOfDay } from '../ids.ts'
import { earningsMessages } from '../messages/earnings.ts'
import { toDollars } from '../money.ts'
import type { DayCount } from './store.ts'

const message = messagesOf(earningsMessages)

interface Frame {
  readonly prefix: string
  readonly email: string | null
  readonly device: string
}

export interface EarnView extends Frame {
  /** Newest day first. */
  readonly days: readonly DayCount[]
  readonly shownDays: number
  /** The contributor's share of what sponsors paid, 0 to 1. */
  readonly adShare: number
}

/** The reasons why an impression did not count. */
const reasons = ['too_soon', 'expired', 'replayed', 'unclaimed', 'capped', 'capped_person', 'capped_address'] as const

function row(day: number, counts: ReadonlyMap<string, number>, earned: number): Html {
  const rejected = reasons.flatMap((reason) => (counts.has(reason) ? [{ reason, count: counts.get(reason)! }] : []))
  const sum = rejected.reduce((total, { count }) => total + count, 0)
  const cell = (label: Html, value: Html): Html =>
    html`<td role="cell" data-label="${label}" class="number">${value}</td>`
  const none = html`<span aria-label="${message('earn.noReasons')}">–</span>`
  const shown = rejected.map(
    ({ reason, count }) => html`<div data-reason="${reason}">${message(`earn.${reason}`, { count })}</div>`,
  )
  return html`<tr role="row">
    <th scope="row" role="rowheader"><time datetime="${dateOfDay(day)}">${dateOfDay(day)}</time></th>
    ${cell(message('earnings.earned'), money(earned))}
    ${cell(message('earn.counted'), number(counts.get('counted') ?? 0))}
    ${cell(message('earn.notCounted'), number(sum))}
    <td role="cell" data-label="${message('earn.reasons')}">${rejected.length > 0 ? shown : none}</td>
    ${cell(message('earn.clicks'), number(counts.get('clicked') ?? 0))}
  </tr> `
}

/** Renders the impressions of a device by day. */
export function earnPage({ prefix, email, device, days, shownDays, adShare }: EarnView): string {
  const byDay = new Map<number, Map<string, number>>()
  for (const { day, outcome, count } of days)
    byDay.set(day, (byDay.get(day) ?? new Map<string, number>()).set(outcome, count))
  const counted = days.reduce((sum, { outcome, count }) => sum + (outcome === 'counted' ? count : 0), 0)
  const earnedOn = (on: (day: number) => boolean): number =>
    toDollars(days.reduce((sum, { day, micros }) => sum + (on(day) ? Math.round(micros * adShare) : 0), 0))
  const amount = html`<strong>${money(earnedOn(() => true))}</strong>`
  const rows = [...byDay].map(([day, counts]) =>
    row(
      day,
      counts,
      earnedOn((on) => on === day),
    ),
  )
  const main = html`<p>${message('earn.summary', { count: counted, days: shownDays, amount })}</p>
    <p>${message('earn.added')}</p>
    ${byDay.size === 0 ? html`<p data-empty>${message('earn.none')}</p>` : dayTable(rows)}`
  return page({
    title: message('earn.title', { device: html`<bdi>${device}</bdi>` }),
    tab: message('earn.title', { device }),
    above: html`<nav class="trail" aria-label="${message('earn.breadcrumb')}">
      <a href="${prefix}/earnings">${message('earnings.title')}</a>
    </nav>`,
    here: '/earnings',
    wide: true,
    prefix,
    email,
    signedIn: true,
    main,
  })
}

function dayTable(rows: readonly Html[]): Html {
  const heading = (text: Html): Html => html`<th scope="col" role="columnheader" class="number">${text}</th>`
  return html`<div class="table" role="region" aria-labelledby="days-caption" tabindex="0">
    <table class="stack" role="table">
      <caption id="days-caption">
        ${message('earn.caption')}
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          <th scope="col" role="columnheader">${message('earnings.day')}</th>
          ${heading(message('earnings.earned'))} ${heading(message('earn.counted'))}
          ${heading(message('earn.notCounted'))}
          <th scope="col" role="columnheader">${message('earn.reasons')}</th>
          ${heading(message('earn.clicks'))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rows}
      </tbody>
    </table>
  </div>`
}

/** Renders the page for a device that the user did not claim; it does not reveal whether someone else did. */
export function deviceNotFoundPage({ prefix, email, device }: Frame): string {
  return page({
    title: message('earn.unknownTitle'),
    here: '/earnings',
    prefix,
    email,
    signedIn: true,
    main: html`<p>${message('earn.unknown', { device: html`<code>${device}</code>` })}</p>`,
  })
}
