import { Failure } from '../http/failures.ts'
import { html, type Html, messagesOf, notice } from '../ui/html.ts'
import { reportsMessages } from '../messages/admin/reports.ts'
import type * as z from 'zod'
import { ReportItem, ReportsQuery } from './contract.ts'
import { kinds, statuses } from './rules.ts'
import type { Column } from '../ui/table.ts'
import type { CapabilityAction, FormSection, CapabilityHandler, List, SectionListParams } from '../admin/contract.ts'
import { listSection } from '../ui/operator/list.ts'
import { addressText, message as shared, status as tag, time } from '../ui/operator/pages.ts'
import {
  formatAgent,
  mergeForms,
  reportLink,
  reportPage,
  severityTag,
  translateName,
  type Report,
  type ReportDetails,
} from './report-page.ts'

const message = messagesOf(reportsMessages)

type Search = Pick<z.output<typeof ReportsQuery>, 'q' | 'kind' | 'from' | 'to'>

interface Counts {
  readonly statuses: Readonly<Record<Report['status'], number>>
  readonly duplicates: number
}

export interface ReportsDeps {
  readonly list: CapabilityHandler<z.output<typeof ReportsQuery>, List<Report>>
  readonly count: CapabilityHandler<Search, Counts>
  readonly find: CapabilityHandler<string, Omit<ReportDetails, 'others'>>
  readonly setStatus: CapabilityAction<{ id: string; status: Report['status'] }, unknown>
  readonly merge: CapabilityAction<{ id: string; into: string }, { readonly report: Report }>
  readonly separate: CapabilityAction<string, unknown>
}

/** The maximum number of reports that are offered for a merge. */
const offered = 10

/**
 * Returns the section of agents' reports, whose texts are untrusted: a search, a page for each report, a form for the
 * status, and forms for merging duplicates.
 */
export function reportsSection(deps: ReportsDeps): FormSection<'reports'> {
  const { list, count, find, setStatus, merge, separate } = deps
  return {
    id: 'reports',
    filters: statuses,
    defaultFilter: 'open',
    waitingFilter: 'open',
    async countFilters(query) {
      const valid = Object.entries(searchFields).filter(([name, field]) => field.safeParse(query[name]).success)
      const search: Search = Object.fromEntries(valid.map(([name]) => [name, query[name] || undefined]))
      const counts = await count(search, 0)
      return counts instanceof Failure ? {} : counts.statuses
    },
    ...listSection({
      id: 'reports',
      query: ReportsQuery,
      item: ReportItem,
      load: list,
      filterQuery: (status) => ({ status }),
      hint: message('reports.searchHint'),
      empty: () => message('reports.none'),
      view: (_: List<Report>, { prefix }) => ({
        above: html`<p>${message('reports.intro')}</p>`,
        fields: [
          { name: 'kind', label: message('reports.kind'), options: kinds.map((kind) => [kind, translateName(kind)]) },
        ],
        columns: reportColumns(prefix),
      }),
    }),
    async showItem(id, shown) {
      const found = await find(id, 0)
      if (found instanceof Failure) return null
      const { report } = found
      const others = report.duplicateOf === null ? await offerReports(report, shown, deps) : null
      return reportPage(shown, { ...found, others })
    },
    actions: {
      async status({ id, status }, audit) {
        const result = await setStatus({ id, status }, audit)
        return { done: result instanceof Failure ? result.code : 'changed' }
      },
      async merge({ id, into }, audit) {
        const result = await merge({ id, into }, audit)
        return result instanceof Failure ? { done: result.code } : { done: 'merged', item: result.report.id }
      },
      async separate({ id }, audit) {
        const result = await separate(id, audit)
        return result instanceof Failure ? { done: result.code } : { done: 'separated', item: id }
      },
    },
    notices: {
      changed: { kind: 'done', text: () => message('reports.changed') },
      merged: {
        kind: 'done',
        text: () => message('reports.merged'),
      },
      separated: { kind: 'done', text: () => message('reports.separated') },
      same_report: { kind: 'error', text: () => message('reports.same') },
      already_merged: {
        kind: 'error',
        text: () => message('reports.alreadyMerged'),
      },
      not_duplicate: { kind: 'error', text: () => message('reports.notDuplicate') },
      not_found: { kind: 'error', text: () => message('reports.notFound') },
    },
  }
}

const { q, kind, from, to } = ReportsQuery.shape
/** The fields by which counts are filtered. */
const searchFields = { q, kind, from, to }

const reportColumns = (prefix: string): readonly Column<Report>[] => [
  [
    message('reports.report'),
    (report) =>
      html`${reportLink(prefix, report)}${
        report.content.summary ? html`<small><bdi>${shorten(report.content.summary)}</bdi></small>` : null
      }`,
  ],
  [
    message('reports.surface'),
    ({ subject, signal: { category } }) =>
      html`<bdi>${subject.surface}</bdi>${showValue(message('reports.kind'), subject.kind)}${showValue(
          message('reports.signal.category'),
          category,
        )}`,
  ],
  [message('reports.signal.severity'), ({ signal: { severity } }) => severityTag(severity)],
  [
    message('reports.from'),
    (report) =>
      html`${addressText(formatAgent(report))}${
        report.observation ? html`<small>${message('reports.observation')}</small>` : null
      }${
        report.duplicates > 0
          ? html`<small class="whole">${message('reports.duplicateCount', { count: report.duplicates })}</small>`
          : null
      }`,
  ],
  [message('reports.received'), ({ createdAt }) => time(createdAt), undefined, 'createdAt'],
  [message('reports.changedAt'), ({ changedAt }) => time(changedAt), undefined, 'changedAt'],
  [shared('admin.status'), ({ status: name }) => tag(name)],
]

/** Renders a value of a closed list with its name. Renders nothing for a missing value. */
const showValue = (name: Html, value: string | number | undefined): Html | null =>
  value === undefined
    ? null
    : html`<small>${message('reports.named', { name, value: translateName(String(value)) })}</small>`

const shorten = (text: string): string => (text.length > 160 ? `${text.slice(0, 160).trimEnd()}…` : text)

/**
 * Finds reports that are offered for a merge, by the words of the search. Without a search, the surface of the report
 * is used.
 */
async function offerReports(report: Report, shown: SectionListParams, { list }: ReportsDeps): Promise<Html> {
  const words = (shown.query['q'] ?? report.subject.surface).trim().slice(0, 100).toWellFormed()
  const page = await list(ReportsQuery.parse({ q: words || undefined, limit: String(offered + 1) }), 0)
  if (page instanceof Failure) return notice('error', shared('admin.notLoaded'))
  const found = page.items.filter(({ id }) => id !== report.id).slice(0, offered)
  return mergeForms(shown, { report, words, found })
}
