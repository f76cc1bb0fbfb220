import type * as z from 'zod'
import type { OverviewDay } from './contract.ts'
import type { WaitingCounts } from './store.ts'
import { Failure } from '../../http/failures.ts'
import { html, type Html, messagesOf, money, notice, number, stats } from '../../ui/html.ts'
import { overviewMessages } from '../../messages/admin/overview.ts'
import { type AdminSection, type CapabilityHandler } from '../contract.ts'
import { chartScript, figure } from '../../ui/operator/charts.ts'
import { operatorCategoryName } from '../../traces/pages/texts.ts'
import { message as shared, sectionPath } from '../../ui/operator/pages.ts'

const message = messagesOf(overviewMessages)

type Day = z.output<typeof OverviewDay>

interface Overview {
  readonly days: readonly Day[]
  readonly waiting: WaitingCounts
}

export interface OverviewSectionDeps {
  readonly capabilities: { readonly ads: boolean; readonly reports: boolean }
  readonly overview: CapabilityHandler<{ days: number }, Overview>
}

const periods = [7, 30, 90] as const

/** Returns the first section of `/admin`, with everything that waits for an operator and the counts by day. */
export function overviewSection({ capabilities, overview }: OverviewSectionDeps): AdminSection {
  return {
    id: 'overview',
    filters: [],
    async show({ prefix, query, now }) {
      const period = periods.find((days) => String(days) === query['days']) ?? 30
      const found = await overview({ days: period }, now)
      if (found instanceof Failure) return notice('error', message('overview.notLoaded'))
      return html`${waitingList(prefix, found.waiting)} ${periodLinks(prefix, period)}
        ${showTotals(found.days, capabilities)}
        <div class="charts">${charts(found.days, capabilities)}</div>
        ${chartScript(prefix)}`
    },
    actions: {},
    notices: {},
  }
}

function waitingList(prefix: string, waits: Overview['waiting']): Html {
  const all = [
    [waits.applications, 'applications', `${sectionPath('applications')}?filter=pending`],
    [waits.payoutRequests, 'payoutRequests', sectionPath('payouts')],
    [waits.removals, 'removals', `${sectionPath('buyers')}?filter=unconfirmed`],
    [waits.failedJobs, 'failedJobs', `${sectionPath('jobs')}?filter=failed`],
    [waits.reports, 'openReports', `${sectionPath('reports')}?filter=open`],
    [waits.feedback, 'openFeedback', `${sectionPath('feedback')}?filter=open`],
    [waits.outbox, 'undelivered', `${sectionPath('outbox')}?filter=dead`],
  ] as const
  const waiting = all.filter(([count]) => count > 0)
  return html`<h2 class="first">${message('overview.waiting')}</h2>
    ${
      waiting.length === 0
        ? html`<p data-empty>${message('overview.nothing')}</p>`
        : html`<ul class="cards">
            ${waiting.map(
              ([count, name, path]) =>
                html`<li ${name === 'failedJobs' || name === 'undelivered' ? html` class="bad"` : null}>
                  <a href="${prefix}${path}">${message(`overview.${name}`, { count })}</a>
                </li>`,
            )}
          </ul>`
    }`
}

function periodLinks(prefix: string, period: number): Html {
  return html`<h2>${message('overview.activity')}</h2>
    <nav class="filters" aria-label="${message('overview.period')}">
      ${periods.map(
        (days) =>
          html`<a
            href="${prefix}${sectionPath('overview')}?days=${days}"
            ${days === period ? html` aria-current="true"` : null}
            >${message('overview.days', { count: days })}</a
          >`,
      )}
    </nav>
    <p class="hint">${message('overview.today')}</p>`
}

const sum = (days: readonly Day[], of: (day: Day) => number): number => days.reduce((total, day) => total + of(day), 0)

function showTotals(days: readonly Day[], { ads }: OverviewSectionDeps['capabilities']): Html {
  return stats([
    [message('overview.uploads'), number(sum(days, ({ uploads }) => uploads))],
    [message('overview.tracesStored'), number(sum(days, ({ tracesStored }) => tracesStored))],
    [message('overview.tokens'), number(sum(days, ({ tokens }) => tokens))],
    [message('overview.sales'), money(sum(days, ({ salesUsd }) => salesUsd))],
    ...(ads
      ? [
          [message('overview.spend'), money(sum(days, ({ spendUsd }) => spendUsd))] as const,
          [message('overview.impressions'), number(sum(days, ({ impressions }) => impressions))] as const,
        ]
      : []),
  ])
}

const sumCounts = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0)

/** Returns the names of counts, the largest total first. */
function rankedNames(days: readonly Day[], countsOf: (day: Day) => Readonly<Record<string, number>>): string[] {
  const names = [...new Set(days.flatMap((day) => Object.keys(countsOf(day))))]
  return names
    .map((name) => ({ name, total: sum(days, (day) => countsOf(day)[name] ?? 0) }))
    .sort((a, b) => b.total - a.total)
    .map(({ name }) => name)
}

function charts(days: readonly Day[], { ads, reports }: OverviewSectionDeps['capabilities']): Html[] {
  const rules = rankedNames(days, ({ wrongReplacements }) => wrongReplacements)
  const categories = rankedNames(days, ({ redactions }) => redactions)
  type Line = readonly [heading: Html, of: (day: Day) => number]
  const chart = (title: Html, lines: readonly Line[], show = number, drawn = lines.length): Html =>
    figure({
      title,
      drawn,
      isUsd: show === money,
      days: days.map(({ day }) => day),
      lines: lines.map(([heading, of]) => [heading, days.map(of), show]),
    })
  /** Returns a chart with one line. The line and the chart have the same title. */
  const line = (title: Html, of: (day: Day) => number, show = number): Html => chart(title, [[title, of]], show)
  return [
    chart(message('overview.traces'), [
      [shared('admin.stored'), ({ tracesStored }) => tracesStored],
      [shared('admin.rejected'), ({ tracesRejected }) => tracesRejected],
    ]),
    line(message('overview.uploads'), ({ uploads }) => uploads),
    line(message('overview.tokens'), ({ tokens }) => tokens),
    chart(
      message('overview.redactions'),
      [
        [message('overview.allCategories'), ({ redactions }) => sumCounts(redactions)],
        ...categories.map((category): Line => [
          html`${operatorCategoryName(category)}`,
          ({ redactions }) => redactions[category] ?? 0,
        ]),
      ],
      number,
      1,
    ),
    ...(rules.length === 0
      ? []
      : [
          chart(
            message('overview.wrongReplacements'),
            [
              [message('overview.allRules'), ({ wrongReplacements }) => sumCounts(wrongReplacements)],
              ...rules.map((rule): Line => [html`<code>${rule}</code>`, (day) => day.wrongReplacements[rule] ?? 0]),
            ],
            number,
            1,
          ),
        ]),
    line(message('overview.sales'), ({ salesUsd }) => salesUsd, money),
    ...(ads
      ? [
          line(message('overview.spend'), ({ spendUsd }) => spendUsd, money),
          line(message('overview.impressions'), ({ impressions }) => impressions),
        ]
      : []),
    ...(reports ? [line(message('overview.reports'), (day) => day.reports)] : []),
  ]
}
