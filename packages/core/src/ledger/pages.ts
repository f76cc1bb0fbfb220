import { dayChart } from '../http/day-chart.ts'
import { html, type Html, messagesOf, money, page, stats, time } from '../http/html.ts'
import { table } from '../http/table.ts'
import { dateOfDay, timestamp } from '../ids.ts'
import { earningsMessages } from '../messages/earnings.ts'
import { toDollars } from '../money.ts'
import type { Balance, DayEarnings, LedgerEntry } from './store.ts'

const message = messagesOf(earningsMessages)

export interface EarningsView {
  readonly prefix: string
  readonly email: string | null
  readonly now: number
  readonly balance: Balance
  /** Newest first. */
  readonly entries: readonly LedgerEntry[]
  /** The cursor of the next page, or null. */
  readonly next: string | null
  readonly isFirstPage: boolean
  /** What was earned on each day from `fromDay` to `today` that has earnings (UTC days since 1970). */
  readonly days: readonly DayEarnings[]
  readonly fromDay: number
  readonly today: number
  /** The ids of the person's devices. */
  readonly devices: readonly string[]
  /** Days until a share of a sale is available. */
  readonly settleDays: number
  /** Whether devices show sponsor lines. */
  readonly showsAds: boolean
  /** Whether the service sends mails. */
  readonly sendsMail: boolean
}

/** Renders the earnings of a contributor. */
export function earningsPage(view: EarningsView): string {
  const { prefix, email, balance, entries, isFirstPage, settleDays } = view
  const isEmpty = entries.length === 0 && isFirstPage
  const paidOut = balance.lifetime - balance.balance - balance.pending
  const figures = [
    [
      message('earnings.available'),
      usd(balance.balance),
      balance.balance > 0 ? message('earnings.availableNote') : undefined,
    ],
    [
      message('earnings.pending'),
      usd(balance.pending),
      settleDays > 0 ? message('earnings.pendingNote', { count: settleDays }) : undefined,
    ],
    [message('earnings.paid'), usd(paidOut)],
    [message('earnings.lifetime'), usd(balance.lifetime)],
  ] as const
  const link = html`<a href="${prefix}/contact">${message('earnings.contact')}</a>`
  const main = html`${stats(figures, message('earnings.balance'))}
    <p>
      ${settleDays > 0 ? message('earnings.settle', { count: settleDays }) : null}
      ${message('earnings.payout.how', { link })} ${view.sendsMail ? message('earnings.payout.mail') : null}
    </p>
    ${isEmpty ? howToEarn(view) : html`${view.days.length > 0 ? chart(view) : null} ${entryTable(view)}`}
    ${devicesSection(view)}`
  return page({ title: message('earnings.title'), here: '/earnings', wide: true, prefix, email, signedIn: true, main })
}

const usd = (micros: number): Html => money(toDollars(micros))
const dayOf = (day: number): Html => html`<time datetime="${dateOfDay(day)}">${dateOfDay(day)}</time>`

function howToEarn({ prefix, showsAds }: EarningsView): Html {
  const link = html`<a href="${prefix}/traces">${message('earnings.viewTraces')}</a>`
  const byTraces = message('earnings.byTraces', { link })
  const both = html`<p>${message('earnings.twoWays')}</p>
    <ul>
      <li><strong>${message('earnings.traces')}</strong> ${byTraces}</li>
      <li><strong>${message('earnings.lines')}</strong> ${message('earnings.byLines')}</li>
    </ul>`
  return html`<section data-empty aria-labelledby="start">
    <h2 id="start">${message('earnings.none')}</h2>
    ${showsAds ? both : html`<p>${byTraces}</p>`}
  </section>`
}

/** Renders what was earned on each day as a chart, and as a table that is folded. */
function chart({ days, fromDay, today, showsAds }: EarningsView): Html {
  const amount = usd(days.reduce((sum, { micros }) => sum + micros, 0))
  return html`<section aria-labelledby="days">
    <h2 id="days">${message('earnings.perDay', { days: today - fromDay + 1, amount })}</h2>
    ${dayChart({
      id: 'days-caption',
      caption: html`${message('earnings.chart')} ${showsAds ? message('earnings.chartLines') : null}`,
      bars: days.map(({ day, micros }) => ({ day, value: micros, text: usd(micros) })),
      fromDay,
      toDay: today,
    })}
    <details>
      <summary>${message('earnings.asTable')}</summary>
      ${table({
        caption: message('earnings.days'),
        items: days,
        columns: [
          [message('earnings.day'), ({ day }) => dayOf(day)],
          [message('earnings.earned'), ({ micros }) => usd(micros), 'number'],
        ],
      })}
    </details>
  </section>`
}

