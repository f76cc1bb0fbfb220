import { counted, grouped } from '../../http/format.ts'
import { html, type Html, notice, stats, page, time } from '../../http/html.ts'
import { timestamp } from '../../ids.ts'
import { sourceName } from '../../sources.ts'
import { formatUsd } from '../../money.ts'
import type { JobRecord, OutcomeName, OutcomeRecord } from '../store.ts'
import { outcomeTexts, statusTag } from './texts.ts'

export interface JobView {
  readonly prefix: string
  readonly email: string | null
  readonly progress: Html | null
  readonly job: JobRecord
  /** Of a job under way those decided so far. */
  readonly outcomes: readonly OutcomeRecord[]
}

/** Returns the page of an upload. */
export function jobPage({ prefix, email, progress, job, outcomes }: JobView): string {
  const isUnderWay = job.status !== 'done' && job.status !== 'failed'
  const main = html`<p class="facts">
      ${statusTag(job.status)} <span>Sent ${time(timestamp(job.enqueuedAt))} UTC</span>
    </p>
    ${isUnderWay ? underWay(prefix, job, outcomes.length) : null} ${job.status === 'failed' ? failure(job) : null}
    ${stats([
      ['Traces', grouped(job.total)],
      ['Stored', grouped(job.traceCount)],
      ['Not stored', grouped(job.rejectedCount)],
      ['Estimate', job.estimatedUsd === null ? '–' : formatUsd(job.estimatedUsd)],
      ...(job.finishedAt === null ? [] : [['Finished', time(timestamp(job.finishedAt))] as const]),
    ])}
    ${outcomes.length > 0 ? outcomeTable(prefix, outcomes) : null}
    <p class="hint">Job ID <code>${job.id}</code></p>`
  return page({
    title: `Upload from ${job.source === 'mixed' ? 'several sources' : sourceName(job.source)}`,
    above: html`<nav class="trail" aria-label="Breadcrumb"><a href="${prefix}/jobs">Uploads</a></nav>`,
    here: '/jobs',
    wide: true,
    prefix,
    email,
    progress,
    signedIn: true,
    main,
  })
}

function underWay(prefix: string, job: JobRecord, decided: number): Html {
  return html`<p>
      <label for="progress">${grouped(decided)} of ${counted(job.total, 'trace')} processed</label>
      <progress id="progress" value="${decided}" max="${Math.max(job.total, 1)}"></progress>
    </p>
    <p><a href="${prefix}/jobs/${job.id}">Update</a></p>`
}

function failure({ errorMessage }: JobRecord): Html {
  return html`${notice('error', errorMessage ?? 'The upload could not be processed.')}
    <p>
      Start the upload again in your client. Traces that are already stored are skipped, so nothing is stored twice. If
      it fails again, send feedback with the job ID below.
    </p>`
}

function outcomeTable(prefix: string, outcomes: readonly OutcomeRecord[]): Html {
  const counts = new Map<OutcomeName, number>()
  for (const { outcome } of outcomes) counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  return html`<h2>Outcomes</h2>
    <ul class="counts" aria-label="Outcomes">
      ${[...counts].map(([outcome, count]) => html`<li>${outcomeTexts[outcome][0]} <strong>${grouped(count)}</strong></li>`)}
    </ul>
    <div class="table" role="region" aria-labelledby="outcomes-caption" tabindex="0">
      <table class="stack" role="table">
        <caption id="outcomes-caption">
          One row for each trace, in the order of the upload.
        </caption>
        <thead role="rowgroup">
          <tr role="row">
            ${['Trace', 'Outcome', 'Reason'].map((name) => html`<th scope="col" role="columnheader">${name}</th>`)}
            <th scope="col" role="columnheader" class="number">Redactions</th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          ${outcomes.map((outcome) => row(prefix, outcome))}
        </tbody>
      </table>
    </div>`
}

function row(prefix: string, { index, sourceId, outcome, traceId, redactions }: OutcomeRecord): Html {
  const [name, reason, kind] = outcomeTexts[outcome]
  const text = sourceId === '' ? `Trace ${index + 1}` : sourceId
  return html`<tr role="row">
    <th scope="row" role="rowheader">
      ${traceId === null || sourceId === '' ? html`<bdi>${text}</bdi>` : html`<a href="${prefix}/traces/${traceId}"><bdi>${text}</bdi></a>`}
    </th>
    <td role="cell" data-label="Outcome"><span class="tag${kind}">${name}</span></td>
    <td role="cell" data-label="Reason">${reason}</td>
    <td role="cell" data-label="Redactions" class="number">${grouped(redactions)}</td>
  </tr>`
}
