import { clientSteps, type ClientTerms } from '../../ui/client-commands.ts'
import { formError, html, type Html, messagesOf, money, notice, number, page, stats, time } from '../../ui/html.ts'
import { table } from '../../ui/table.ts'
import { traceMessages } from '../../messages/traces.ts'
import { shortId, timestamp } from '../../ids.ts'
import { sources } from '../../sources.ts'
import { outcomeField, sourceText } from '../../ui/source-text.ts'
import { outcomeStatuses, type OutcomeStatus } from '../detail-schemas.ts'
import { totalRedactions, traceState } from '../rules.ts'
import { traceStates, type ListedTrace, type TraceState, type TraceStats } from '../store.ts'
import { displayTitle } from '../names.ts'
import { doneText, stateTag, type CompletedAction } from './texts.ts'

const message = messagesOf(traceMessages)

/** The fields of the filter as the page shows them, absent when empty. */
export interface FilterValues {
  readonly state?: TraceState | undefined
  readonly source?: string | undefined
  readonly agent?: string | undefined
  readonly outcome?: OutcomeStatus | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** The sale in which the traces were sold. */
  readonly saleId?: string | undefined
  readonly q?: string | undefined
}

/** Returns the query of the list with these fields, beginning with `?` unless it is empty. */
export function listQuery(fields: Readonly<Record<string, string | undefined>>): string {
  const entries = Object.entries(fields).filter((entry): entry is [string, string] => Boolean(entry[1]))
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries).toString()}`
}

/** An upload that is not finished. */
export interface JobLine {
  readonly id: string
  readonly source: string
  readonly status: 'queued' | 'parsing' | 'ingesting' | 'done' | 'failed'
  /** Milliseconds since 1970. */
  readonly enqueuedAt: number
}

export interface TracesView {
  readonly prefix: string
  readonly client: ClientTerms
  /** Whether a device of the person is signed in. */
  readonly hasDevice: boolean
  readonly email: string | null
  readonly progress: Html | null
  readonly traces: readonly ListedTrace[]
  readonly filter: FilterValues
  /** The totals of the filter, and the totals of the filter without its state. */
  readonly stats: TraceStats
  readonly statsOfAllStates: TraceStats
  /** The start of this page. Null means the page of the newest traces. */
  readonly cursor: string | null
  readonly next: string | null
  /** The traces whose boxes are checked: the traces on this page, or all traces that match the filter. Null if none. */
  readonly selected: 'page' | 'all' | null
  readonly jobs: readonly JobLine[]
  readonly done: CompletedAction | null
  readonly error: 'traces.selectFirst' | null
  /** Whether the range of dates ends before it starts. Nothing is listed then. */
  readonly isRangeReversed: boolean
  /** The steps to the first upload, for a person without traces. */
  readonly journey: Html | null
  /** The waitlist status of a person, which replaces the steps to the first upload. */
  readonly waiting: Html | null
}

/** Returns the page of a person's traces. The page needs no script. */
export function tracesPage(view: TracesView): string {
  const { prefix, email, progress, filter, traces, cursor, jobs, done, error } = view
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  const isEmpty = traces.length === 0 && !cursor && !isFiltered
  const main = html`${error ? formError(message(error)) : null}${done ? doneNotice(prefix, done, filter) : null}${pending(prefix, jobs)}
  ${isEmpty ? emptyList(view) : filteredList(view, isFiltered)}`
  return page({
    title: message('traces.title'),
    isInvalid: error !== null || view.isRangeReversed,
    here: '/traces',
    wide: !isEmpty,
    prefix,
    email,
    progress,
    signedIn: true,
    main,
  })
}

/**
 * Renders the notice of an action. The notice links to the excluded traces, which a list of traces for sale no longer
 * shows.
 */
function doneNotice(prefix: string, done: CompletedAction, { state }: FilterValues): Html {
  const link = html` <a href="${prefix}/traces?state=excluded">${message('traces.showExcluded')}</a>`
  const leads = done.action === 'exclude' && done.count > 0 && state !== 'excluded'
  return notice('done', html`${doneText(done)}${leads ? link : null}`)
}

function filteredList(view: TracesView, isFiltered: boolean): Html {
  const form = filterForm(view, isFiltered)
  if (view.isRangeReversed) return form
  return html`${view.traces.length > 0 || view.cursor ? totals(view.stats) : null} ${saleLine(view)} ${states(view)}
  ${form} ${view.traces.length > 0 ? list(view) : nothingFound(view)}`
}

/** Renders a line that says that the list shows the traces of a sale. Returns null for other lists. */
function saleLine({ prefix, filter }: TracesView): Html | null {
  if (filter.saleId === undefined) return null
  const values = {
    id: html`<code>${filter.saleId}</code>`,
    link: html`<a href="${prefix}/earnings">${message('traces.toEarnings')}</a>`,
  }
  return html`<p>${message('traces.ofSale', values)}</p>`
}

function totals({ traces, sold, tokens, estimatedUsd, redactions }: TraceStats): Html {
  const removed = Object.values(redactions).reduce((sum, count) => sum + count, 0)
  const figures = [
    [message('traces.traces'), number(traces)],
    [message('traces.tokens'), number(tokens)],
    [
      message('traces.estimate'),
      money(estimatedUsd),
      message(sold > 0 ? 'traces.estimateNote' : 'traces.estimateNoteUnsold'),
    ],
    [message('traces.redactions'), number(removed)],
  ] as const
  return stats(figures, message('traces.totals'))
}

function states({ prefix, filter, statsOfAllStates }: TracesView): Html {
  const { traces, forSale, excluded, sold } = statsOfAllStates
  const counts = { for_sale: forSale, excluded, sold }
  const link = (state: TraceState | undefined, name: Html, count: number): Html =>
    html`<a
      href="${prefix}/traces${listQuery({ ...filter, state })}"
      ${state === filter.state ? html` aria-current="page"` : null}
      >${name} <span class="count">${number(count)}</span></a
    >`
  return html`<nav class="filters" aria-label="${message('traces.state')}">
    ${link(undefined, message('traces.all'), traces)}
    ${traceStates.map((state) => link(state, message(`traces.${state}`), counts[state]))}
  </nav>`
}

/** The filters that are links, not fields. */
const hiddenFilters = ['state', 'saleId'] as const

/** The filters with a field. The form is folded while none of them is used, so that the list starts further up. */
const fieldFilters = ['q', 'source', 'outcome', 'from', 'to'] as const

function filterForm({ prefix, filter, isRangeReversed }: TracesView, isFiltered: boolean): Html {
  const hasFields = isRangeReversed || fieldFilters.some((name) => filter[name] !== undefined)
  const invalid = isRangeReversed ? html` aria-invalid="true" aria-describedby="to-error" autofocus` : null
  return html`<details ${hasFields ? html` open` : null}>
    <summary>${message('traces.searchFilter')}</summary>
    <form
      method="get"
      action="${prefix}/traces"
      class="search days"
      role="search"
      aria-label="${message('traces.title')}"
    >
      ${hiddenFilters.map((name) => (filter[name] ? html`<input type="hidden" name="${name}" value="${filter[name]}" />` : null))}
      <p class="field grow">
        <label for="q">${message('traces.searchTitles')}</label>
        <input id="q" name="q" type="search" value="${filter.q ?? ''}" maxlength="100" autocomplete="off" />
      </p>
      <p class="field">
        <label for="source">${message('traces.source')}</label>
        <select id="source" name="source">
          <option value="">${message('traces.allSources')}</option>
          ${sources.map(
            (source) =>
              html`<option value="${source}" ${source === filter.source ? html` selected` : null}>
                ${sourceText(source)}
              </option>`,
          )}
        </select>
      </p>
      ${outcomeField(outcomeStatuses, filter.outcome)}
      <p class="field">
        <label for="from">${message('traces.from')}</label>
        <input id="from" name="from" type="date" value="${filter.from ?? ''}" />
      </p>
      <p class="field">
        <label for="to">${message('traces.to')}</label>
        <input id="to" name="to" type="date" value="${filter.to ?? ''}" ${invalid} />
        ${isRangeReversed ? html`<span class="error" id="to-error">${message('traces.rangeError')}</span>` : null}
      </p>
      <p class="actions">
        <button class="second">${message('traces.search')}</button>
        ${isFiltered ? html`<a href="${prefix}/traces">${message('traces.clear')}</a>` : null}
      </p>
    </form>
  </details>`
}

function nothingFound({ prefix, filter, cursor }: TracesView): Html {
  if (cursor)
    return html`<div class="empty">
      <p>${message('traces.noOlder')}</p>
      <p><a href="${prefix}/traces${listQuery({ ...filter })}">${message('traces.newestTraces')}</a></p>
    </div>`
  return html`<div class="empty">
    <p><strong>${message('traces.noMatch')}</strong></p>
    <p>${message('traces.noMatchHint')}</p>
  </div>`
}

function pending(prefix: string, jobs: readonly JobLine[]): Html | null {
  if (jobs.length === 0) return null
  return html`<section class="notice" aria-labelledby="uploads">
    <h2 id="uploads">${message('traces.inProgress')}</h2>
    <ul>
      ${jobs.map(
        (job) =>
          html`<li>
            ${message('traces.sent', {
              source: html`<a href="${prefix}/jobs/${job.id}">${sourceText(job.source)}</a>`,
              time: time(timestamp(job.enqueuedAt)),
              status: message(`upload.${job.status}`),
            })}
          </li>`,
      )}
    </ul>
  </section>`
}

function emptyList({ prefix, client, hasDevice, jobs, journey, waiting }: TracesView): Html {
  if (waiting)
    return html`${waiting}
      <p>${message('traces.emptyWaiting')}</p>`
  if (jobs.length > 0) return html`<p>${message('traces.beingScrubbed')}</p>`
  const link = html`<a href="${prefix}/device">${message('traces.devicePage')}</a>`
  return html`<p>${message('traces.empty')}</p>
    ${journey}
    <h2>${message('traces.howTo')}</h2>
    ${clientSteps(message('traces.commands'), client, { hasDevice })}
    ${hasDevice ? null : html`<p>${message('traces.enterCode', { link, login: html`<code>login</code>` })}</p>`}
    <p>${message('traces.startUpload')}</p>`
}

function list(view: TracesView): Html {
  const { prefix, traces, filter, cursor, next, stats } = view
  const mayChange = traces.some((trace) => traceState(trace) !== 'sold')
  const select = view.selected === 'all' ? 'all' : undefined
  const link = (rel: 'start' | 'next', to: string | undefined, text: Html): Html =>
    html`<a href="${prefix}/traces${listQuery({ ...filter, cursor: to, select })}" rel="${rel}">${text}</a>`
  return html`${mayChange ? selection(view) : null}
    <div class="choosable">
      ${traceTable(view)}
      <div class="pages">
        ${cursor ? link('start', undefined, message('traces.newest')) : null}
        <span>${message('traces.shown', { shown: traces.length, count: stats.traces })}</span>
        ${next ? link('next', next, message('traces.older')) : null}
      </div>
      ${mayChange ? actionBar(view) : null}
    </div>`
}

/** Returns the URL of this page of the list, with more fields. */
const here = ({ prefix, filter, cursor }: TracesView, more: { readonly select?: string } = {}): string =>
  `${prefix}/traces${listQuery({ ...filter, cursor: cursor ?? undefined, ...more })}`

/** Renders the links that select several traces at a time. */
function selection(view: TracesView): Html {
  const { filter, stats, traces, selected } = view
  const count = stats.traces - stats.sold
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  const link = (select: 'page' | 'all' | 'none', text: Html): Html =>
    html`<a href="${here(view, select === 'none' ? {} : { select })}">${text}</a>`
  return html`<p class="row">
    ${
      selected === 'all'
        ? html`<span
            ><strong>${message(isFiltered ? 'traces.matchingSelected' : 'traces.allSelected', { count })}</strong>
            ${message('traces.chooseSingle')}</span
          >`
        : null
    }
    ${selected === null ? null : link('none', message('traces.selectNone'))}
    ${selected === 'page' ? null : link('page', message('traces.selectPage'))}
    ${
      selected === 'all' || stats.traces === traces.length
        ? null
        : link('all', message(isFiltered ? 'traces.selectMatching' : 'traces.selectAll', { count }))
    }
    ${traces.some((trace) => traceState(trace) === 'sold') ? html`<span class="hint">${message('traces.soldLocked')}</span>` : null}
    ${traces.some((trace) => trace.withdrawnAt !== null) ? html`<span class="hint">${message('traces.withdrawnHint')}</span>` : null}
  </p>`
}

/**
 * Renders the actions. The style sheet keeps the actions in view above the list. In the HTML they come after the list,
 * because the style sheet counts the checked boxes before them.
 */
function actionBar({ prefix, filter, cursor, selected, stats }: TracesView): Html {
  const fields = { ...filter, cursor: cursor ?? undefined, all: selected === 'all' ? 'yes' : undefined }
  return html`<form id="choose" class="bar" method="post" action="${prefix}/traces">
    ${Object.entries(fields).map(([name, value]) => (value ? html`<input type="hidden" name="${name}" value="${value}" />` : null))}
    <fieldset>
      <legend data-all="${stats.traces - stats.sold}">${message('traces.selected')}</legend>
      <div class="actions">
        <button name="action" value="exclude" class="second">${message('traces.exclude')}</button>
        <button name="action" value="include" class="second">${message('traces.include')}</button>
        <button name="action" value="delete" class="danger">${message('traces.delete')}</button>
      </div>
    </fieldset>
  </form>`
}

// The checkboxes are outside of the form above the table and refer to it by `form="choose"`.
const traceTable = ({ prefix, traces, selected }: TracesView): Html =>
  table({
    caption: message('traces.caption'),
    items: traces,
    columns: [
      [message('traces.select'), (trace) => selectBox(trace, selected), 'pick'],
      [
        message('traces.trace'),
        (trace) => html`<a href="${prefix}/traces/${trace.id}">${showName(trace)}</a><small>${origin(trace)}</small>`,
      ],
      [message('traces.uploaded'), ({ storedAt }) => time(timestamp(storedAt))],
      [message('traces.state'), stateTag],
      [message('traces.tokens'), ({ tokenCount }) => number(tokenCount), 'number'],
      [message('traces.redactions'), (trace) => number(totalRedactions(trace)), 'number'],
    ],
  })

const showName = ({ title }: ListedTrace): Html | string =>
  title === null ? message('traces.untitled') : displayTitle(title)

const origin = ({ id, source, model, createdAt }: ListedTrace): Html =>
  html`${sourceText(source)}${model ? html` · ${model}` : null} ·
    ${message('traces.createdOn', { date: html`<time datetime="${createdAt}">${createdAt.slice(0, 10)}</time>` })} ·
    <code title="${id}">${shortId(id)}</code>`

function selectBox(trace: ListedTrace, selected: TracesView['selected']): Html | null {
  if (traceState(trace) === 'sold') return null
  return html`<input
    type="checkbox"
    form="choose"
    name="ids"
    value="${trace.id}"
    aria-label="${message('traces.selectOne', { title: showName(trace), id: shortId(trace.id) })}"
    ${selected === null ? null : html` checked`}${selected === 'all' ? html` disabled` : null}
  />`
}
