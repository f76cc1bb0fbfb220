import { Failure } from '../../http/failures.ts'
import { html, type Html, notice, stats } from '../../http/html.ts'
import { type AdminSection, type Handed } from '../contract.ts'
import { chartScript, figure } from '../charts.ts'
import { capitalize, sectionPath } from '../pages.ts'

interface Day {
  readonly day: string
  readonly uploads: number
  readonly tracesStored: number
  readonly tracesRejected: number
  readonly tokens: number
  readonly redactions: Readonly<Record<string, number>>
  readonly salesUsd: number
  readonly impressions: number
  readonly spendUsd: number
  readonly reports: number
}

interface Overview {
  readonly days: readonly Day[]
  readonly waiting: {
    readonly applications: number
    readonly failedJobs: number
    readonly reports: number
    readonly outbox: number
  }
}

export interface OverviewSectionDeps {
  readonly overview: Handed<{ days: number }, Overview>
}

const periods = [7, 30, 90] as const

/** Returns the section that `/admin` opens with: what waits, and what happened by day. */
export function overviewSection({ overview }: OverviewSectionDeps): AdminSection {
  return {
    id: 'overview',
    filters: [],
    async show({ prefix, query, now }) {
      const period = periods.find((days) => String(days) === query['days']) ?? 30
      const found = await overview({ days: period }, now)
      if (found instanceof Failure) return notice('error', 'Could not load the overview.')
      return html`${waitingList(prefix, found.waiting)} ${periodLinks(prefix, period)} ${totalsOf(found.days)}
        <div class="charts">${charts(found.days)}</div>
        ${chartScript(prefix)}`
    },
    actions: {},
    notices: {},
  }
}

function waitingList(prefix: string, { applications, failedJobs, reports, outbox }: Overview['waiting']): Html {
  const all: readonly (readonly [count: number, one: string, many: string, path: string])[] = [
    [applications, 'application to review', 'applications to review', `${sectionPath('applications')}?filter=pending`],
    [failedJobs, 'failed job', 'failed jobs', `${sectionPath('jobs')}?filter=failed`],
    [reports, 'open report', 'open reports', `${sectionPath('reports')}?filter=open`],
    [outbox, 'undelivered in the outbox', 'undelivered in the outbox', `${sectionPath('outbox')}?filter=dead`],
  ]
  const waiting = all.filter(([count]) => count > 0)
  return html`<h2 class="first">Waiting for you</h2>
    ${
      waiting.length === 0
        ? html`<p data-empty>Nothing is waiting.</p>`
        : html`<ul class="cards">
            ${waiting.map(
              ([count, one, many, path]) =>
                html`<li>
                  <a href="${prefix}${path}"><strong>${count}</strong> ${count === 1 ? one : many}</a>
                </li>`,
            )}
          </ul>`
    }`
}

function periodLinks(prefix: string, period: number): Html {
  return html`<h2>Activity</h2>
    <nav class="filters" aria-label="Period">
      ${periods.map(
        (days) =>
          html`<a
            href="${prefix}${sectionPath('overview')}?days=${days}"
            ${days === period ? html` aria-current="true"` : null}
            >${days} days</a
          >`,
      )}
    </nav>`
}

const sum = (days: readonly Day[], of: (day: Day) => number): number => days.reduce((total, day) => total + of(day), 0)
const whole = (count: number): string => count.toLocaleString('en')
const dollars = (usd: number): string =>
  usd.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })

function totalsOf(days: readonly Day[]): Html {
  return stats([
    ['Uploads', whole(sum(days, ({ uploads }) => uploads))],
    ['Traces stored', whole(sum(days, ({ tracesStored }) => tracesStored))],
    ['Tokens', whole(sum(days, ({ tokens }) => tokens))],
    ['Sales', `$${dollars(sum(days, ({ salesUsd }) => salesUsd))}`],
    ['Campaign spend', `$${dollars(sum(days, ({ spendUsd }) => spendUsd))}`],
    ['Impressions', whole(sum(days, ({ impressions }) => impressions))],
  ])
}

function charts(days: readonly Day[]): Html[] {
  const categories = [...new Set(days.flatMap(({ redactions }) => Object.keys(redactions)))]
    .map((category) => ({ category, total: sum(days, ({ redactions }) => redactions[category] ?? 0) }))
    .sort((a, b) => b.total - a.total)
  type Line = readonly [heading: string, of: (day: Day) => string]
  const chart = (title: string, lines: readonly Line[], drawn = lines.length): Html =>
    figure({
      title,
      drawn,
      days: days.map(({ day }) => day),
      lines: lines.map(([heading, of]) => [heading, days.map(of)]),
    })
  return [
    chart('Traces', [
      ['Stored', ({ tracesStored }) => whole(tracesStored)],
      ['Rejected', ({ tracesRejected }) => whole(tracesRejected)],
    ]),
    chart('Uploads', [['Uploads', ({ uploads }) => whole(uploads)]]),
    chart('Tokens', [['Tokens', ({ tokens }) => whole(tokens)]]),
    chart(
      'Redactions',
      [
        [
          'All categories',
          ({ redactions }) => whole(Object.values(redactions).reduce((total, count) => total + count, 0)),
        ],
        ...categories.map(({ category }): Line => [
          capitalize(category),
          ({ redactions }) => whole(redactions[category] ?? 0),
        ]),
      ],
      1,
    ),
    chart('Sales (USD)', [['Sales', ({ salesUsd }) => dollars(salesUsd)]]),
    chart('Campaign spend (USD)', [['Campaign spend', ({ spendUsd }) => dollars(spendUsd)]]),
    chart('Impressions', [['Impressions', ({ impressions }) => whole(impressions)]]),
    chart('Reports', [['Reports', ({ reports }) => whole(reports)]]),
  ]
}
