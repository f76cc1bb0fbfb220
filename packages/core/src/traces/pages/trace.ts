import {
  copyable,
  field,
  html,
  type Html,
  messagesOf,
  money,
  notice,
  number,
  page,
  stats,
  time,
} from '../../ui/html.ts'
import { traceMessages } from '../../messages/traces.ts'
import { sourceText } from '../../ui/source-text.ts'
import { table } from '../../ui/table.ts'
import { timestamp } from '../../ids.ts'
import type { TraceDetails } from '../detail-schemas.ts'
import { detailList } from './details.ts'
import type { ReplacementReason } from '../stored-json.ts'
import { totalRedactions, traceState } from '../rules.ts'
import type { ListedTrace, StoredTrace, WithheldReason } from '../store.ts'
import { displayTitle } from '../names.ts'
import { redactionList, renderPart, type ConversationPart } from './conversation.ts'
import { categoryName, doneText, stateTag, type CompletedAction } from './texts.ts'

/** The reason why a conversation cannot be shown. */
export type Unreadable = 'missing' | WithheldReason

export interface TraceView {
  readonly prefix: string
  readonly email: string | null
  readonly progress: Html | null
  /** The trace as it is shown: with the version and the counts of the current scrubber. */
  readonly trace: ListedTrace & Pick<StoredTrace, 'withdrawnAt'>
  readonly conversation: ConversationPart | Unreadable
  /** The optional fields of the trace. Default: none. */
  readonly details?: TraceDetails
  /** The reason why each placeholder is there. Default: not known. */
  readonly replacements?: ReadonlyMap<string, ReplacementReason>
  readonly done: CompletedAction | null
  /**
   * The result of a report: whether a term that was just blocked occurred in the trace, or `wrong` when a redaction was
   * reported.
   */
  readonly reported?: 'found' | 'not_found' | 'wrong' | undefined
  /** The term that was entered, and its problem. */
  readonly term?: string
  readonly problem?: 'trace.termError' | 'trace.termsFull'
}

const message = messagesOf(traceMessages)

/** Returns the page of a trace. */
export function tracePage(view: TraceView): string {
  const { prefix, email, progress, trace, done } = view
  const buyer = html`${message(traceState(trace) === 'sold' ? 'trace.nextBuyer' : 'trace.buyer')}
    <a href="#report">${message('trace.toReport')}</a>`
  const conversation =
    typeof view.conversation === 'string'
      ? notice('error', message(`trace.${view.conversation}`))
      : renderPart(view.conversation, buyer, (number) => `${prefix}/traces/${trace.id}?page=${number}`)
  const main = html`${done ? notice('done', doneText(done)) : null}
    ${view.reported ? reportedNotice(prefix, view.reported) : null}
    <p class="facts">
      ${stateTag(trace)}
      <span>${sourceText(trace.source)}${trace.model ? html` · ${trace.model}` : null}</span>
    </p>
    ${trace.withdrawnAt === null ? null : html`<p class="hint">${message('trace.withdrawnHint')}</p>`}
    ${actions(prefix, trace)}
    ${stats([
      [message('traces.tokens'), number(trace.tokenCount)],
      ...(traceState(trace) === 'sold'
        ? []
        : [[message('traces.estimate'), money(trace.estimatedUsd, 2), message('traces.estimateNoteUnsold')] as const]),
      [message('traces.redactions'), number(totalRedactions(trace))],
      [message('trace.created'), time(trace.createdAt)],
      [message('trace.uploaded'), time(timestamp(trace.storedAt))],
    ])}
    <details>
      <summary>${message('trace.more')}</summary>
      ${redactionList(trace)} ${detailList(view.details)} ${idsText(trace)}
    </details>
    <h2>${message('traces.conversation')}</h2>
    ${conversation}
    <h2 id="report">${message('trace.reportTitle')}</h2>
    ${reportForm(view)} ${replacementForm(view)}`
  return page({
    title: trace.title === null ? message('traces.untitled') : displayTitle(trace.title),
    above: html`<nav class="trail" aria-label="${message('trace.breadcrumb')}">
      <a href="${prefix}/traces">${message('traces.title')}</a>
    </nav>`,
    here: '/traces',
    wide: true,
    prefix,
    email,
    progress,
    signedIn: true,
    main,
  })
}

