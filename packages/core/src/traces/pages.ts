import { html, type Html, notice, page, time } from '../http/html.ts'
import { timestamp } from '../ids.ts'
import type { ListedTrace } from './store.ts'

/** What the form did last, as the page's address says it. */
export interface Done {
  readonly what: 'exclude' | 'include' | 'delete'
  readonly count: number
  readonly skipped: number
}

/** An upload that is not finished. */
export interface JobLine {
  readonly source: string
  readonly status: string
  /** Milliseconds since 1970. */
  readonly enqueuedAt: number
}

export interface TracesView {
  readonly prefix: string
  readonly email: string | null
  readonly traces: readonly ListedTrace[]
  /** Where this page starts; null is the newest. */
  readonly cursor: string | null
  readonly next: string | null
  readonly jobs: readonly JobLine[]
  readonly done: Done | null
  readonly error: string | null
  /** The steps to the first upload, for who has no traces yet. */
  readonly journey: Html | null
}

const sources: Readonly<Record<string, string>> = {
  claude_export: 'Claude export',
  chatgpt_export: 'ChatGPT export',
  claude_code_jsonl: 'Claude Code',
  cursor_sqlite: 'Cursor',
  codex_jsonl: 'Codex',
  gemini_cli: 'Gemini CLI',
  opencode: 'opencode',
  local_trace_index: 'Local index',
  unknown: 'Unknown source',
  mixed: 'Several sources',
}

const nameOf = (source: string): string => sources[source] ?? source
const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`
const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',')
const minute = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 16)}`

/** Dollars: two decimals, and for less than a cent as many as it takes to see two digits of it, six at most. */
function dollars(usd: number): string {
  const decimals = usd === 0 || usd >= 0.01 ? 2 : Math.min(6, 1 - Math.floor(Math.log10(usd)))
  return `$${usd.toFixed(decimals)}`
}

/** The person's traces with what they may do with them. One form, no script. */
export function tracesPage(view: TracesView): string {
  const { prefix, email, traces, cursor, next, jobs, done, error } = view
  const main = html`${error ? notice('error', error) : null}${done ? notice('done', resultText(done)) : null}${pending(jobs)}
  ${traces.length > 0 ? list(view) : cursor ? html`<p>There is nothing older.</p>` : empty(view)}
  ${
    cursor || next
      ? html`<nav class="pages" aria-label="Pages of traces">
          ${cursor ? html`<a href="${prefix}/traces">Newest</a>` : null}
          ${next ? html`<a href="${prefix}/traces?cursor=${next}" rel="next">Older</a>` : null}
        </nav>`
      : null
  }`
  return page({ title: 'Your traces', here: '/traces', wide: traces.length > 0, prefix, email, signedIn: true, main })
}

function resultText({ what, count, skipped }: Done): string {
  const verb = { exclude: 'excluded from sale', include: 'included for sale', delete: 'deleted' }[what]
  const rest = skipped > 0 ? ` ${counted(skipped, 'trace')} left as before: sold already, or no longer there.` : ''
  return `${counted(count, 'trace')} ${verb}.${rest}`
}

function pending(jobs: readonly JobLine[]): Html | null {
  if (jobs.length === 0) return null
  return html`<section aria-labelledby="uploads">
    <h2 id="uploads">Uploads under way</h2>
    <ul>
      ${jobs.map((job) => html`<li>${nameOf(job.source)}, sent ${time(timestamp(job.enqueuedAt))} UTC: ${job.status}</li>`)}
    </ul>
  </section>`
}

function empty({ prefix, jobs, journey }: TracesView): Html {
  if (jobs.length > 0) return html`<p>What was uploaded is being scrubbed. Reload this page in a moment to see it.</p>`
  return html`<p>
      Nothing here yet. Your conversations appear here once your client has uploaded them and they were scrubbed; until
      then an upload waits encrypted. Until a conversation is sold for the first time you can exclude it from sale or
      delete it; after that you can do neither, and it may be sold again any number of times.
    </p>
    ${journey}
    <h2>How to upload</h2>
    <ol>
      <li>
        Start a client on the machine that holds your conversations. From a copy of Tributary's repository:
        <code>npm run example:contributor -- --help</code>
      </li>
      <li>
        It shows you a code. Confirm it on the <a href="${prefix}/device">device page</a>; that signs the machine in.
      </li>
      <li>Let it upload, and come back here.</li>
    </ol>`
}

