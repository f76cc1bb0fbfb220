import { dayChart } from '../ui/day-chart.ts'
import { firstOf } from '../lists.ts'
import { clientSteps, type ClientTerms } from '../ui/client-commands.ts'
import { percent } from '../ui/format.ts'
import { balanceAmount, html, type Html, mailLink, messagesOf, money, page, stats, time } from '../ui/html.ts'
import { table } from '../ui/table.ts'
import { dateOfDay, timestamp } from '../ids.ts'
import { earningsMessages } from '../messages/earnings.ts'
import { balanceParts, decimalsOf, floorToCents, toDollars } from '../money.ts'
import { minPayoutText } from './shares.ts'
import { addEntryStates, type EntryState, type EntryWithState } from './rules.ts'
import type { Balance, DayEarnings, LedgerEntry, PayoutRequest } from './store.ts'

const message = messagesOf(earningsMessages)

export interface EarningsView {
  readonly prefix: string
  readonly email: string | null
  readonly progress: Html | null
  readonly now: number
  readonly balance: Balance
  /** The entries of the page, newest first. */
  readonly entries: readonly LedgerEntry[]
  /** The sum of the entries on newer pages in micro-dollars, without payouts and pending sales. */
  readonly newer: number
  /** The cursor of the next page, or null. */
  readonly next: string | null
  readonly isFirstPage: boolean
  /** The earnings of each day with earnings, from `fromDay` to `today` (UTC days since 1970). */
  readonly days: readonly DayEarnings[]
  readonly fromDay: number
  readonly today: number
  /** The ids of the person's devices. */
  readonly devices: readonly string[]
  /** The minimum balance for a payout request, in micro-dollars. */
  readonly minPayoutMicros: number
  /** The latest payout request, or null. */
  readonly request: PayoutRequest | null
  /** The number of days until a share of a sale is available. */
  readonly settleDays: number
  /** The parts of the prices of sales and of sponsor lines that contributors get, 0 to 1. */
  readonly revenueShare: number
  readonly adShare: number
  /** Whether devices show sponsor lines. */
  readonly showsAds: boolean
  readonly client: ClientTerms
  /** The address that people write to for help, or undefined. */
  readonly supportEmail: string | undefined
  /** Whether the service sends mails. */
  readonly sendsMail: boolean
}

/** Renders the earnings of a contributor. */
export function earningsPage(view: EarningsView): string {
  const { prefix, email, balance, entries, isFirstPage, settleDays } = view
  const isEmpty = entries.length === 0 && isFirstPage
  const { available, pending, paidOut, total } = balanceParts(balance)
  const figures = [
    [message('earnings.available'), usd(available)],
    [
      message('earnings.pending'),
      usd(pending),
      settleDays > 0 ? message('earnings.pendingNote', { count: settleDays }) : undefined,
    ],
    [message('earnings.paid'), usd(paidOut)],
    [message('earnings.lifetime'), usd(total)],
  ] as const
  const link = html`<a href="${prefix}/contact">${message('earnings.contact')}</a>`
  const main = html`${stats(figures, message('earnings.balance'))}
    <p>
      ${settleDays > 0 ? message('earnings.settle', { count: settleDays }) : null}
      ${message('earnings.payout.how', { link })} ${view.sendsMail ? message('earnings.payout.mail') : null}
      ${view.supportEmail === undefined ? null : message('earnings.payout.questions', { address: mailLink(view.supportEmail) })}
    </p>
    ${payoutRequest(view)}
    ${
      isEmpty
        ? howToEarn(view)
        : html`${view.days.length > 0 ? chart(view, total) : null} ${entryTable(view, total !== balance.lifetime)}`
    }
    ${devicesSection(view)}`
  return page({
    title: message('earnings.title'),
    here: '/earnings',
    wide: true,
    prefix,
    email,
    progress: view.progress,
    signedIn: true,
    main,
  })
}

