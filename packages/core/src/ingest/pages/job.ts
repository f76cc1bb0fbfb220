import { clientCommand } from '../../ui/client-commands.ts'
import {
  copyable,
  html,
  type Html,
  mailLink,
  messagesOf,
  money,
  notice,
  number,
  page,
  stats,
  time,
} from '../../ui/html.ts'
import { table, type Column } from '../../ui/table.ts'
import { timestamp } from '../../ids.ts'
import { sourceText } from '../../ui/source-text.ts'
import { jobMessages } from '../../messages/jobs.ts'
import { displayTitle } from '../../traces/names.ts'
import { failedKeptMs } from '../rules.ts'
import type { JobRecord, OutcomeName, OutcomeRecord } from '../store.ts'
import { outcomeKinds, outcomeName, outcomeReason, statusTag } from './texts.ts'

const message = messagesOf(jobMessages)

export interface JobView {
  readonly prefix: string
  /** The command that starts the client. Null means the example client. */
  readonly client: string | null
  /** The address that people write to for help, or undefined. */
  readonly supportEmail: string | undefined
  readonly email: string | null
  readonly progress: Html | null
  readonly job: JobRecord
  /** The outcomes of the traces. For a running job, these are the outcomes so far. */
  readonly outcomes: readonly OutcomeRecord[]
  /** The titles of the stored traces by their id. A trace that was deleted since then is missing. */
  readonly titles: ReadonlyMap<string, string | null>
}

/** Returns the page of an upload. */
export function jobPage({ prefix, client, supportEmail, email, progress, job, outcomes, titles }: JobView): string {
  const link = html`<a href="${prefix}/traces">${message('job.toTraces')}</a>`
  const isUnderWay = job.status !== 'done' && job.status !== 'failed'
  const main = html`<p class="facts">
      ${statusTag(job.status)} <span>${message('job.sentAt', { time: time(timestamp(job.enqueuedAt)) })}</span>
    </p>
    ${isUnderWay ? underWay(prefix, job, outcomes.length) : null}
    ${isUnderWay && job.errorClass !== null ? notice('info', message('job.serviceRetries')) : null}
    ${job.status === 'failed' ? failure(job, client, supportEmail) : null}
    ${stats([
      [message('job.traces'), number(job.total)],
      [message('jobs.stored'), number(job.traceCount)],
      [message('jobs.notStored'), number(job.rejectedCount)],
      ...(job.status === 'failed'
        ? [[message('job.notProcessed'), number(job.total - job.traceCount - job.rejectedCount)] as const]
        : []),
      job.estimatedUsd === null
        ? [message('jobs.estimate'), '–']
        : [message('jobs.estimate'), money(job.estimatedUsd, 2), message('jobs.estimateNote')],
      ...(job.finishedAt === null ? [] : [[message('job.finished'), time(timestamp(job.finishedAt))] as const]),
    ])}
    ${job.traceCount > 0 ? html`<p>${message('job.forSale', { link })}</p>` : null}
    ${outcomes.length > 0 ? outcomeTable(prefix, outcomes, titles) : null}
    <p class="hint">${message('job.id', { id: copyable(html`<code>${job.id}</code>`) })}</p>`
  return page({
    title: message('job.title', {
      source: job.source === 'mixed' ? message('jobs.severalSources') : sourceText(job.source),
    }),
    above: html`<nav class="trail" aria-label="${message('job.breadcrumb')}">
      <a href="${prefix}/jobs">${message('jobs.title')}</a>
    </nav>`,
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
      <label for="progress">${message('job.processed', { decided, count: job.total })}</label>
      <progress id="progress" value="${decided}" max="${Math.max(job.total, 1)}"></progress>
    </p>
    <p><a href="${prefix}/jobs/${job.id}">${message('job.update')}</a></p>`
}

function failure(
  { errorMessage, errorClass, finishedAt }: JobRecord,
  client: JobView['client'],
  supportEmail: string | undefined,
): Html {
  const command = html`<code>${clientCommand(client, 'upload --yes')}</code>`
  const mustSend = errorClass === null || errorClass === 'upload_gone' || errorClass === 'upload_unreadable'
  return html`${notice('error', errorMessage ?? message('job.failedWithout'))}
    <p>
      ${
        mustSend || finishedAt === null
          ? message(client === null ? 'job.retry' : 'job.retryOwn', { command })
          : message('job.serviceFailed', { time: time(timestamp(finishedAt + failedKeptMs)), command })
      }
      ${supportEmail === undefined ? null : message('job.contact', { address: mailLink(supportEmail) })}
    </p>`
}

function outcomeTable(prefix: string, outcomes: readonly OutcomeRecord[], titles: JobView['titles']): Html {
  const counts = new Map<OutcomeName, number>()
  for (const { outcome } of outcomes) counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  const hasReasons = outcomes.some(({ outcome }) => outcomeReason(outcome) !== null)
  return html`<h2>${message('job.outcomes')}</h2>
    <ul class="counts" aria-label="${message('job.outcomes')}">
      ${[...counts].map(([outcome, count]) => html`<li>${outcomeName(outcome)} <strong>${number(count)}</strong></li>`)}
    </ul>
    ${table({
      caption: message('job.caption'),
      items: outcomes,
      columns: [
        [message('job.trace'), (outcome) => traceCell(prefix, outcome, titles)],
        [
          message('job.outcome'),
          (one) =>
            isDeleted(one, titles)
              ? html`<span class="tag quiet">${message('job.deleted')}</span>`
              : html`<span class="tag${outcomeKinds[one.outcome]}">${outcomeName(one.outcome)}</span>`,
        ],
        ...(hasReasons ? [reason] : []),
        [message('job.redactions'), ({ redactions }) => number(redactions), 'number'],
      ],
    })}`
}

/** Returns whether the upload stored a trace that was deleted since then. */
const isDeleted = ({ outcome, traceId }: OutcomeRecord, titles: JobView['titles']): boolean =>
  (outcome === 'stored' || outcome === 'updated') && traceId !== null && !titles.has(traceId)

const reason: Column<OutcomeRecord> = [message('job.reason'), ({ outcome }) => outcomeReason(outcome)]

function traceCell(prefix: string, { index, sourceId, traceId }: OutcomeRecord, titles: JobView['titles']): Html {
  const title = traceId === null ? undefined : titles.get(traceId)
  const text =
    (title && displayTitle(title)) ?? (sourceId === '' ? message('job.traceNumber', { number: index + 1 }) : sourceId)
  const idOfClient = message('job.idInClient', { id: html`<code>${sourceId}</code>` })
  return html`${
    traceId === null || !titles.has(traceId)
      ? html`<bdi>${text}</bdi>`
      : html`<a href="${prefix}/traces/${traceId}"><bdi>${text}</bdi></a>`
  }
  ${title === undefined || title === null ? null : html`<small>${idOfClient}</small>`}`
}
