import { counted, grouped } from '../../http/format.ts'
import { html, type Html, notice, stats, page, time } from '../../http/html.ts'
import { timestamp } from '../../ids.ts'
import { sourceName, sources } from '../../sources.ts'
import { formatUsd } from '../../money.ts'
import { totalRedactions, traceState } from '../rules.ts'
import { traceStates, type ListedTrace, type TraceState, type TraceStats } from '../store.ts'
import { doneText, shortId, stateNames, stateTag, type Done } from './texts.ts'

/** The fields of the filter as the page shows them, absent when empty. */
export interface FilterValues {
  readonly state?: TraceState | undefined
  readonly source?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly q?: string | undefined
}

/** Returns the query of the list with these fields, with a `?` unless it is empty. */
export function listQuery(fields: Readonly<Record<string, string | undefined>>): string {
  const entries = Object.entries(fields).filter((entry): entry is [string, string] => Boolean(entry[1]))
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries).toString()}`
}

/** An upload that is not finished. */
export interface JobLine {
  readonly id: string
  readonly source: string
  readonly status: string
  /** Milliseconds since 1970. */
  readonly enqueuedAt: number
}

export interface TracesView {
  readonly prefix: string
  readonly email: string | null
  readonly progress: Html | null
  readonly traces: readonly ListedTrace[]
  readonly filter: FilterValues
  /** The totals of the filter, and those of the filter without its state. */
  readonly stats: TraceStats
  readonly statsOfAllStates: TraceStats
  /** Where this page starts; null is the newest. */
  readonly cursor: string | null
  readonly next: string | null
  /** Whether the box of each trace is checked. */
  readonly isAllSelected: boolean
  readonly jobs: readonly JobLine[]
  readonly done: Done | null
  readonly error: string | null
  /** The steps to the first upload, for who has no traces yet. */
  readonly journey: Html | null
}

/** Returns the page of a person's traces. It needs no script. */
export function tracesPage(view: TracesView): string {
  const { prefix, email, progress, filter, traces, cursor, jobs, done, error } = view
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  const isEmpty = traces.length === 0 && !cursor && !isFiltered
  const main = html`${error ? notice('error', error) : null}${done ? notice('done', doneText(done)) : null}${pending(prefix, jobs)}
  ${isEmpty ? emptyList(view) : html`${totals(view.stats)} ${states(view)} ${filterForm(view, isFiltered)} ${traces.length > 0 ? list(view) : nothingFound(view, isFiltered)}`}`
  return page({ title: 'Traces', here: '/traces', wide: !isEmpty, prefix, email, progress, signedIn: true, main })
}

function totals({ traces, tokens, estimatedUsd, redactions }: TraceStats): Html {
  const removed = Object.values(redactions).reduce((sum, count) => sum + count, 0)
  const figures = [
    ['Traces', grouped(traces)],
    ['Tokens', grouped(tokens)],
    ['Estimate', formatUsd(estimatedUsd)],
    ['Redactions', grouped(removed)],
  ] as const
  return stats(figures, 'Totals')
}

function states({ prefix, filter, statsOfAllStates }: TracesView): Html {
  const { traces, forSale, excluded, sold } = statsOfAllStates
  const counts = { for_sale: forSale, excluded, sold }
  const link = (state: TraceState | undefined, name: string, count: number): Html =>
    html`<a
      href="${prefix}/traces${listQuery({ ...filter, state })}"
      ${state === filter.state ? html` aria-current="page"` : null}
      >${name} <span class="count">${grouped(count)}</span></a
    >`
  return html`<nav class="filters" aria-label="State">
    ${link(undefined, 'All', traces)} ${traceStates.map((state) => link(state, stateNames[state], counts[state]))}
  </nav>`
}

function filterForm({ prefix, filter }: TracesView, isFiltered: boolean): Html {
  return html`<form method="get" action="${prefix}/traces" class="search" role="search" aria-label="Traces">
    ${filter.state ? html`<input type="hidden" name="state" value="${filter.state}" />` : null}
    <p class="field grow">
      <label for="q">Search titles</label>
      <input id="q" name="q" type="search" value="${filter.q ?? ''}" maxlength="100" autocomplete="off" />
    </p>
    <p class="field">
      <label for="source">Source</label>
      <select id="source" name="source">
        <option value="">All sources</option>
        ${sources.map((source) => html`<option value="${source}" ${source === filter.source ? html` selected` : null}>${sourceName(source)}</option>`)}
      </select>
    </p>
    <p class="field">
      <label for="from">Created from</label>
      <input id="from" name="from" type="date" value="${filter.from ?? ''}" />
    </p>
    <p class="field">
      <label for="to">Created to</label>
      <input id="to" name="to" type="date" value="${filter.to ?? ''}" />
    </p>
    <p class="actions">
      <button class="second">Filter</button>
      ${isFiltered ? html`<a href="${prefix}/traces">Clear filters</a>` : null}
    </p>
  </form>`
}

function nothingFound({ prefix, filter, cursor }: TracesView, isFiltered: boolean): Html {
  if (cursor)
    return html`<div class="empty">
      <p>There are no older traces.</p>
      <p><a href="${prefix}/traces${listQuery({ ...filter })}">Newest traces</a></p>
    </div>`
  return html`<div class="empty">
    <p><strong>No traces match ${isFiltered ? 'these filters' : null}</strong></p>
    <p><a href="${prefix}/traces">Clear filters</a> to see all your traces.</p>
  </div>`
}

function pending(prefix: string, jobs: readonly JobLine[]): Html | null {
  if (jobs.length === 0) return null
  return html`<section class="notice" aria-labelledby="uploads">
    <h2 id="uploads">Uploads in progress</h2>
    <ul>
      ${jobs.map((job) => html`<li><a href="${prefix}/jobs/${job.id}">${sourceName(job.source)}</a>, sent ${time(timestamp(job.enqueuedAt))} UTC: ${job.status}</li>`)}
    </ul>
  </section>`
}

function emptyList({ prefix, jobs, journey }: TracesView): Html {
  if (jobs.length > 0)
    return html`<p>Your upload is being scrubbed. Reload this page in a moment to see your traces.</p>`
  return html`<p>
      You have no traces yet. Each conversation that you upload is scrubbed of secrets and personal data, then listed
      here. Until it is sold for the first time you can read it, exclude it from sale or delete it.
    </p>
    ${journey}
    <h2>How to upload</h2>
    <ol>
      <li>
        Start a client on the machine that holds your conversations. In a clone of Tributary's repository:
        <code>npm run example:contributor -- --help</code>
      </li>
      <li>
        The client shows a code. Enter it on the <a href="${prefix}/device">device page</a> to sign the client in.
      </li>
      <li>Start the upload, and come back here.</li>
    </ol>`
}

// The boxes belong to the form below the table by its id, so the table can be printed and is as wide as it needs. The roles
// are given because a phone shows each row as a block, and a browser then forgets that it was a table.
function list(view: TracesView): Html {
  const { prefix, traces, filter, cursor, next, stats, isAllSelected } = view
  const fields = { ...filter, cursor: cursor ?? undefined }
  const mayChange = traces.some((trace) => traceState(trace) !== 'sold')
  const isPartial = stats.traces > traces.length
  return html`<div class="table" role="region" aria-labelledby="traces-caption" tabindex="0">
      <table class="stack" role="table">
        <caption id="traces-caption">
          Newest upload first. Times are UTC. Sold traces can't be changed.
        </caption>
        <thead role="rowgroup">
          <tr role="row">
            ${['Select', 'Conversation', 'Uploaded'].map((name) => html`<th scope="col" role="columnheader">${name}</th>`)}${['Tokens', 'Redactions'].map((name) => html`<th scope="col" role="columnheader" class="number">${name}</th>`)}
            <th scope="col" role="columnheader">State</th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          ${traces.map((trace) => row(view, trace))}
        </tbody>
      </table>
    </div>
    <div class="pages">
      ${cursor ? html`<a href="${prefix}/traces${listQuery({ ...filter })}" rel="start">Newest</a>` : null}
      <span>${grouped(traces.length)} of ${counted(stats.traces, 'trace')}</span>
      ${next ? html`<a href="${prefix}/traces${listQuery({ ...filter, cursor: next })}" rel="next">Older</a>` : null}
    </div>
    ${
      mayChange
        ? html`<form id="choose" class="bar" method="post" action="${prefix}/traces">
            ${Object.entries(fields).map(([name, value]) => (value ? html`<input type="hidden" name="${name}" value="${value}" />` : null))}
            <fieldset>
              <legend>Selected traces</legend>
              <div class="actions">
                <button name="action" value="exclude" class="second">
                  Exclude<span class="more"> from sale</span>
                </button>
                <button name="action" value="include" class="second">Include<span class="more"> for sale</span></button>
                <button name="action" value="delete" class="danger">Delete…</button>
              </div>
              <div class="actions">
                ${isAllSelected ? html`<a href="${prefix}/traces${listQuery(fields)}">Select none</a>` : html`<a href="${prefix}/traces${listQuery({ ...fields, select: 'page' })}">Select all on this page</a>`}
                ${isPartial ? html`<label class="inline"><input type="checkbox" name="all" value="yes" />All ${grouped(stats.traces)} that match</label>` : null}
              </div>
            </fieldset>
          </form>`
        : null
    }`
}

function row({ prefix, isAllSelected }: TracesView, trace: ListedTrace): Html {
  const { id, source, title, model, storedAt, tokenCount } = trace
  const name = title ?? 'Untitled trace'
  const isSold = traceState(trace) === 'sold'
  return html`<tr role="row">
    <td role="cell" class="pick">
      <input
        type="checkbox"
        form="choose"
        name="ids"
        value="${id}"
        aria-label="Select ${name}, ${shortId(id)}"
        ${isSold ? html` disabled title="Sold traces can't be changed"` : isAllSelected ? html` checked` : null}
      />
    </td>
    <th scope="row" role="rowheader">
      <a href="${prefix}/traces/${id}">${name}</a
      ><small
        >${sourceName(source)}${model ? html` · ${model}` : null} · <code title="${id}">${shortId(id)}</code></small
      >
    </th>
    <td role="cell" data-label="Uploaded">${time(timestamp(storedAt))}</td>
    <td role="cell" data-label="Tokens" class="number">${grouped(tokenCount)}</td>
    <td role="cell" data-label="Redactions" class="number">${grouped(totalRedactions(trace))}</td>
    <td role="cell" data-label="State">${stateTag(trace)}</td>
  </tr>`
}
