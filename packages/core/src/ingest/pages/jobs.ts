import { counted } from '../../http/format.ts'
import { html, type Html, page, time } from '../../http/html.ts'
import { timestamp } from '../../ids.ts'
import { sourceName } from '../../sources.ts'
import { formatUsd } from '../../money.ts'
import type { JobRecord } from '../store.ts'
import { statusTag } from './texts.ts'

export interface JobsView {
  readonly prefix: string
  readonly email: string | null
  readonly progress: Html | null
  /** Newest first. */
  readonly jobs: readonly JobRecord[]
  /** The cursor of the next page. */
  readonly next: string | null
  readonly isFirst: boolean
}

/** Returns the page of a person's uploads. */
export function jobsPage({ prefix, email, progress, jobs, next, isFirst }: JobsView): string {
  const main = html`${jobs.length > 0 ? table(prefix, jobs) : empty(prefix, isFirst)}
  ${
    next || !isFirst
      ? html`<div class="pages">
          ${isFirst ? null : html`<a href="${prefix}/jobs" rel="start">Newest</a>`}
          ${next ? html`<a href="${prefix}/jobs?cursor=${next}" rel="next">Older</a>` : null}
        </div>`
      : null
  }`
  return page({ title: 'Uploads', here: '/jobs', wide: jobs.length > 0, prefix, email, progress, signedIn: true, main })
}

function empty(prefix: string, isFirst: boolean): Html {
  if (!isFirst) return html`<p>There are no older uploads.</p>`
  return html`<div class="empty">
    <p><strong>No uploads yet</strong></p>
    <p>
      Each upload of your client appears here with its progress and the outcome of every trace.
      <a href="${prefix}/">How to start</a>
    </p>
  </div>`
}

function table(prefix: string, jobs: readonly JobRecord[]): Html {
  return html`<div class="table" role="region" aria-labelledby="jobs-caption" tabindex="0">
    <table class="stack" role="table">
      <caption id="jobs-caption">
        Newest first. Times are UTC.
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          ${['Upload', 'Sent', 'Status'].map((name) => html`<th scope="col" role="columnheader">${name}</th>`)}${['Stored', 'Not stored', 'Estimate'].map((name) => html`<th scope="col" role="columnheader" class="number">${name}</th>`)}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${jobs.map(
          (job) =>
            html`<tr role="row">
              <th scope="row" role="rowheader">
                <a href="${prefix}/jobs/${job.id}">${sourceName(job.source)}, ${counted(job.total, 'trace')}</a>
              </th>
              <td role="cell" data-label="Sent">${time(timestamp(job.enqueuedAt))}</td>
              <td role="cell" data-label="Status">${statusTag(job.status)}</td>
              <td role="cell" data-label="Stored" class="number">${job.traceCount}</td>
              <td role="cell" data-label="Not stored" class="number">${job.rejectedCount}</td>
              <td role="cell" data-label="Estimate" class="number">
                ${job.estimatedUsd === null ? '–' : formatUsd(job.estimatedUsd)}
              </td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}
