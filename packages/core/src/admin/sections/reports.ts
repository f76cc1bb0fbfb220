import { Failure } from '../../http/failures.ts'
import { html, type Html, notice } from '../../http/html.ts'
import type { Acted, FormSection, Handed, List } from '../contract.ts'
import { reportStatuses as statuses } from '../forms.ts'
import { kept, nextPage, status as tag, table, time } from '../pages.ts'

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

/** Agents' reports: each is a stranger's text, shown as such, to be triaged. */
export function reportsSection({ list, setStatus }: ReportsDeps): FormSection<'reports'> {
  return {
    id: 'reports',
    title: 'Agent reports',
    filters: statuses,
    async show({ prefix, filter, cursor }) {
      const found = await list(
        { status: statuses.find((one) => one === filter), cursor: cursor ?? undefined, limit: 50 },
        0,
      )
      if (found instanceof Failure) return notice('error', 'This list cannot be shown.')
      return table({
        caption: "Newest first. Times are UTC. Every word is the sender's.",
        empty: 'No reports here.',
        items: found.items,
        next: nextPage(prefix, 'reports', filter, found.nextCursor),
        columns: [
          ['Report', said],
          [
            'About',
            ({ subject, signal }) =>
              html`<bdi>${subject.surface}</bdi
                >${subject.domain ? html`<small><bdi>${subject.domain}</bdi></small>` : null}<small
                  >${Object.values(signal)
                    .filter((one) => one !== undefined)
                    .join(', ')}</small
                >`,
          ],
          [
            'From',
            ({ reporter, observation, duplicates }) =>
              html`<bdi>${reporter.agent_vendor} ${reporter.agent_product} ${reporter.agent_version}</bdi
                ><small
                  >${observation ? 'an observation' : 'a report'}${duplicates > 0 ? `, and ${duplicates} that meant the same` : null}</small
                >`,
          ],
          ['Sent', ({ createdAt }) => time(createdAt)],
          ['Status', ({ status }) => tag(status)],
          ['Change', (item) => form(prefix, filter, item)],
        ],
      })
    },
    actions: {
      async status({ id, status }, audit) {
        const answer = await setStatus({ id, status }, audit)
        return { done: answer instanceof Failure ? answer.code : 'changed' }
      },
    },
    notices: {
      changed: { kind: 'done', text: () => "The report's status is changed." },
      not_found: { kind: 'error', text: () => 'There is no such report any more.' },
    },
  }
}

function said({ id, content, evidence, evidenceCount }: Report): Html {
  return html`<bdi>${content.title}</bdi>
    ${content.summary ? html`<small><bdi>${content.summary}</bdi></small>` : null}
    ${content.hypothesis ? html`<small>Hypothesis: <bdi>${content.hypothesis}</bdi></small>` : null}
    ${
      evidenceCount > 0
        ? html`<details>
            <summary>Evidence (${evidenceCount})</summary>
            ${evidence.map(
              (one) =>
                html`<small>${one.type}</small>
                  <pre><bdi>${one.content}</bdi></pre>`,
            )}
          </details>`
        : null
    }
    <small><code>${id}</code></small>`
}

function form(prefix: string, filter: string | null, { id, status, content }: Report): Html {
  return html`<form method="post" action="${prefix}/admin/reports/status">
    <input type="hidden" name="id" value="${id}" />${kept(filter)}
    <label for="status-${id}"
      >Status<select id="status-${id}" name="status">
        ${statuses.map((one) => html`<option value="${one}" ${one === status ? html` selected` : null}>${one}</option>`)}
      </select></label
    >
    <button class="second small" aria-label="Change the status of ${content.title}">Change</button>
  </form>`
}
