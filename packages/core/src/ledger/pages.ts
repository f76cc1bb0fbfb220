import { html, type Html, messagesOf, money, page, stats, time } from '../http/html.ts'
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
}

/** Renders the earnings of a contributor. */
export function earningsPage(view: EarningsView): string {
  const { prefix, email, balance, entries, isFirstPage, settleDays } = view
  const isEmpty = entries.length === 0 && isFirstPage
  const figures = [
    [message('earnings.available'), usd(balance.balance)],
    [message('earnings.pending'), usd(balance.pending)],
    [message('earnings.lifetime'), usd(balance.lifetime)],
  ] as const
  const main = html`${stats(figures, message('earnings.balance'))}
    <p>${message('earnings.settle', { count: settleDays })}</p>
    ${isEmpty ? howToEarn(prefix) : html`${view.days.length > 0 ? chart(view) : null} ${ledgerTable(view)}`}
    ${devicesSection(view)}`
  return page({ title: message('earnings.title'), here: '/earnings', wide: true, prefix, email, signedIn: true, main })
}

const usd = (micros: number): Html => money(toDollars(micros))

function howToEarn(prefix: string): Html {
  return html`<section data-empty aria-labelledby="start">
    <h2 id="start">${message('earnings.none')}</h2>
    <p>${message('earnings.twoWays')}</p>
    <ul>
      <li>
        <strong>${message('earnings.traces')}</strong>
        ${message('earnings.byTraces', { link: html`<a href="${prefix}/traces">${message('earnings.viewTraces')}</a>` })}
      </li>
      <li><strong>${message('earnings.lines')}</strong> ${message('earnings.byLines')}</li>
    </ul>
  </section>`
}

/** Width of a day and height of the chart, in units of its view box. */
const [dayWidth, chartHeight] = [20, 120]

/** Renders a bar for each day, with the same values as a table. */
function chart({ days, fromDay, today }: EarningsView): Html {
  const byDay = new Map(days.map(({ day, micros }) => [day, micros]))
  const most = Math.max(...days.map(({ micros }) => micros), 1)
  const bars = Array.from({ length: today - fromDay + 1 }, (_, at) => {
    const micros = byDay.get(fromDay + at) ?? 0
    const height = micros <= 0 ? 1 : Math.max((micros / most) * chartHeight, 2)
    return html`<rect
      x="${at * dayWidth + 2}"
      y="${(chartHeight - height).toFixed(1)}"
      width="${dayWidth - 4}"
      height="${height.toFixed(1)}"
      ${micros <= 0 ? html` class="none"` : null}
    >
      <title>${dateOfDay(fromDay + at)}: ${usd(micros)}</title>
    </rect>`
  })
  const width = (today - fromDay + 1) * dayWidth
  return html`<section aria-labelledby="days">
    <h2 id="days">${message('earnings.perDay')}</h2>
    <figure>
      <svg
        class="bars"
        viewBox="0 0 ${width} ${chartHeight}"
        preserveAspectRatio="none"
        role="img"
        aria-labelledby="days-caption"
      >
        ${bars}
      </svg>
      <figcaption id="days-caption">
        ${message('earnings.chart', { from: dateOfDay(fromDay), to: dateOfDay(today), most: usd(most) })}
      </figcaption>
    </figure>
    <details>
      <summary>${message('earnings.asTable')}</summary>
      <div class="table" role="region" aria-labelledby="days-table" tabindex="0">
        <table>
          <caption id="days-table">
            ${message('earnings.days')}
          </caption>
          <thead>
            <tr>
              <th scope="col">${message('earnings.day')}</th>
              <th scope="col" class="number">${message('earnings.earned')}</th>
            </tr>
          </thead>
          <tbody>
            ${days.map(
              ({ day, micros }) =>
                html`<tr>
                  <th scope="row"><time datetime="${dateOfDay(day)}">${dateOfDay(day)}</time></th>
                  <td class="number">${usd(micros)}</td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
    </details>
  </section>`
}

function ledgerTable({ prefix, now, entries, next }: EarningsView): Html {
  const row = (entry: LedgerEntry): Html =>
    html`<tr role="row">
      <th scope="row" role="rowheader">${describe(prefix, entry)}</th>
      <td role="cell" data-label="${message('earnings.date')}">${time(timestamp(entry.at))}</td>
      <td role="cell" data-label="${message('earnings.status')}">${status(entry, now)}</td>
      <td role="cell" class="number" data-label="${message('earnings.amount')}">${usd(entry.micros)}</td>
    </tr>`
  return html`<section aria-labelledby="entries">
    <h2 id="entries">${message('earnings.entries')}</h2>
    <div class="table" role="region" aria-labelledby="entries-caption" tabindex="0">
      <table class="stack" role="table">
        <caption id="entries-caption">
          ${message('earnings.caption')}
        </caption>
        <thead role="rowgroup">
          <tr role="row">
            <th scope="col" role="columnheader">${message('earnings.entry')}</th>
            <th scope="col" role="columnheader">${message('earnings.date')}</th>
            <th scope="col" role="columnheader">${message('earnings.status')}</th>
            <th scope="col" role="columnheader" class="number">${message('earnings.amount')}</th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          ${entries.map(row)}
        </tbody>
      </table>
    </div>
    ${next === null ? null : html`<p><a href="${prefix}/earnings?cursor=${next}" rel="next">${message('earnings.older')}</a></p>`}
  </section>`
}

function describe(prefix: string, { kind, saleId, traces, device, day, reference, reason }: LedgerEntry): Html {
  if (kind === 'sale')
    return html`${message('earnings.sale', { count: traces ?? 0 })}<small><code>${saleId}</code></small>`
  if (kind === 'impressions')
    return html`${message('earnings.linesOf', { day: dateOfDay(day ?? 0) })}<small
        ><a href="${prefix}/earn/${device}"><code>${device}</code></a></small
      >`
  if (kind === 'payout')
    return html`${message('earnings.payout')}<small
        >${message('earnings.reference', { reference: html`<bdi>${reference}</bdi>` })}</small
      >`
  return html`${message('earnings.correction')}<small><bdi>${reason}</bdi></small>`
}

function status({ kind, availableAt }: LedgerEntry, now: number): Html {
  if (kind === 'payout') return html`<span class="tag">${message('earnings.paidOut')}</span>`
  if (kind === 'correction') return html`<span class="tag">${message('earnings.applied')}</span>`
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
    <ul>
      ${devices.map(
        (id) =>
          html`<li>
            <a href="${prefix}/earn/${id}"><code>${id}</code></a>
          </li>`,
      )}
    </ul>
  </section>`
}