// The boxes belong to the form below the table by its id, so the table can be printed and is as wide as it needs. The roles
// are said because a phone shows each row as a block, and a browser then forgets that it was a table.
function list({ prefix, traces, cursor }: TracesView): Html {
  return html`<div class="table" role="region" aria-labelledby="traces-caption" tabindex="0">
      <table class="stack" role="table">
        <caption id="traces-caption">
          ${counted(traces.length, 'trace')}, newest upload first. Times are UTC, dollars are estimates. Once sold, a
          trace can no longer be excluded or deleted, and may be sold again.
        </caption>
        <thead role="rowgroup">
          <tr role="row">
            ${['Choose', 'Conversation', 'Created'].map((name) => html`<th scope="col" role="columnheader">${name}</th>`)}${['Tokens', 'Estimate'].map((name) => html`<th scope="col" role="columnheader" class="number">${name}</th>`)}${['Sale', 'Document'].map((name) => html`<th scope="col" role="columnheader">${name}</th>`)}
          </tr>
        </thead>
        <tbody role="rowgroup">
          ${traces.map((trace) => row(prefix, trace))}
        </tbody>
      </table>
    </div>
    <form id="choose" class="bar" method="post" action="${prefix}/traces">
      ${cursor ? html`<input type="hidden" name="cursor" value="${cursor}" />` : null}
      <fieldset>
        <legend>With the chosen traces</legend>
        <div class="actions">
          <button name="action" value="exclude" class="second">Exclude<span class="more"> from sale</span></button>
          <button name="action" value="include" class="second">Include<span class="more"> for sale</span></button>
          <button name="action" value="delete" class="danger">Delete…</button>
        </div>
      </fieldset>
    </form>`
}

function row(prefix: string, trace: ListedTrace): Html {
  const { id, source, sourceId, model, createdAt, tokenCount, estimatedUsd, saleCount, sellExcluded } = trace
  const name = `${nameOf(source)} of ${minute(createdAt)}, ${sourceId}`
  const locked = saleCount > 0
  const state = locked
    ? html`<span class="tag good" id="state-${id}"
        >Sold ${saleCount === 1 ? 'once' : `${saleCount} times`}, locked</span
      >`
    : html`<span class="tag${sellExcluded ? ' quiet' : null}">${sellExcluded ? 'Excluded' : 'May be sold'}</span>`
  return html`<tr role="row">
    <td role="cell" class="pick">
      <input
        type="checkbox"
        form="choose"
        name="ids"
        value="${id}"
        aria-label="Choose ${name}"
        ${locked ? html` disabled aria-describedby="state-${id}" title="Sold: locked"` : null}
      />
    </td>
    <th scope="row" role="rowheader">
      ${nameOf(source)}<small>${model ? html`${model} · ` : null}<bdi>${sourceId}</bdi></small>
    </th>
    <td role="cell" data-label="Created">${time(createdAt)}</td>
    <td role="cell" data-label="Tokens" class="number">${grouped(tokenCount)}</td>
    <td role="cell" data-label="Estimate" class="number">${dollars(estimatedUsd)}</td>
    <td role="cell" data-label="Sale">${state}</td>
    <td role="cell" data-label="Document">
      <a href="${prefix}/api/traces/${id}/download" aria-label="Download ${name}">Download</a>
    </td>
  </tr>`
}

/** Asks before anything is deleted. */
export function confirmPage(view: {
  prefix: string
  email: string | null
  ids: readonly string[]
  cursor: string | null
}): string {
  const { prefix, email, ids, cursor } = view
  const back = cursor ? `${prefix}/traces?cursor=${cursor}` : `${prefix}/traces`
  const count = new Set(ids).size
  const main = html`<p>
      ${count === 1 ? 'This trace and its content' : `These ${count} traces and their content`} will be gone for good.
      What was deleted is not taken in again when your client uploads it once more, nor when the conversation has grown
      since. A trace that was sold meanwhile is kept.
    </p>
    <form method="post" action="${prefix}/traces">
      ${ids.map((id) => html`<input type="hidden" name="ids" value="${id}" />`)}
      <input type="hidden" name="confirmed" value="yes" />
      ${cursor ? html`<input type="hidden" name="cursor" value="${cursor}" />` : null}
      <p class="actions">
        <button name="action" value="delete" class="danger">Delete ${counted(count, 'trace')}</button>
        <a href="${back}">Keep ${count === 1 ? 'it' : 'them'}</a>
      </p>
    </form>`
  return page({ title: `Delete ${counted(count, 'trace')}?`, here: '/traces', prefix, email, signedIn: true, main })
}
