import { html, type Html, page, time, stats } from '../http/html.ts'
import { dateOfDay, timestamp } from '../ids.ts'
import { formatUsd, toDollars } from '../money.ts'
import type { Balance, DayEarnings, LedgerEntry } from './store.ts'

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
    ['Available', usd(balance.balance)],
    ['Pending', usd(balance.pending)],
    ['Lifetime', usd(balance.lifetime)],
  ] as const
  const main = html`${stats(figures, 'Balance')}
    <p>
      Your share of a sale is pending for ${settleDays} ${settleDays === 1 ? 'day' : 'days'}, then it is available. We
      pay out what is available and send you an e-mail when we do.
    </p>
    ${isEmpty ? howToEarn(prefix) : html`${view.days.length > 0 ? chart(view) : null} ${ledgerTable(view)}`}
    ${devicesSection(view)}`
  return page({ title: 'Earnings', here: '/earnings', wide: true, prefix, email, signedIn: true, main })
}

const usd = (micros: number): string => formatUsd(toDollars(micros))

function howToEarn(prefix: string): Html {
  return html`<section data-empty aria-labelledby="start">
    <h2 id="start">No earnings yet</h2>
    <p>There are two ways to earn:</p>
    <ul>
      <li>
        <strong>Traces.</strong> Upload traces and leave them for sale. When some of them are sold, you get a share of
        the price. <a href="${prefix}/traces">View your traces</a>
      </li>
      <li>
        <strong>Sponsor lines.</strong> Claim a device with your command-line client. You get a share of what sponsors
        pay for the lines that it shows.
      </li>
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
    <h2 id="days">Earned per day</h2>
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
        ${dateOfDay(fromDay)} to ${dateOfDay(today)} (UTC), most on a day: ${usd(most)}. Sponsor lines are added when
        their day is over.
      </figcaption>
    </figure>
    <details>
      <summary>Show as table</summary>
      <div class="table" role="region" aria-labelledby="days-table" tabindex="0">
        <table>
          <caption id="days-table">
            Days with earnings (UTC)
          </caption>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col" class="number">Earned</th>
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
      <td role="cell" data-label="Date">${time(timestamp(entry.at))}</td>
      <td role="cell" data-label="Status">${status(entry, now)}</td>
      <td role="cell" class="number" data-label="Amount">${usd(entry.micros)}</td>
    </tr>`
  return html`<section aria-labelledby="entries">
    <h2 id="entries">Entries</h2>
    <div class="table" role="region" aria-labelledby="entries-caption" tabindex="0">
      <table class="stack" role="table">
        <caption id="entries-caption">
          Newest first. Times are UTC.
        </caption>
        <thead role="rowgroup">
          <tr role="row">
            <th scope="col" role="columnheader">Entry</th>
            <th scope="col" role="columnheader">Date</th>
            <th scope="col" role="columnheader">Status</th>
            <th scope="col" role="columnheader" class="number">Amount</th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          ${entries.map(row)}
        </tbody>
      </table>
    </div>
    ${next === null ? null : html`<p><a href="${prefix}/earnings?cursor=${next}" rel="next">Older</a></p>`}
  </section>`
}

function describe(prefix: string, { kind, saleId, traces, device, day, reference, reason }: LedgerEntry): Html {
  if (kind === 'sale')
    return html`Sale of ${traces} ${traces === 1 ? 'trace' : 'traces'}<small><code>${saleId}</code></small>`
  if (kind === 'impressions')
    return html`Sponsor lines of ${dateOfDay(day ?? 0)}<small
        ><a href="${prefix}/earn/${device}"><code>${device}</code></a></small
      >`
  if (kind === 'payout') return html`Payout<small>Reference: <bdi>${reference}</bdi></small>`
  return html`Correction<small><bdi>${reason}</bdi></small>`
}

function status({ kind, availableAt }: LedgerEntry, now: number): Html {
  if (kind === 'payout') return html`<span class="tag">Paid out</span>`
  if (kind === 'correction') return html`<span class="tag">Applied</span>`
  if (kind === 'sale' && availableAt > now)
    return html`<span class="tag quiet">Pending</span> until ${time(timestamp(availableAt))}`
  return html`<span class="tag good">Available</span>`
}

function devicesSection({ prefix, devices }: EarningsView): Html | null {
  if (devices.length === 0) return null
  return html`<section aria-labelledby="devices">
    <h2 id="devices">Devices</h2>
    <p>The impressions of each device by day, and what they earned:</p>
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