/** Renders the latest payout request, and the form for the next one if the balance allows it. */
function payoutRequest({ prefix, balance, request, minPayoutMicros }: EarningsView): Html | null {
  if (request?.status === 'open') {
    const values = { amount: balanceAmount(request.micros), time: time(timestamp(request.requestedAt)) }
    return html`<p data-request="open">${message('earnings.request.open', values)}</p>`
  }
  const rejected =
    request?.status === 'rejected'
      ? html`<p data-request="rejected">
          ${message('earnings.request.rejected', { reason: html`<q>${request.reason}</q>` })}
        </p>`
      : null
  return html`${rejected}
  ${
    balance.balance >= Math.max(minPayoutMicros, 1)
      ? html`<form method="post" action="${prefix}/earnings">
          <p><button>${message('earnings.request.button', { amount: balanceAmount(balance.balance) })}</button></p>
        </form>`
      : minPayoutMicros > 0
        ? html`<p>${minPayoutText(minPayoutMicros)}</p>`
        : null
  }`
}

const usd = (micros: number, decimals?: number): Html => money(toDollars(micros), decimals)
const dayOf = (day: number): Html => html`<time datetime="${dateOfDay(day)}">${dateOfDay(day)}</time>`

function howToEarn({ prefix, showsAds, progress, client, revenueShare, adShare }: EarningsView): Html {
  const link = html`<a href="${prefix}/#upload">${message('earnings.howToUpload')}</a>`
  const byTraces = message('earnings.byTraces', {
    share: percent(revenueShare),
    link: progress === null ? link : message('earnings.notOpen'),
  })
  const both = html`<p>${message('earnings.twoWays')}</p>
    <ul>
      <li><strong>${message('earnings.traces')}</strong> ${byTraces}</li>
      <li>
        <strong>${message('earnings.lines')}</strong>
        ${message('earnings.byLines', { command: html`<code>status</code>`, share: percent(adShare) })}
      </li>
    </ul>
    <p>${progress === null ? null : message('earnings.beforeApproval')} ${message('earnings.showLine')}</p>
    ${clientSteps(message('earnings.commands'), client, { hasDevice: false, names: ['status'] })}`
  return html`<section data-empty aria-labelledby="start">
    <h2 id="start">${message('earnings.none')}</h2>
    ${showsAds ? both : html`<p>${byTraces}</p>`}
  </section>`
}

/**
 * Renders the earnings of each day as a chart, and as a collapsed table. The sum of the days and of all other entries,
 * such as a bonus, is at most the shown `total`, unless a correction reduced the earnings.
 */
function chart({ balance, days, fromDay, today, showsAds }: EarningsView, total: number): Html {
  const sum = days.reduce((all, { micros }) => all + micros, 0)
  const other = balance.lifetime - sum
  const amount = balanceAmount(other < 0 ? sum : Math.min(sum, Math.max(0, total - floorToCents(other))))
  const decimals = decimalsOf(days.map(({ micros }) => toDollars(micros)))
  return html`<section aria-labelledby="days">
    <h2 id="days">${message('earnings.perDay', { days: today - fromDay + 1, amount })}</h2>
    ${dayChart({
      id: 'days-caption',
      caption: html`${message(showsAds ? 'earnings.chart' : 'earnings.chartSales')}
      ${showsAds ? message('earnings.chartLines') : null}`,
      bars: days.map(({ day, micros }) => ({ day, value: micros, text: usd(micros, decimals) })),
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
          [message('earnings.earned'), ({ micros }) => usd(micros, decimals), 'number'],
        ],
      })}
    </details>
  </section>`
}

type Row = readonly [EntryWithState, ...EntryWithState[]]

/**
 * Groups entries into rows. Consecutive shares of sponsor lines with the same state become one row, so that sales and
 * payouts are easy to find among them.
 */
export function groupEntries<Entry extends Pick<LedgerEntry, 'kind'> & { readonly status?: EntryState }>(
  entries: readonly Entry[],
): (readonly [Entry, ...Entry[]])[] {
  const rows: [Entry, ...Entry[]][] = []
  for (const entry of entries) {
    const last = rows.at(-1)
    if (entry.kind === 'impressions' && last?.[0].kind === 'impressions' && last[0].status === entry.status)
      last.push(entry)
    else rows.push([entry])
  }
  return rows
}

