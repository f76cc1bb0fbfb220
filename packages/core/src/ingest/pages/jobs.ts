import { html, type Html, messagesOf, money, number, page, time } from '../../ui/html.ts'
import { decimalsOf } from '../../money.ts'
import { table } from '../../ui/table.ts'
import { timestamp } from '../../ids.ts'
import { sourceText } from '../../ui/source-text.ts'
import { jobMessages } from '../../messages/jobs.ts'
import type { JobRecord } from '../store.ts'
import { statusTag } from './texts.ts'

const message = messagesOf(jobMessages)

export interface JobsView {
  readonly prefix: string
  readonly email: string | null
  readonly progress: Html | null
  /** The uploads of the page, newest first. */
  readonly jobs: readonly JobRecord[]
  /** The cursor of the next page. */
  readonly next: string | null
  readonly isFirst: boolean
}

/** Returns the page of a person's uploads. */
export function jobsPage({ prefix, email, progress, jobs, next, isFirst }: JobsView): string {
  const main = html`${
    jobs.length > 0
      ? html`<p>
            ${message('jobs.intro', { link: html`<a href="${prefix}/#upload">${message('jobs.howToUpload')}</a>` })}
          </p>
          ${jobTable(prefix, jobs)}`
      : empty(prefix, isFirst, progress === null)
  }
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

/** Renders a message that there are no uploads. `isOpen` adds a link to the next step, which is not shown above. */
function empty(prefix: string, isFirst: boolean, isOpen: boolean): Html {
  if (!isFirst) return html`<p>${message('jobs.noOlder')}</p>`
  const link = isOpen ? html`<a href="${prefix}/">${message('jobs.howToStart')}</a>` : null
  return html`<div class="empty">
    <p><strong>${message('jobs.emptyTitle')}</strong></p>
    <p>${message('jobs.empty', { link })}</p>
  </div>`
}

function jobTable(prefix: string, jobs: readonly JobRecord[]): Html {
  const decimals = decimalsOf(jobs.map(({ estimatedUsd }) => estimatedUsd ?? 0))
  return table({
    caption: message('jobs.caption'),
    items: jobs,
    columns: [
      [
        message('jobs.upload'),
        ({ id, source, total }) =>
          html`<a href="${prefix}/jobs/${id}"
            >${message('jobs.name', { source: sourceText(source), count: total })}</a
          >`,
      ],
      [message('jobs.sent'), ({ enqueuedAt }) => time(timestamp(enqueuedAt))],
      [message('jobs.status'), ({ status }) => statusTag(status)],
      [message('jobs.stored'), ({ traceCount }) => number(traceCount), 'number'],
      [
        message('jobs.notStored'),
        ({ id, rejectedCount }) =>
          rejectedCount === 0
            ? html`<span class="none">${number(0)}</span>`
            : html`<a href="${prefix}/jobs/${id}">${message('jobs.whyNotStored', { count: rejectedCount })}</a>`,
        'number',
      ],
      [
        message('jobs.estimate'),
        ({ estimatedUsd }) =>
          estimatedUsd === null ? html`<span class="none">–</span>` : money(estimatedUsd, decimals),
        'number',
      ],
    ],
  })
}
