import { copyable, html, messagesOf, notice, number, stats, type Html } from '../ui/html.ts'
import { sourceText } from '../ui/source-text.ts'
import { timestamp } from '../ids.ts'
import { failedKeptMs } from './rules.ts'
import type { AdminJob, ErrorClass, JobStage, OutcomeName, OutcomeRecord } from './store.ts'
import { outcomeKinds, outcomeName, outcomeReason } from './pages/texts.ts'
import { adminJobsMessages } from '../messages/admin/jobs.ts'
import {
  contributorLink,
  filterField,
  listTable,
  message as shared,
  status as tag,
  time,
} from '../ui/operator/pages.ts'
import { detailList } from '../ui/operator/contact.ts'

const message = messagesOf(adminJobsMessages)

/** A job with the outcomes of its traces. For a job in progress, these are the outcomes so far. */
export interface JobDetails {
  readonly job: AdminJob
  readonly outcomes: readonly OutcomeRecord[]
}

/**
 * Renders the page of a job: the counts, the reason of a failure, and the outcome of each trace, without titles or
 * contents.
 */
export function jobPage(prefix: string, { job, outcomes }: JobDetails): { title: Html; body: Html } {
  const { id, status, attempts, errorMessage } = job
  const hasReasons = outcomes.some(({ outcome }) => outcomeReason(outcome) !== null)
  return {
    title: message('adminJobs.title', {
      source: job.source === 'mixed' ? message('adminJobs.severalSources') : sourceText(job.source),
    }),
    body: html`<p class="facts">
        ${tag(status)} ${attempts > 1 ? html`<span>${shared('admin.attempts', { count: attempts })}</span>` : null}
        <span>${contributorLink(prefix, job.ownerId, job.email)}</span>
        <small>${shared('admin.jobId', { id: copyable(html`<code>${id}</code>`) })}</small>
      </p>
      ${
        status === 'failed'
          ? html`${notice('error', errorMessage ?? message('adminJobs.failedWithout'))}
              <p>
                ${message('adminJobs.cause', { event: html`<code>ingest.job.attempt_failed</code>`, field: html`<code>jobId</code>` })}
              </p>
              ${failureDetails(job)}
              <div class="row">${retryForm(prefix, id, { item: id })}</div>
              <p class="hint">
                ${message('adminJobs.retryEffect')}
                ${
                  job.finishedAt &&
                  message('adminJobs.retryBefore', { time: time(timestamp(job.finishedAt + failedKeptMs)) })
                }
              </p>`
          : status === 'done' || job.errorClass === null
            ? null
            : html`<p>${message('adminJobs.nextAttempt')}</p>
                ${failureDetails(job)}`
      }
      ${job.attemptEnd && job.errorClass === null && html`<p>${message(`adminJobs.end.${job.attemptEnd}`)}</p>`}
      ${stats([
        [message('adminJobs.traces'), number(job.total)],
        [shared('admin.stored'), number(job.traceCount)],
        [shared('admin.rejected'), number(job.rejectedCount)],
        ...(status === 'failed' ? [[message('adminJobs.notProcessed'), number(countUnprocessed(job))] as const] : []),
      ])}
      ${detailList([
        [message('adminJobs.sentAt'), showTime(job.enqueuedAt)],
        [message('adminJobs.startedAt'), showTime(job.startedAt)],
        [message(status === 'failed' ? 'adminJobs.failedAt' : 'adminJobs.finishedAt'), showTime(job.finishedAt)],
      ])}
      <h2>${message('adminJobs.outcomes')}</h2>
      ${outcomeCounts(outcomes)}
      ${listTable({
        caption: message('adminJobs.outcomesCaption'),
        empty: message(status === 'failed' ? 'adminJobs.noOutcomes' : 'adminJobs.noOutcomesYet'),
        items: outcomes,
        next: null,
        columns: [
          [
            message('adminJobs.trace'),
            ({ index, traceId }) =>
              html`${message('adminJobs.traceNumber', { number: index + 1 })}${
                traceId === null ? null : html`<small>${copyable(html`<code>${traceId}</code>`)}</small>`
              }`,
          ],
          [
            message('adminJobs.outcome'),
            ({ outcome }) => html`<span class="tag${outcomeKinds[outcome]}">${outcomeName(outcome)}</span>`,
          ],
          ...(hasReasons
            ? ([[message('adminJobs.reason'), ({ outcome }: OutcomeRecord) => outcomeReason(outcome)]] as const)
            : []),
          [message('adminJobs.redactions'), ({ redactions }) => number(redactions), 'number'],
        ],
      })}`,
  }
}

/** Returns the number of traces that were neither stored nor rejected. */
export const countUnprocessed = (job: Pick<AdminJob, 'total' | 'traceCount' | 'rejectedCount'>): number =>
  job.total - job.traceCount - job.rejectedCount

/** Names the step at which an attempt failed, the reason, and the next action of the operator. */
function failureDetails({ errorStage, errorClass, attempts }: JobDetails['job']): Html | null {
  if (errorStage === null || errorClass === null) return null
  return detailList([
    [message('adminJobs.errorClass'), message(`adminJobs.class.${errorClass}`)],
    [message('adminJobs.failedStep'), message(`adminJobs.stage.${errorStage}`)],
    [message('adminJobs.failedAttempt'), number(attempts)],
    [message('adminJobs.toDo'), message(`adminJobs.toDo.${errorClass}`)],
  ])
}

/** Says in one line why an attempt failed and at which step. */
export const failureText = (errorClass: ErrorClass, errorStage: JobStage): Html =>
  message('adminJobs.failedAtStep', {
    error: message(`adminJobs.class.${errorClass}`),
    stage: message(`adminJobs.stage.${errorStage}`),
  })

const showTime = (ms: number | null): Html | null => (ms === null ? null : time(timestamp(ms)))

function outcomeCounts(outcomes: readonly OutcomeRecord[]): Html | null {
  const counts = new Map<OutcomeName, number>()
  for (const { outcome } of outcomes) counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  if (counts.size < 2) return null
  return html`<ul class="counts" aria-label="${message('adminJobs.outcomes')}">
    ${[...counts].map(([outcome, count]) => html`<li>${outcomeName(outcome)} <strong>${number(count)}</strong></li>`)}
  </ul>`
}

/** Renders the form that retries a job. The browser then returns to the page of `item`, or else to the list. */
export const retryForm = (
  prefix: string,
  id: string,
  back: { readonly item: string } | { readonly filter: string | null },
): Html =>
  html`<form method="post" action="${prefix}/admin/jobs/retry">
    <input type="hidden" name="jobId" value="${id}" />
    ${'item' in back ? html`<input type="hidden" name="item" value="${back.item}" />` : filterField(back.filter)}
    <button class="second small" aria-label="${message('adminJobs.retryOne', { id })}">
      ${message('adminJobs.retry')}
    </button>
  </form>`
