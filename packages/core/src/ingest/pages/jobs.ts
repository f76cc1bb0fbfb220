import { html, type Html, messagesOf, money, number, page, time } from '../../http/html.ts'
import { timestamp } from '../../ids.ts'
import { sourceText } from '../../http/source-text.ts'
import { jobMessages } from '../../messages/jobs.ts'
import type { JobRecord } from '../store.ts'
import { statusTag } from './texts.ts'

const message = messagesOf(jobMessages)

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
          ${isFirst ? null : html`<a href="${prefix}/jobs" rel="start">${message('jobs.newest')}</a>`}
          ${next ? html`<a href="${prefix}/jobs?cursor=${next}" rel="next">${message('jobs.older')}</a>` : null}
        </div>`
      : null
  }`
  return page({
    title: message('jobs.title'),
    here: '/jobs',
    wide: jobs.length > 0,
    prefix,
    email,
    progress,
    signedIn: true,
    main,
  })
}

function empty(prefix: string, isFirst: boolean): Html {
  if (!isFirst) return html`<p>${message('jobs.noOlder')}</p>`
  const link = html`<a href="${prefix}/">${message('jobs.howToStart')}</a>`
  return html`<div class="empty">
    <p><strong>${message('jobs.emptyTitle')}</strong></p>
    <p>${message('jobs.empty', { link })}</p>
  </div>`
}

function table(prefix: string, jobs: readonly JobRecord[]): Html {
  return html`<div class="table" role="region" aria-labelledby="jobs-caption" tabindex="0">
    <table class="stack" role="table">
      <caption id="jobs-caption">
        ${message('jobs.caption')}
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          ${[message('jobs.upload'), message('jobs.sent'), message('jobs.status')].map((name) => html`<th scope="col" role="columnheader">${name}</th>`)}${[message('jobs.stored'), message('jobs.notStored'), message('jobs.estimate')].map((name) => html`<th scope="col" role="columnheader" class="number">${name}</th>`)}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${jobs.map(
          (job) =>
            html`<tr role="row">
              <th scope="row" role="rowheader">
                <a href="${prefix}/jobs/${job.id}"
                  >${message('jobs.name', { source: sourceText(job.source), count: job.total })}</a
                >
              </th>
              <td role="cell" data-label="${message('jobs.sent')}">${time(timestamp(job.enqueuedAt))}</td>
              <td role="cell" data-label="${message('jobs.status')}">${statusTag(job.status)}</td>
              <td role="cell" data-label="${message('jobs.stored')}" class="number">${number(job.traceCount)}</td>
              <td role="cell" data-label="${message('jobs.notStored')}" class="number">${number(job.rejectedCount)}</td>
              <td role="cell" data-label="${message('jobs.estimate')}" class="number">
                ${job.estimatedUsd === null ? '–' : money(job.estimatedUsd)}
              </td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}
