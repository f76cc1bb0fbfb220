import { Failure } from '../../http/failures.ts'
import { counted } from '../../http/format.ts'
import { html, notice, type Html } from '../../http/html.ts'
import { sourceName } from '../../sources.ts'
import type { Acted, FormSection, Handed, List } from '../contract.ts'
import { contributorLink, filterField, listTable, nextPage, status as tag, time } from '../pages.ts'

const statuses = ['failed', 'queued', 'parsing', 'ingesting', 'done'] as const
type Status = (typeof statuses)[number]

interface Job {
  readonly id: string
  readonly userId: string
  readonly email: string | null
  readonly source: string
  readonly status: Status
  readonly total: number
  readonly traceCount: number
  readonly rejectedCount: number
  readonly attempts: number
  readonly errorMessage: string | null
  readonly enqueuedAt: string
  readonly finishedAt: string | null
}

export interface JobsDeps {
  readonly list: Handed<{ status: Status | undefined; cursor: string | undefined; limit: number }, List<Job>>
  readonly retry: Acted<string, unknown>
  /** Counts what the background re-scrubbing has still to look at. */
  readonly countRescrub: () => Promise<{ readonly people: number; readonly traces: number }>
}

const rescrubLine = ({ people, traces }: { readonly people: number; readonly traces: number }): Html =>
  html`<p>
    ${people + traces === 0 ? 'All stored traces are scrubbed with the current rules.' : `Scrubbing stored traces again: ${counted(traces, 'trace')} left to check, ${people} ${people === 1 ? 'person' : 'people'} with changed details.`}
  </p>`

/** Returns the section of ingest jobs by status, to retry failed ones. */
export function jobsSection({ list, retry, countRescrub }: JobsDeps): FormSection<'jobs'> {
  return {
    id: 'jobs',
    filters: statuses,
    async show({ prefix, filter, cursor }) {
      const page = await list(
        { status: statuses.find((status) => status === filter), cursor: cursor ?? undefined, limit: 50 },
        0,
      )
      if (page instanceof Failure) return notice('error', 'Could not load this list.')
      const remaining = await countRescrub()
      const jobs = listTable({
        caption: 'Newest first. Times are UTC.',
        empty: 'No jobs.',
        items: page.items,
        next: nextPage(prefix, 'jobs', { filter }, page.nextCursor),
        columns: [
          [
            'Contributor',
            ({ id, userId, email, source }) =>
              html`${contributorLink(prefix, userId, email)}<small
                  >${sourceName(source)}<br />Job <code>${id}</code></small
                >`,
          ],
          [
            'Status',
            ({ status, attempts, errorMessage }) =>
              html`${tag(status)}${attempts > 1 ? ` Attempt ${attempts}` : null}${errorMessage ? html`<small>${errorMessage}</small>` : null}`,
          ],
          ['Traces', ({ total }) => total, 'number'],
          ['Stored', ({ traceCount }) => traceCount, 'number'],
          ['Rejected', ({ rejectedCount }) => rejectedCount, 'number'],
          [
            'Submitted',
            ({ enqueuedAt, finishedAt }) =>
              html`${time(enqueuedAt)}${finishedAt ? html`<small>Finished ${time(finishedAt)}</small>` : null}`,
          ],
          [
            'Actions',
            ({ id, status }) =>
              status === 'failed'
                ? html`<form method="post" action="${prefix}/admin/jobs/retry">
                    <input type="hidden" name="jobId" value="${id}" />${filterField(filter)}<button
                      class="second small"
                      aria-label="Retry job ${id}"
                    >
                      Retry
                    </button>
                  </form>`
                : null,
          ],
        ],
      })
      return html`${rescrubLine(remaining)}${jobs}`
    },
    actions: {
      async retry({ jobId }, audit) {
        const result = await retry(jobId, audit)
        return { done: result instanceof Failure ? result.code : 'retried' }
      },
    },
    notices: {
      retried: { kind: 'done', text: () => 'Job queued again.' },
      not_failed: { kind: 'error', text: () => 'Only failed jobs can be retried; nothing was changed.' },
      upload_gone: {
        kind: 'error',
        text: () => 'The upload of this job was deleted. The contributor must send it again.',
      },
      not_found: { kind: 'error', text: () => 'Job not found.' },
    },
  }
}
