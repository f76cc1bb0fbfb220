import { dayChart } from '../ui/day-chart.ts'
import { percent } from '../ui/format.ts'
import { html, type Html, messagesOf, money, number, page, stats } from '../ui/html.ts'
import { table } from '../ui/table.ts'
import { dateOfDay } from '../ids.ts'
import { earningsMessages } from '../messages/earnings.ts'
import { decimalsOf, toDollars } from '../money.ts'
import { rejectionReasons as reasons } from './rules.ts'
import type { DayCount } from './store.ts'

const message = messagesOf(earningsMessages)

interface Frame {
  readonly prefix: string
  readonly email: string | null
  readonly device: string
}

export interface EarnView extends Frame {
  /** The days, the newest first. */
  readonly days: readonly DayCount[]
  readonly shownDays: number
  /** The last day that is shown (UTC days since 1970). */
  readonly today: number
  /** The contributor's share of the sponsors' payments, 0 to 1. */
  readonly adShare: number
}

/** The counts of one or several days. */
interface Tally {
  readonly counts: ReadonlyMap<string, number>
  /** The micro-dollars of the contributor. */
  readonly earned: number
}

/** Adds up the counts of days by outcome. */
function tally(days: readonly DayCount[], adShare: number): Tally {
  const counts = new Map<string, number>()
  for (const { outcome, count } of days) counts.set(outcome, (counts.get(outcome) ?? 0) + count)
  return { counts, earned: days.reduce((sum, { micros }) => sum + Math.round(micros * adShare), 0) }
}

const findCount = ({ counts }: Tally, outcome: string): number => counts.get(outcome) ?? 0
const countUncounted = (one: Tally): number => reasons.reduce((sum, reason) => sum + findCount(one, reason), 0)

/** Renders the impressions of a device by day. */
export function earnPage({ prefix, email, device, days, shownDays, today, adShare }: EarnView): string {
  const total = tally(days, adShare)
  const byDay = [...new Set(days.map(({ day }) => day))].map((day) => ({
    day,
    ...tally(
      days.filter((one) => one.day === day),
      adShare,
    ),
  }))
  const decimals = decimalsOf(byDay.map(({ earned }) => toDollars(earned)))
  const figures = [
    [message('earnings.earned'), money(toDollars(total.earned))],
    [message('earn.counted'), number(findCount(total, 'counted'))],
    [message('earn.notCounted'), number(countUncounted(total))],
    [message('earn.clicks'), number(findCount(total, 'clicked'))],
  ] as const
  const bars = byDay.map((one) => {
    const count = findCount(one, 'counted')
    return { day: one.day, value: count, text: message('earn.bar', { count }) }
  })
  const range = { fromDay: today - shownDays + 1, toDay: today }
  const main = html`<p>${message('earn.intro', { share: percent(adShare) })}</p>
    ${
      byDay.length === 0
        ? html`<div class="empty" data-empty>
            <p><strong>${message('earn.none', { days: shownDays })}</strong></p>
            <p>${message('earn.noneHint')}</p>
          </div>`
        : html`<h2>${message('earn.totals', { days: shownDays })}</h2>
            ${stats(figures)}
            <h2>${message('earn.perDay', { days: shownDays })}</h2>
            ${dayChart({ id: 'days-caption', caption: message('earn.chart'), bars, ...range })}
            ${explainUncounted(total)}
            <h2>${message('earn.days')}</h2>
            ${dayTable(byDay, decimals)}`
    }`
  return page({
    title: message('earn.title', { device: html`<bdi>${device}</bdi>` }),
    tab: message('earn.title', { device }),
    above: showTrail(prefix),
    here: '/earnings',
    wide: true,
    prefix,
    email,
    signedIn: true,
    main,
  })
}

const showTrail = (prefix: string): Html =>
  html`<nav class="trail" aria-label="${message('earn.breadcrumb')}">
    <a href="${prefix}/earnings">${message('earnings.title')}</a>
  </nav>`

/** Explains each reason for which impressions did not count. */
function explainUncounted(total: Tally): Html | null {
  const met = reasons.filter((reason) => findCount(total, reason) > 0)
  if (met.length === 0) return null
  return html`<h2>${message('earn.whyNot')}</h2>
    <ul>
      ${met.map(
        (reason) =>
          html`<li>
            <strong>${message(`earn.${reason}`, { count: findCount(total, reason) })}.</strong>
            ${message(`earn.${reason}Hint`)}
          </li>`,
      )}
    </ul>`
}

type Day = Tally & { readonly day: number }

function dayTable(days: readonly Day[], decimals: number): Html {
  return table({
    caption: message('earn.caption'),
    items: days,
    narrow: true,
    columns: [
      [
        message('earnings.day'),
        ({ day, counts }) =>
          html`<time datetime="${dateOfDay(day)}">${dateOfDay(day)}</time>${reasons
              .filter((reason) => counts.has(reason))
              .map((reason) => {
                const why = message(`earn.${reason}`, { count: counts.get(reason) ?? 0 })
                return html`<small data-reason="${reason}">${message('earn.notCountedWhy', { why })}</small>`
              })}`,
      ],
      [message('earnings.earned'), ({ earned }) => money(toDollars(earned), decimals), 'number'],
      [message('earn.counted'), (one) => number(findCount(one, 'counted')), 'number'],
      [message('earn.clicks'), (one) => number(findCount(one, 'clicked')), 'number'],
    ],
  })
}

/**
 * Renders the page for a device that the user did not claim. The page does not reveal whether another user claimed it.
 */
export function deviceNotFoundPage({ prefix, email, device }: Frame): string {
  return page({
    title: message('earn.unknownTitle'),
    here: '/earnings',
    prefix,
    email,
    signedIn: true,
    main: html`<p>${message('earn.unknown', { device: html`<code>${device}</code>` })}</p>
      <p><a class="button second" href="${prefix}/earnings">${message('earn.toEarnings')}</a></p>`,
  })
}
