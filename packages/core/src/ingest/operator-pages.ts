import { Failure } from '../http/failures.ts'
import type * as z from 'zod'
import { AdminJobItem, JobsQuery } from './contract.ts'
import { sources } from '../sources.ts'
import { html, messagesOf, number, type Html } from '../ui/html.ts'
import { sourceText } from '../ui/source-text.ts'
import { adminJobsMessages } from '../messages/admin/jobs.ts'
import type { CapabilityAction, FormSection, CapabilityHandler, List } from '../admin/contract.ts'
import { listSection } from '../ui/operator/list.ts'
import { contributorLink, message as shared, sectionPath, status as tag, time } from '../ui/operator/pages.ts'
import { countUnprocessed, failureText, jobPage, type JobDetails, retryForm } from './job-page.ts'

const message = messagesOf(adminJobsMessages)

const statuses = ['failed', 'queued', 'parsing', 'ingesting', 'done'] as const

type Job = z.output<typeof AdminJobItem>

export interface JobsDeps {
  readonly list: CapabilityHandler<z.output<typeof JobsQuery>, List<Job>>
  readonly retry: CapabilityAction<string, unknown>
  /** Returns a job with its outcomes, or null. */
  readonly find: (jobId: string) => Promise<JobDetails | null>
  /** Counts the people and traces that the background re-scrubbing still has to check. */
  readonly countRescrub: () => Promise<{ readonly people: number; readonly traces: number }>
}

const rescrubLine = ({ people, traces }: { readonly people: number; readonly traces: number }): Html =>
  html`<h2>${message('adminJobs.redaction')}</h2>
    <p>
      ${
        people + traces === 0
          ? message('adminJobs.scrubbed')
          : html`${message('adminJobs.rescrubTraces', { count: traces })}
            ${people === 0 ? null : message('adminJobs.rescrubPeople', { count: people })}`
      }
    </p>`

/** Returns the section that lists ingest jobs by status and retries failed jobs. */
export function jobsSection({ list, find, retry, countRescrub }: JobsDeps): FormSection<'jobs'> {
  return {
    id: 'jobs',
    filters: statuses,
    waitingFilter: 'failed',
    async showItem(jobId, { prefix }) {
      const found = await find(jobId)
      return found && jobPage(prefix, found)
    },
    ...listSection({
      id: 'jobs',
      query: JobsQuery,
      item: AdminJobItem,
      load: list,
      filterQuery: (status) => ({ status }),
      hint: message('adminJobs.searchHint'),
      empty: () => message('adminJobs.none'),
      view: async (_: List<Job>, { prefix, filter }) => ({
        below: rescrubLine(await countRescrub()),
        fields: [
          {
            name: 'source',
            label: message('adminJobs.source'),
            options: [...sources, 'mixed'].map((one) => [one, sourceText(one)]),
          },
          {
            name: 'errorClass',
            label: message('adminJobs.errorClass'),
            options: JobsQuery.shape.errorClass.unwrap().options.map((one) => [one, message(`adminJobs.class.${one}`)]),
          },
        ],
        columns: [
          [
            message('adminJobs.job'),
            ({ id, userId, email, source }) =>
              html`<a href="${prefix}${sectionPath('jobs', id)}">${sourceText(source)}</a
                ><small>${contributorLink(prefix, userId, email)}</small
                ><small class="whole"><code>${id}</code></small>`,
          ],
          [
            shared('admin.status'),
            ({ status, attempts, attemptEnd, errorMessage, errorStage, errorClass, ...counts }) =>
              html`${tag(status)}${attempts > 1 ? html` ${shared('admin.attempts', { count: attempts })}` : null}${
                status === 'failed'
                  ? html`<small>${message('adminJobs.unprocessed', { count: countUnprocessed(counts) })}</small>`
                  : null
              }${
                errorStage && errorClass
                  ? html`<small>${failureText(errorClass, errorStage)}</small>`
                  : html`${errorMessage ? html`<small>${errorMessage}</small>` : null}${
                      attemptEnd && status !== 'done'
                        ? html`<small>${message(`adminJobs.end.${attemptEnd}`)}</small>`
                        : null
                    }`
              }`,
          ],
          [message('adminJobs.traces'), ({ total }) => number(total), 'number', 'total'],
          [shared('admin.stored'), ({ traceCount }) => number(traceCount), 'number'],
          [
            shared('admin.rejected'),
            ({ rejectedCount }) => (rejectedCount === 0 ? html`<span class="none">0</span>` : number(rejectedCount)),
            'number',
            'rejectedCount',
          ],
          [
            message('adminJobs.sent'),
            ({ status, enqueuedAt, finishedAt }) =>
              html`${time(enqueuedAt)}${
                finishedAt
                  ? html`<small
                      >${message(status === 'failed' ? 'adminJobs.failed' : 'adminJobs.finished', {
                        time: time(finishedAt),
                      })}</small
                    >`
                  : null
              }`,
            undefined,
            'enqueuedAt',
          ],
          [
            shared('admin.actions'),
            ({ id, status }) => (status === 'failed' ? retryForm(prefix, id, { filter }) : null),
            'act',
          ],
        ],
      }),
    }),
    actions: {
      async retry({ jobId }, audit) {
        const result = await retry(jobId, audit)
        return { done: result instanceof Failure ? result.code : 'retried' }
      },
    },
    notices: {
      retried: { kind: 'done', text: () => message('adminJobs.retried') },
      not_failed: { kind: 'error', text: () => message('adminJobs.notFailed') },
      upload_gone: {
        kind: 'error',
        text: () => message('adminJobs.uploadGone'),
      },
      not_found: { kind: 'error', text: () => message('adminJobs.notFound') },
    },
  }
}
