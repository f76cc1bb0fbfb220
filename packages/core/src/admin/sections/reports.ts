import { Failure } from '../../http/failures.ts'
import { html, type Html, messagesOf, notice } from '../../ui/html.ts'
import { reportsMessages } from '../../messages/admin/reports.ts'
import { kinds, statuses } from '../../reports/rules.ts'
import type { Acted, FormSection, Handed, List, Shown } from '../contract.ts'
import { ReportSearch } from '../forms.ts'
import {
  filterField,
  listTable,
  message as shared,
  nextPage,
  noFilter,
  sectionPath,
  status as tag,
  time,
} from '../pages.ts'
import { agentOf, mergeForms, reportLink, reportPage, severityTag, wordsOf, type Report } from './report.ts'

const message = messagesOf(reportsMessages)

/** The filter of the list, as the JSON routes read it. */
interface Search {
  readonly q?: string | undefined
  readonly kind?: (typeof kinds)[number] | undefined
  /** ISO 8601. */
  readonly from?: string | undefined
  readonly to?: string | undefined
}

interface Counts {
  readonly statuses: Readonly<Record<Report['status'], number>>
  readonly duplicates: number
}

export interface ReportsDeps {
  readonly list: Handed<
    Search & { status: Report['status'] | undefined; cursor: string | undefined; limit: number },
    List<Report>
  >
  readonly count: Handed<Search, Counts>
  readonly find: Handed<string, { readonly report: Report; readonly duplicates: readonly Report[] }>
  readonly setStatus: Acted<{ id: string; status: Report['status'] }, unknown>
  readonly merge: Acted<{ id: string; into: string }, { readonly report: Report }>
  readonly separate: Acted<string, unknown>
}

/** The most reports that are offered to merge into. */
const offered = 10

/**
 * Returns the section of agents' reports, untrusted text: a search, a page for each, their status, and merging
 * duplicates.
 */
export function reportsSection(deps: ReportsDeps): FormSection<'reports'> {
  const { list, count, find, setStatus, merge, separate } = deps
  return {
    id: 'reports',
    filters: statuses,
    defaultFilter: 'open',
    waitingFilter: 'open',
    async countFilters(query) {
      const counts = await count(parseSearch(query).search, 0)
      return counts instanceof Failure ? {} : counts.statuses
    },
    async show({ prefix, query, filter, cursor }) {
      const { fields, search, issues } = parseSearch(query)
      const status = statuses.find((name) => name === filter)
      const page = await list(
        { ...search, status, cursor: /^\d{1,15}$/.test(cursor ?? '') ? cursor! : undefined, limit: 50 },
        0,
      )
      if (page instanceof Failure) return notice('error', shared('admin.notLoaded'))
      const isSearch = Object.keys(search).length > 0
      return html`<p>${message('reports.intro')}</p>
        ${searchForm(prefix, fields, filter, issues)}
        ${listTable({
          caption: shared('admin.newestFirst'),
          empty: message(isSearch || filter ? 'reports.noMatch' : 'reports.none'),
          items: page.items,
          next: nextPage(prefix, 'reports', { ...fields, filter: filter ?? noFilter }, page.nextCursor),
          columns: [
            [
              message('reports.report'),
              (report) =>
                html`${reportLink(prefix, report)}${
                  report.content.summary ? html`<small><bdi>${shorten(report.content.summary)}</bdi></small>` : null
                }`,
            ],
            [
              message('reports.surface'),
              ({ subject: { surface, kind }, signal: { category } }) =>
                html`<bdi>${surface}</bdi>${named(message('reports.kind'), kind)}${named(
                    message('reports.signal.category'),
                    category,
                  )}`,
            ],
            [message('reports.signal.severity'), ({ signal: { severity } }) => severityTag(severity)],
            [
              message('reports.from'),
              (report) =>
                html`<bdi>${agentOf(report)}</bdi>${
                    report.observation ? html`<small>${message('reports.observation')}</small>` : null
                  }${
                    report.duplicates > 0
                      ? html`<small>${message('reports.duplicateCount', { count: report.duplicates })}</small>`
                      : null
                  }`,
            ],
            [message('reports.received'), ({ createdAt }) => time(createdAt)],
            [shared('admin.status'), ({ status: name }) => tag(name)],
          ],
        })}`
    },
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

/** Returns what the query of the page searches for, and what of it is not valid. */
function parseSearch(query: Shown['query']) {
  const fields = Object.fromEntries(Object.entries(query).filter(([, value]) => value.trim() !== ''))
  const { data, error } = ReportSearch.safeParse(fields)
  return { fields, search: data ?? {}, issues: error?.issues ?? [] }
}

/** Renders a value of a closed list with its name; nothing for a missing one. */
const named = (name: Html, value: string | number | undefined): Html | null =>
  value === undefined ? null : html`<small>${message('reports.named', { name, value: wordsOf(String(value)) })}</small>`

const shorten = (text: string): string => (text.length > 160 ? `${text.slice(0, 160).trimEnd()}…` : text)

/** Finds reports to merge into: by the words that were searched for, else those with the same surface. */
async function offerReports(report: Report, shown: Shown, { list }: ReportsDeps): Promise<Html> {
  const words = (shown.query['q'] ?? report.subject.surface).trim().slice(0, 100).toWellFormed()
  const page = await list({ q: words || undefined, status: undefined, cursor: undefined, limit: offered + 1 }, 0)
  if (page instanceof Failure) return notice('error', shared('admin.notLoaded'))
  const found = page.items.filter(({ id }) => id !== report.id).slice(0, offered)
  return mergeForms(shown, { report, words, found })
}

function searchForm(
  prefix: string,
  fields: Readonly<Record<string, string>>,
  filter: string | null,
  issues: readonly { readonly path: readonly PropertyKey[] }[],
): Html {
  const input = (name: 'q' | 'from' | 'to', label: Html, type: string): Html => {
    const error = issues.some(({ path }) => path[0] === name) ? message(`reports.error.${name}`) : null
    return html`<p class="field ${type === 'search' ? 'grow' : null}">
      <label for="${name}">${label}</label>
      <input
        id="${name}"
        name="${name}"
        type="${type}"
        value="${fields[name]}"
        ${error ? html` aria-invalid="true" aria-describedby="${name}-error"` : null}
      />
      ${error ? html`<span class="error" id="${name}-error">${error}</span>` : null}
    </p>`
  }
  return html`<form class="search" method="get" action="${prefix}${sectionPath('reports')}">
    ${filterField(filter)} ${input('q', message('reports.words'), 'search')}
    <p class="field">
      <label for="kind">${message('reports.kind')}</label>
      <select id="kind" name="kind">
        <option value="">${message('reports.anyKind')}</option>
        ${kinds.map(
          (kind) =>
            html`<option value="${kind}" ${fields['kind'] === kind ? html` selected` : null}>${wordsOf(kind)}</option>`,
        )}
      </select>
    </p>
    ${input('from', message('reports.fromDay'), 'date')} ${input('to', message('reports.toDay'), 'date')}
    <p class="actions">
      <button class="second">${shared('admin.search')}</button>
      ${
        ['q', 'kind', 'from', 'to'].some((name) => name in fields)
          ? html`<a href="${prefix}${sectionPath('reports')}">${shared('admin.clearSearch')}</a>`
          : null
      }
    </p>
  </form>`
}
