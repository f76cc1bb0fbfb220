import { field, html, type Html, messagesOf, money, notice, number, page, stats, time } from '../../http/html.ts'
import { traceMessages } from '../../messages/traces.ts'
import { sourceText } from '../../http/source-text.ts'
import { timestamp } from '../../ids.ts'
import { redactionCounts, totalRedactions, traceState } from '../rules.ts'
import type { ListedTrace, WithheldReason } from '../store.ts'
import { displayTitle } from '../title.ts'
import { conversation, type ShownMessage } from './conversation.ts'
import { categoryName, doneText, stateTag, type Done } from './texts.ts'

/** What keeps a conversation from being shown. */
export type Unreadable = 'missing' | WithheldReason

export interface TraceView {
  readonly prefix: string
  readonly email: string | null
  readonly progress: Html | null
  /** As it is shown: with the version and the counts of the scrubber of today. */
  readonly trace: ListedTrace
  readonly conversation:
    | {
        readonly messages: readonly ShownMessage[]
        /** The index of the first message of each page. */
        readonly starts: readonly number[]
        /** The page to show, from 1. */
        readonly number: number
      }
    | Unreadable
  readonly done: Done | null
  /** Whether a term that was just blocked occurred in the trace. */
  readonly reported?: 'found' | 'not_found' | undefined
  /** The term that was entered, and what is wrong with it. */
  readonly term?: string
  readonly problem?: 'trace.termError' | 'trace.termsFull'
}

const message = messagesOf(traceMessages)

/** Returns the page of a trace. */
export function tracePage(view: TraceView): string {
  const { prefix, email, progress, trace, done } = view
  const main = html`${done ? notice('done', doneText(done)) : null}${view.reported ? notice('done', message(`trace.reported.${view.reported}`)) : null}
    <p class="facts">
      ${stateTag(trace)} <span>${sourceText(trace.source)}${trace.model ? html` · ${trace.model}` : null}</span>
    </p>
    ${actions(prefix, trace)}
    ${stats([
      [message('traces.tokens'), number(trace.tokenCount)],
      ...(traceState(trace) === 'sold' ? [] : [[message('traces.estimate'), money(trace.estimatedUsd)] as const]),
      [message('traces.redactions'), number(totalRedactions(trace))],
      [message('trace.created'), time(trace.createdAt)],
      [message('traces.uploaded'), time(timestamp(trace.storedAt))],
    ])}
    ${redactions(trace)}
    <h2>${message('traces.conversation')}</h2>
    ${typeof view.conversation === 'string' ? notice('error', message(`trace.${view.conversation}`)) : shownPart(view, view.conversation)}
    <h2>${message('trace.reportTitle')}</h2>
    ${reportForm(view)}
    <p class="hint">${idsText(trace)}</p>`
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

function idsText({ id, sourceId }: ListedTrace): Html {
  const code = html`<code>${id}</code>`
  return sourceId === ''
    ? message('trace.id', { id: code })
    : message('trace.ids', { id: code, session: html`<bdi>${sourceId}</bdi>` })
}

function actions(prefix: string, trace: ListedTrace): Html {
  const state = traceState(trace)
  const download = html`<a class="button second" href="${prefix}/api/traces/${trace.id}/download"
    >${message('trace.download')}</a
  >`
  const earnings = html`<a href="${prefix}/earnings">${message('trace.toEarnings')}</a>`
  if (state === 'sold')
    return html`<p class="actions">${download}</p>
      <p class="hint">${message('trace.soldHint', { link: earnings })}</p>`
  return html`<form method="post" action="${prefix}/traces/${trace.id}" class="actions">
    ${
      state === 'excluded'
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

function redactions(trace: ListedTrace): Html {
  const counts = Object.entries(redactionCounts(trace)).sort(([, one], [, other]) => other - one)
  if (counts.length === 0) return html`<p>${message('trace.nothingFound')}</p>`
  return html`<ul class="counts removed" aria-label="${message('trace.byCategory')}">
    ${counts.map(([category, count]) => html`<li>${categoryName(category)} <strong>${number(count)}</strong></li>`)}
  </ul>`
}

function shownPart(
  { prefix, trace }: TraceView,
  { messages, starts, number: shown }: Exclude<TraceView['conversation'], string>,
): Html {
  const [start, end] = [starts[shown - 1]!, starts[shown] ?? messages.length]
  const pages = pager(`${prefix}/traces/${trace.id}`, shown, starts.length)
  return html`<p class="hint">
      ${message(traceState(trace) === 'sold' ? 'trace.nextBuyer' : 'trace.buyer')}
      ${starts.length > 1 ? message('trace.part', { from: start + 1, to: end, count: messages.length }) : null}
      ${message('trace.marked', { mark: html`<mark>${message('trace.markedText')}</mark>` })}
    </p>
    ${starts.length > 1 ? pages : null} ${conversation(messages.slice(start, end), start + 1)}
    ${starts.length > 1 ? pages : null}`
}

function pager(path: string, shown: number, last: number): Html {
  const link = (to: number, text: Html, rel: string): Html =>
    html`<a href="${path}?page=${to}" rel="${rel}">${text}</a>`
  return html`<div class="pages">
    ${shown > 1 ? html`${link(1, message('trace.first'), 'start')} ${link(shown - 1, message('trace.previous'), 'prev')}` : null}
    <span>${message('trace.page', { page: shown, last })}</span>
    ${shown < last ? html`${link(shown + 1, message('trace.next'), 'next')} ${link(last, message('trace.last'), 'end')}` : null}
  </div>`
}