/**
 * Returns entries as rows: shares of sponsor lines that follow each other are one row, so that sales and payouts are
 * not lost among them.
 */
export function groupEntries(entries: readonly LedgerEntry[]): (readonly [LedgerEntry, ...LedgerEntry[]])[] {
  const rows: [LedgerEntry, ...LedgerEntry[]][] = []
  for (const entry of entries) {
    const last = rows.at(-1)
    if (entry.kind === 'impressions' && last?.[0].kind === 'impressions') last.push(entry)
    else rows.push([entry])
  }
  return rows
}

function entryTable({ prefix, now, entries, next }: EarningsView): Html {
  return html`<section aria-labelledby="entries">
    <h2 id="entries">${message('earnings.entries')}</h2>
    ${table({
      caption: message('earnings.caption'),
      items: groupEntries(entries),
      columns: [
        [message('earnings.entry'), ([entry, ...more]) => describe(prefix, [entry, ...more])],
        [message('earnings.date'), ([{ at }]) => time(timestamp(at))],
        [message('earnings.status'), ([entry]) => status(entry, now)],
        [message('earnings.amount'), (row) => usd(row.reduce((sum, { micros }) => sum + micros, 0)), 'number'],
      ],
    })}
    ${next === null ? null : html`<p><a href="${prefix}/earnings?cursor=${next}" rel="next">${message('earnings.older')}</a></p>`}
  </section>`
}

function describe(prefix: string, [entry, ...more]: readonly [LedgerEntry, ...LedgerEntry[]]): Html {
  const { kind, saleId, traces, reference, reason } = entry
  if (kind === 'sale')
    return html`<a href="${prefix}/traces?saleId=${saleId}">${message('earnings.sale', { count: traces ?? 0 })}</a
      ><small>${message('earnings.saleId', { id: html`<code class="whole">${saleId}</code>` })}</small>`
  if (kind === 'impressions') return describeLines(prefix, [entry, ...more])
  if (kind === 'payout')
    return html`${message('earnings.payout')}<small
        >${message('earnings.reference', { reference: html`<bdi>${reference}</bdi>` })}</small
      >`
  return html`${message('earnings.correction')}<small><bdi>${reason}</bdi></small>`
}

/** Describes shares of sponsor lines: one with its device, several with a list that is folded. */
function describeLines(prefix: string, entries: readonly LedgerEntry[]): Html {
  const days = entries.map(({ day }) => day ?? 0)
  const [from, to] = [Math.min(...days), Math.max(...days)]
  const title =
    from === to
      ? message('earnings.linesOf', { day: dayOf(to) })
      : message('earnings.linesFrom', { from: dayOf(from), to: dayOf(to) })
  const link = ({ device }: LedgerEntry): Html => html`<a href="${prefix}/earn/${device}"><code>${device}</code></a>`
  const [only, ...others] = entries
  if (others.length === 0) return html`${title}<small>${link(only!)}</small>`
  return html`${title}
    <details>
      <summary>${message('earnings.shares', { count: entries.length })}</summary>
      <ul>
        ${entries.map((entry) => html`<li>${message('earnings.share', { day: dayOf(entry.day ?? 0), device: link(entry), amount: usd(entry.micros) })}</li>`)}
      </ul>
    </details>`
}

function status({ kind, availableAt }: LedgerEntry, now: number): Html {
  if (kind === 'payout') return html`<span class="tag">${message('earnings.paidOut')}</span>`
  if (kind === 'sale' && availableAt > now)
    return html`<span class="tag quiet">${message('earnings.pending')}</span>
      ${message('earnings.until', { time: time(timestamp(availableAt)) })}`
  return html`<span class="tag good">${message('earnings.available')}</span>`
}

function devicesSection({ prefix, devices }: EarningsView): Html | null {
  if (devices.length === 0) return null
  return html`<section aria-labelledby="devices">
    <h2 id="devices">${message('earnings.devices')}</h2>
    <p>${message('earnings.devicesIntro')}</p>
    <ul class="links">
      ${devices.map(
        (id) =>
          html`<li>
            <a href="${prefix}/earn/${id}"><code>${id}</code></a>
          </li>`,
      )}
    </ul>
  </section>`
}