const sumOf = (row: Row): number => row.reduce((sum, { micros }) => sum + micros, 0)

function entryTable({ prefix, now, balance, newer, entries, next }: EarningsView, isRounded: boolean): Html {
  const hasPayouts = balance.lifetime > balance.balance + balance.pending
  const rows = groupEntries(addEntryStates(entries, { now, balance: balance.balance, newer, hasPayouts }))
  const decimals = decimalsOf(rows.map((row) => toDollars(sumOf(row))))
  return html`<section aria-labelledby="entries">
    <h2 id="entries">${message('earnings.entries')}</h2>
    ${table({
      caption: html`${message('earnings.caption')} ${isRounded ? message('earnings.rounded') : null}`,
      items: rows,
      columns: [
        [message('earnings.entry'), (row) => describe(prefix, row)],
        [message('earnings.date'), ([{ at }]) => time(timestamp(at))],
        [message('earnings.status'), ([entry]) => status(entry)],
        [message('earnings.amount'), (row) => usd(sumOf(row), decimals), 'number'],
      ],
    })}
    ${next === null ? null : html`<p><a href="${prefix}/earnings?cursor=${next}" rel="next">${message('earnings.older')}</a></p>`}
  </section>`
}

function describe(prefix: string, row: Row): Html {
  const [{ kind, saleId, traces, reference, reason, micros }] = row
  switch (kind) {
    case 'sale':
      return html`<a href="${prefix}/traces?saleId=${saleId}">${message('earnings.sale', { count: traces ?? 0 })}</a
        ><small>${message('earnings.saleId', { id: html`<code class="whole">${saleId}</code>` })}</small>`
    case 'impressions':
      return describeLines(prefix, row)
    case 'payout':
      return html`${message('earnings.payout')}<small
          >${message('earnings.reference', { reference: html`<bdi>${reference}</bdi>` })}</small
        >`
    case 'correction':
      return html`${message(micros < 0 ? 'earnings.deduction' : 'earnings.correction')}<small
          ><bdi>${reason}</bdi></small
        >`
  }
}

/** Describes shares of sponsor lines: a single share with its device, several shares with a collapsed list. */
function describeLines(prefix: string, entries: Row): Html {
  const days = entries.map(({ day }) => day ?? 0)
  const [from, to] = [Math.min(...days), Math.max(...days)]
  const title =
    from === to
      ? message('earnings.linesOf', { day: dayOf(to) })
      : message('earnings.linesFrom', { from: dayOf(from), to: dayOf(to) })
  const link = ({ device }: LedgerEntry): Html => html`<a href="${prefix}/earn/${device}"><code>${device}</code></a>`
  if (entries.length === 1) return html`${title}<small>${link(firstOf(entries))}</small>`
  const decimals = decimalsOf(entries.map(({ micros }) => toDollars(micros)))
  const share = (entry: LedgerEntry): Html => {
    const values = { day: dayOf(entry.day ?? 0), device: link(entry), amount: usd(entry.micros, decimals) }
    return html`<li>${message('earnings.share', values)}</li>`
  }
  return html`${title}
    <details>
      <summary>${message('earnings.shares', { count: entries.length })}</summary>
      <ul>
        ${entries.map(share)}
      </ul>
    </details>`
}

function status({ status, availableAt, left = 0 }: EntryWithState): Html {
  const tone = { paidOut: 'tag', partlyPaidOut: 'tag', pending: 'tag quiet', available: 'tag good' }[status]
  const text =
    status === 'partlyPaidOut'
      ? message('earnings.partlyPaidOut', { amount: usd(left) })
      : message(`earnings.${status}`)
  return html`<span class="${tone}">${text}</span
    >${status === 'pending' ? html` ${message('earnings.until', { time: time(timestamp(availableAt)) })}` : null}`
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
