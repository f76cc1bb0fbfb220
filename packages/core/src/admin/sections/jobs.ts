import { Failure } from '../../http/failures.ts'
import { html, notice } from '../../http/html.ts'
import type { Acted, FormSection, Handed, List } from '../contract.ts'
import { kept, nextPage, status as tag, table, time } from '../pages.ts'

const statuses = ['queued', 'parsing', 'ingesting', 'done', 'failed'] as const
type Status = (typeof statuses)[number]

interface Job {
  readonly id: string
  readonly userId: string
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
}

/** Ingest jobs by status; a failed one can be put back into the queue. */
export function jobsSection({ list, retry }: JobsDeps): FormSection<'jobs'> {
  return {
    id: 'jobs',
    title: 'Jobs',
    filters: statuses,
    async show({ prefix, filter, cursor }) {
      const found = await list(
        { status: statuses.find((one) => one === filter), cursor: cursor ?? undefined, limit: 50 },
        0,
      )
      if (found instanceof Failure) return notice('error', 'This list cannot be shown.')
      return table({
        caption: 'Newest first. Times are UTC.',
        empty: 'No jobs here.',
        items: found.items,
        next: nextPage(prefix, 'jobs', filter, found.nextCursor),
        columns: [
          ['Job', ({ id, userId }) => html`<code>${id}</code><small>of <code>${userId}</code></small>`],
          ['Source', ({ source }) => source],
          [
            'Status',
            ({ status, attempts, errorMessage }) =>
              html`${tag(status)}${attempts > 1 ? ` attempt ${attempts}` : null}${errorMessage ? html`<small>${errorMessage}</small>` : null}`,
          ],
          [
            'Traces',
            ({ total, traceCount, rejectedCount }) =>
              html`<span class="whole">${traceCount} of ${total} stored</span
                >${rejectedCount > 0 ? html`<small>${rejectedCount} not</small>` : null}`,
          ],
          [
            'Sent',
            ({ enqueuedAt, finishedAt }) =>
              html`${time(enqueuedAt)}${finishedAt ? html`<small>finished ${time(finishedAt)}</small>` : null}`,
          ],
          [
            'Change',
            ({ id, status }) =>
              status === 'failed'
                ? html`<form method="post" action="${prefix}/admin/jobs/retry">
                    <input type="hidden" name="jobId" value="${id}" />${kept(filter)}<button
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
    },
    actions: {
      async retry({ jobId }, audit) {
        const answer = await retry(jobId, audit)
        return { done: answer instanceof Failure ? answer.code : 'retried' }
      },
    },
    notices: {
      retried: { kind: 'done', text: () => 'The job is back in the queue.' },
      not_failed: { kind: 'error', text: () => 'This job has not failed; nothing was changed.' },
      upload_gone: {
        kind: 'error',
        text: () => 'The upload of this job is no longer kept; its contributor must send it again.',
      },
      not_found: { kind: 'error', text: () => 'There is no such job any more.' },
    },
  }
}
