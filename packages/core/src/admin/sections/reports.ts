import { Failure } from '../../http/failures.ts'
import { html, type Html, notice } from '../../http/html.ts'
import type { Acted, FormSection, Handed, List } from '../contract.ts'
import { reportStatuses as statuses } from '../forms.ts'
import { filterField, nextPage, status as tag, table, time } from '../pages.ts'

type Status = (typeof statuses)[number]

interface Report {
  readonly id: string
  readonly status: Status
  readonly observation: boolean
  readonly reporter: {
    readonly agent_vendor: string
    readonly agent_product: string
    readonly agent_version?: string | undefined
  }
  readonly subject: {
    readonly surface: string
    readonly domain?: string | undefined
    readonly kind?: string | undefined
  }
  readonly signal: Readonly<Record<string, string | number | undefined>>
  readonly content: {
    readonly title: string
    readonly summary?: string | undefined
    readonly hypothesis?: string | undefined
  }
  readonly evidence: readonly { readonly type: string; readonly content: string }[]
  readonly evidenceCount: number
  readonly duplicates: number
  readonly createdAt: string
}

export interface ReportsDeps {
  readonly list: Handed<{ status: Status | undefined; cursor: string | undefined; limit: number }, List<Report>>
  readonly setStatus: Acted<{ id: string; status: Status }, unknown>
}

/** Returns the section of agents' reports, untrusted text, to update their status. */
export function reportsSection({ list, setStatus }: ReportsDeps): FormSection<'reports'> {
  return {
    id: 'reports',
    title: 'Agent reports',
    filters: statuses,
    async show({ prefix, filter, cursor }) {
      const page = await list(
        { status: statuses.find((status) => status === filter), cursor: cursor ?? undefined, limit: 50 },
        0,
      )
      if (page instanceof Failure) return notice('error', 'Could not load this list.')
      return table({
        caption: 'Newest first. Times are UTC. Reports are untrusted text.',
        empty: 'No reports.',
        items: page.items,
        next: nextPage(prefix, 'reports', { filter }, page.nextCursor),
        columns: [
          ['Report', describeReport],
          [
            'Subject',
            ({ subject, signal }) =>
              html`<bdi>${subject.surface}</bdi
                >${subject.domain ? html`<small><bdi>${subject.domain}</bdi></small>` : null}<small
                  >${Object.values(signal)
                    .filter((value) => value !== undefined)
                    .join(', ')}</small
                >`,
          ],
          [
            'From',
            ({ reporter, observation, duplicates }) =>
              html`<bdi>${reporter.agent_vendor} ${reporter.agent_product} ${reporter.agent_version}</bdi
                ><small
                  >${observation ? 'Observation' : 'Report'}${duplicates > 0 ? ` · ${duplicates} duplicate${duplicates === 1 ? '' : 's'}` : null}</small
                >`,
          ],
          ['Received', ({ createdAt }) => time(createdAt)],
          ['Status', ({ status }) => tag(status)],
          ['Actions', (report) => statusForm(prefix, filter, report)],
        ],
      })
    },
    actions: {
      async status({ id, status }, audit) {
        const result = await setStatus({ id, status }, audit)
        return { done: result instanceof Failure ? result.code : 'changed' }
      },
    },
    notices: {
      changed: { kind: 'done', text: () => 'Status updated.' },
      not_found: { kind: 'error', text: () => 'Report not found.' },
    },
  }
}

function describeReport({ id, content, evidence, evidenceCount }: Report): Html {
  return html`<bdi>${content.title}</bdi>
    ${content.summary ? html`<small><bdi>${content.summary}</bdi></small>` : null}
    ${content.hypothesis ? html`<small>Hypothesis: <bdi>${content.hypothesis}</bdi></small>` : null}
    ${
      evidenceCount > 0
        ? html`<details>
            <summary>Evidence (${evidenceCount})</summary>
            ${evidence.map(
              (piece) =>
                html`<small>${piece.type}</small>
                  <pre><bdi>${piece.content}</bdi></pre>`,
            )}
          </details>`
        : null
    }
    <small><code>${id}</code></small>`
}

function statusForm(prefix: string, filter: string | null, { id, status, content }: Report): Html {
  return html`<form method="post" action="${prefix}/admin/reports/status">
    <input type="hidden" name="id" value="${id}" />${filterField(filter)}
    <label for="status-${id}"
      >Status<select id="status-${id}" name="status">
        ${statuses.map((name) => html`<option value="${name}" ${name === status ? html` selected` : null}>${name}</option>`)}
      </select></label
    >
    <button class="second small" aria-label="Update status of ${content.title}">Update status</button>
  </form>`
}