function reportedNotice(prefix: string, reported: 'found' | 'not_found' | 'wrong'): Html {
  if (reported !== 'not_found') return notice('done', message(`trace.reported.${reported}`))
  const link = html`<a href="${prefix}/blocked-terms">${message('trace.toBlockedTerms')}</a>`
  return notice('error', message('trace.reported.not_found', { link }))
}

function idsText({ id, sourceId }: ListedTrace): Html {
  const session = copyable(html`<code><bdi>${sourceId}</bdi></code>`)
  return html`<p class="hint">${message('trace.id', { id: copyable(html`<code>${id}</code>`) })}</p>
    ${sourceId === '' ? null : html`<p class="hint">${message('trace.sessionId', { id: session })}</p>`}`
}

function actions(prefix: string, trace: TraceView['trace']): Html {
  const state = traceState(trace)
  const download = html`<a class="button second" href="${prefix}/api/traces/${trace.id}/download"
    >${message('trace.download')}</a
  >`
  const earnings = html`<a href="${prefix}/earnings">${message('trace.toEarnings')}</a>`
  if (state === 'sold')
    return html`<p class="actions">${download}</p>
      ${trace.withdrawnAt === null ? html`<p class="hint">${message('trace.soldHint', { link: earnings })}</p>` : null}`
  return html`<form method="post" action="${prefix}/traces/${trace.id}" class="actions">
    ${
      trace.withdrawnAt !== null
        ? null
        : state === 'excluded'
          ? html`<button name="action" value="include" class="second">${message('traces.include')}</button>`
          : html`<button name="action" value="exclude" class="second">${message('traces.exclude')}</button>`
    }
    ${download}
    <button name="action" value="delete" class="danger">${message('traces.delete')}</button>
  </form>`
}

function reportForm({ prefix, trace, term, problem }: TraceView): Html {
  const link = html`<a href="${prefix}/blocked-terms">${message('trace.blockedTerms')}</a>`
  return html`<p>
      ${message('trace.reportIntro', { link })} ${traceState(trace) === 'sold' ? message('trace.reportSold') : null}
    </p>
    <form method="post" action="${prefix}/traces/${trace.id}">
      ${field({
        name: 'term',
        label: message('trace.term'),
        value: term ?? '',
        maxlength: 128,
        hint: message('trace.termHint'),
        error: problem && message(problem),
      })}
      <p><button name="action" value="report" class="second">${message('trace.report')}</button></p>
    </form>`
}

/** The kinds of evidence that have a name. Stored kinds are not checked. */
const kinds: readonly ReplacementReason['kind'][] = ['known', 'proven', 'probable']

/** The maximum number of redactions that the page lists, and the maximum number for which the list is expanded. */
const [maxListed, maxOpen] = [200, 5]

/** Lists the redactions with their reasons, each with a button that reports it as not personal. */
function replacementForm({ prefix, trace, replacements }: TraceView): Html | null {
  if (!replacements?.size) return null
  const listed = [...replacements].slice(0, maxListed)
  return html`<h2>${message('trace.wrongTitle')}</h2>
    <p>${message('trace.wrongIntro')}</p>
    <details ${listed.length <= maxOpen ? html` open` : null}>
      <summary>${message('trace.wrongList', { count: listed.length })}</summary>
      <form method="post" action="${prefix}/traces/${trace.id}">
        <input type="hidden" name="action" value="reportWrong" />
        ${table({
          caption: message('traces.redactions'),
          items: listed,
          columns: [
            [message('trace.replacement'), ([placeholder]) => html`<code>[${placeholder}]</code>`],
            [message('trace.category'), ([, { category }]) => html`${categoryName(category)}`],
            [message('trace.rule'), ([, { rule }]) => html`<code>${rule}</code>`],
            [
              message('trace.evidence'),
              ([, { kind }]) => (kinds.includes(kind) ? message(`trace.evidence.${kind}`) : '-'),
            ],
            [message('trace.score'), ([, { score }]) => number(score), 'number'],
            [message('trace.wrongAction'), reportButton, 'act'],
          ],
        })}
      </form>
    </details>`
}

const reportButton = ([placeholder, { isReported }]: readonly [string, ReplacementReason]): Html =>
  isReported
    ? message('trace.wrongReported')
    : html`<button name="placeholder" value="${placeholder}" class="second small">
        ${message('trace.reportWrong')}
      </button>`
