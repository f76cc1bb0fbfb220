import { counted } from '../../http/format.ts'
import { Failure } from '../../http/failures.ts'
import { html, type Html, notice, stats } from '../../http/html.ts'
import { kinds, statuses } from '../../reports/rules.ts'
import type { Acted, FormSection, Handed, List, Shown } from '../contract.ts'
import { ReportSearch } from '../forms.ts'
import { capitalize, listTable, nextPage, sectionPath, status as tag, time } from '../pages.ts'
import { agentOf, mergeForms, reportLink, reportPage, wordsOf, type Report } from './report.ts'

/** What narrows the list, as the JSON routes take it. */
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
    waitingFilter: 'open',
    async show({ prefix, query, filter, cursor }) {
      const fields = Object.fromEntries(Object.entries(query).filter(([, value]) => value.trim() !== ''))
      const parsed = ReportSearch.safeParse(fields)
      const search = parsed.data ?? {}
      const status = statuses.find((name) => name === filter)
      const [page, counts] = await Promise.all([
        list({ ...search, status, cursor: /^\d{1,15}$/.test(cursor ?? '') ? cursor! : undefined, limit: 50 }, 0),
        count(search, 0),
      ])
      if (page instanceof Failure || counts instanceof Failure) return notice('error', 'Could not load this list.')
      const isSearch = Object.keys(search).length > 0
      return html`${searchForm(prefix, fields, filter, parsed.error?.issues ?? [])}
      ${stats(
        [
          ...statuses.map((name) => [capitalize(name), String(counts.statuses[name])] as const),
          ['Duplicates', String(counts.duplicates)],
        ],
        isSearch ? 'Reports that match the search, by status' : 'Reports by status',
      )}
      ${listTable({
        caption: 'Newest first. Times are UTC. Reports are untrusted text.',
        empty: isSearch || filter ? 'No report matches.' : 'No reports yet.',
        items: page.items,
        next: nextPage(prefix, 'reports', { ...fields, filter }, page.nextCursor),
        columns: [
          [
            'Report',
            (report) =>
              html`${reportLink(prefix, report)}${report.content.summary ? html`<small><bdi>${shorten(report.content.summary)}</bdi></small>` : null}`,
          ],
          [
            'Subject',
            ({ subject: { surface, kind }, signal: { category, severity } }) =>
              html`<bdi>${surface}</bdi
                ><small
                  >${[kind, category, severity]
                    .filter((word) => word !== undefined)
                    .map((word) => wordsOf(String(word)))
                    .join(', ')}</small
                >`,
          ],
          [
            'From',
            (report) =>
              html`<bdi>${agentOf(report)}</bdi
                ><small
                  >${report.observation ? 'Observation' : 'Report'}${report.duplicates > 0 ? ` · ${counted(report.duplicates, 'duplicate')}` : null}</small
                >`,
          ],
          ['Received', ({ createdAt }) => time(createdAt)],
          ['Status', ({ status: name }) => tag(name)],
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
      changed: { kind: 'done', text: () => 'Status updated.' },
      merged: {
        kind: 'done',
        text: () => 'Reports merged. This one is kept; to undo it, separate the other one below.',
      },
      separated: { kind: 'done', text: () => 'Report separated. It has its own status and evidence again.' },
      same_report: { kind: 'error', text: () => 'A report cannot be merged into itself; nothing was changed.' },
      already_merged: {
        kind: 'error',
        text: () => 'This report is a duplicate of another one already; nothing was changed. Separate it first.',
      },
      not_duplicate: { kind: 'error', text: () => 'This report is no duplicate any more; nothing was changed.' },
      not_found: { kind: 'error', text: () => 'Report not found.' },
    },
  }
}

const shorten = (text: string): string => (text.length > 160 ? `${text.slice(0, 160).trimEnd()}…` : text)

/** Finds reports to merge into: by the words that were searched for, else those with the same surface. */
async function offerReports(report: Report, shown: Shown, { list }: ReportsDeps): Promise<Html> {
  const words = (shown.query['q'] ?? report.subject.surface).trim().slice(0, 100).toWellFormed()
  const page = await list({ q: words || undefined, status: undefined, cursor: undefined, limit: offered + 1 }, 0)
  if (page instanceof Failure) return notice('error', 'Could not load this list.')
  const found = page.items.filter(({ id }) => id !== report.id).slice(0, offered)
  return mergeForms(shown, { report, words, found })
}

const messages: Readonly<Record<string, string>> = {
  q: 'Enter up to 100 characters.',
  kind: 'Select a kind of the list.',
  from: 'Enter a date.',
  to: 'Enter a date.',
}

function searchForm(
  prefix: string,
  fields: Readonly<Record<string, string>>,
  filter: string | null,
  issues: readonly { readonly path: readonly PropertyKey[] }[],
): Html {
  const errorOf = (name: string): string | undefined =>
    issues.some(({ path }) => path[0] === name) ? messages[name] : undefined
  const input = (name: string, label: string, type: string): Html => {
    const error = errorOf(name)
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
    ${filter === null ? null : html`<input type="hidden" name="filter" value="${filter}" />`}
    ${input('q', 'Words', 'search')}
    <p class="field">
      <label for="kind">Kind</label>
      <select id="kind" name="kind">
        <option value="">All</option>
        ${kinds.map(
          (kind) =>
            html`<option value="${kind}" ${fields['kind'] === kind ? html` selected` : null}>
              ${capitalize(kind)}
            </option>`,
        )}
      </select>
    </p>
    ${input('from', 'From', 'date')} ${input('to', 'To', 'date')}
    <p class="actions">
      <button class="second">Search</button>
      ${['q', 'kind', 'from', 'to'].some((name) => name in fields) ? html`<a href="${prefix}${sectionPath('reports')}">Clear search</a>` : null}
    </p>
  </form>`
}
