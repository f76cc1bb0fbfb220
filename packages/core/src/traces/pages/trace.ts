import { grouped } from '../../http/format.ts'
import { field, html, type Html, notice, stats, page, time } from '../../http/html.ts'
import { sourceName } from '../../sources.ts'
import { timestamp } from '../../ids.ts'
import { formatUsd } from '../../money.ts'
import { redactionCounts, totalRedactions, traceState } from '../rules.ts'
import type { ListedTrace, WithheldReason } from '../store.ts'
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
  /** Whether a term was just blocked. */
  readonly isReported?: boolean
  /** The term that was entered, and what is wrong with it. */
  readonly term?: string
  readonly problem?: string | null
}

const unreadableTexts: Readonly<Record<Unreadable, string>> = {
  missing: 'The content of this trace is missing on this server. Nobody can read or buy it. You can delete the trace.',
  damaged: 'The content of this trace is damaged on this server. Nobody can read or buy it. You can delete the trace.',
  refused: 'The scrubber cannot process this conversation. Nobody can read or buy it. You can delete the trace.',
  verification_failed:
    'A check after scrubbing still found something to remove. Nobody can read or buy this trace. You can delete it.',
}

/** Returns the page of a trace. */
export function tracePage(view: TraceView): string {
  const { prefix, email, progress, trace, done } = view
  const main = html`${done ? notice('done', doneText(done)) : null}${view.isReported ? notice('done', 'Term blocked. Your traces are being scrubbed again.') : null}
    <p class="facts">
      ${stateTag(trace)} <span>${sourceName(trace.source)}${trace.model ? html` · ${trace.model}` : null}</span>
    </p>
    ${actions(prefix, trace)}
    ${stats([
      ['Tokens', grouped(trace.tokenCount)],
      ['Estimate', formatUsd(trace.estimatedUsd)],
      ['Redactions', grouped(totalRedactions(trace))],
      ['Created', time(trace.createdAt)],
      ['Uploaded', time(timestamp(trace.storedAt))],
    ])}
    ${redactions(trace)}
    <h2>Conversation</h2>
    ${typeof view.conversation === 'string' ? notice('error', unreadableTexts[view.conversation]) : shownPart(view, view.conversation)}
    <h2>Is something still readable that should not be?</h2>
    ${reportForm(view)}
    <p class="hint">Trace ID <code>${trace.id}</code> · <bdi>${trace.sourceId}</bdi></p>`
  return page({
    title: trace.title ?? 'Untitled trace',
    above: html`<nav class="trail" aria-label="Breadcrumb"><a href="${prefix}/traces">Traces</a></nav>`,
    here: '/traces',
    wide: true,
    prefix,
    email,
    progress,
    signedIn: true,
    main,
  })
}

function actions(prefix: string, trace: ListedTrace): Html {
  const state = traceState(trace)
  const download = html`<a class="button second" href="${prefix}/api/traces/${trace.id}/download">Download</a>`
  if (state === 'sold')
    return html`<p class="actions">${download}</p>
      <p class="hint">This trace was sold, so you can no longer exclude or delete it. It may be sold again.</p>`
  return html`<form method="post" action="${prefix}/traces/${trace.id}" class="actions">
    ${state === 'excluded' ? html`<button name="action" value="include" class="second">Include for sale</button>` : html`<button name="action" value="exclude" class="second">Exclude from sale</button>`}
    ${download}
    <button name="action" value="delete" class="danger">Delete…</button>
  </form>`
}

function reportForm({ prefix, trace, term, problem }: TraceView): Html {
  return html`<p>
      Report it here. It is added to your <a href="${prefix}/blocked-terms">blocked terms</a> and then removed from all
      your traces that were not sold, and from every later upload.
    </p>
    <form method="post" action="${prefix}/traces/${trace.id}">
      ${field({ name: 'term', label: 'Word or phrase to remove', value: term ?? '', maxlength: 128, hint: 'Found as whole words, in upper or lower case.', error: problem ?? undefined })}
      <p><button name="action" value="report" class="second">Report and block</button></p>
    </form>`
}

function redactions(trace: ListedTrace): Html {
  const counts = Object.entries(redactionCounts(trace)).sort(([, one], [, other]) => other - one)
  if (counts.length === 0) return html`<p>The scrubber found nothing to remove from this trace.</p>`
  return html`<ul class="counts removed" aria-label="Redactions by category">
    ${counts.map(([category, count]) => html`<li>${categoryName(category)} <strong>${grouped(count)}</strong></li>`)}
  </ul>`
}

function shownPart(
  { prefix, trace }: TraceView,
  { messages, starts, number }: Exclude<TraceView['conversation'], string>,
): Html {
  const [start, end] = [starts[number - 1]!, starts[number] ?? messages.length]
  const pages = pager(`${prefix}/traces/${trace.id}`, number, starts.length)
  return html`<p class="hint">
      This is what a buyer gets.
      ${starts.length > 1 ? `Messages ${grouped(start + 1)} to ${grouped(end)} of ${grouped(messages.length)}. ` : null}<mark
        >Marked text</mark
      >
      is a placeholder for what was removed.
    </p>
    ${starts.length > 1 ? pages : null} ${conversation(messages.slice(start, end), start + 1)}
    ${starts.length > 1 ? pages : null}`
}

function pager(path: string, number: number, last: number): Html {
  const link = (to: number, text: string, rel: string): Html =>
    html`<a href="${path}?page=${to}" rel="${rel}">${text}</a>`
  return html`<div class="pages">
    ${number > 1 ? html`${link(1, 'First', 'start')} ${link(number - 1, 'Previous', 'prev')}` : null}
    <span>Page ${number} of ${last}</span>
    ${number < last ? html`${link(number + 1, 'Next', 'next')} ${link(last, 'Last', 'end')}` : null}
  </div>`
}
