import { html, type Html, notice, page, time as moment } from '../http/html.ts'
import type { AdminSection } from './contract.ts'

/** The operator's page: the sections as links, one of them open. */
export function operatorPage(view: {
  prefix: string
  sections: readonly AdminSection[]
  section: AdminSection
  filter: string | null
  body: Html
  told: { kind: 'done' | 'error'; text: string } | null
}): string {
  const { prefix, sections, section, filter, body, told } = view
  const link = ({ id, title }: AdminSection): Html =>
    html`<a href="${prefix}/admin?section=${id}" ${id === section.id ? html` aria-current="page"` : null}>${title}</a>`
  const narrow = (name: string | null): Html =>
    html`<a
      href="${prefix}/admin?section=${section.id}${name === null ? null : `&filter=${name}`}"
      ${name === filter ? html` aria-current="true"` : null}
      >${name ?? 'all'}</a
    >`
  const out = html`<form method="post" action="${prefix}/admin/sign-out"><button class="plain">Sign out</button></form>`
  const main = html`<nav class="tabs" aria-label="Sections">${sections.map(link)}</nav>
    ${told ? notice(told.kind, told.text) : null}
    <section aria-labelledby="section">
      <h2 id="section">${section.title}</h2>
      ${section.filters.length > 0 ? html`<nav class="filters" aria-label="Show">${[null, ...section.filters].map(narrow)}</nav>` : null}
      ${body}
    </section>`
  return page({ title: 'Operator', tab: `${section.title} · Operator`, wide: true, nav: out, prefix, main })
}

/** A column of a list: its heading, and what a row says in it. */
export type Column<Item> = readonly [heading: string, cell: (item: Item) => Html | string | number | null]

/** A list as a table that falls into blocks on a phone, and the way to its next page. The roles are said because a browser
 * forgets that rows shown as blocks are a table. The first column names the row. */
export function table<Item>(options: {
  caption: string
  empty: string
  columns: readonly Column<Item>[]
  items: readonly Item[]
  /** The address of the next page, or null. */
  next: string | null
}): Html {
  const { caption, empty, columns, items, next } = options
  if (items.length === 0) return html`<p>${empty}</p>`
  const cell = ([heading, show]: Column<Item>, at: number, item: Item): Html =>
    at === 0
      ? html`<th scope="row" role="rowheader">${show(item)}</th>`
      : html`<td role="cell" data-label="${heading}">${show(item)}</td>`
  return html`<div class="table" role="region" aria-label="${caption}" tabindex="0">
      <table class="stack" role="table">
        <caption>
          ${caption}
        </caption>
        <thead role="rowgroup">
          <tr role="row">
            ${columns.map(([heading]) => html`<th scope="col" role="columnheader">${heading}</th>`)}
          </tr>
        </thead>
        <tbody role="rowgroup">
          ${items.map(
            (item) =>
              html`<tr role="row">
                ${columns.map((column, at) => cell(column, at, item))}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${next ? html`<p><a href="${next}" rel="next">Older</a></p>` : null}`
}

/** The address of the page after this one. */
export function nextPage(prefix: string, section: string, filter: string | null, cursor: string | null): string | null {
  if (cursor === null) return null
  return `${prefix}/admin?section=${section}${filter === null ? '' : `&filter=${filter}`}&cursor=${encodeURIComponent(cursor)}`
}

/** A time as people read it, or nothing; `iso` is one of ours. */
export function time(iso: string | null): Html | null {
  return iso === null ? null : moment(iso)
}

/** A status as a small label; green and red for the two that an operator looks for. */
export function status(name: string): Html {
  const kind = { approved: ' good', done: ' good', active: ' good', rejected: ' bad', failed: ' bad' }[name]
  return html`<span class="tag${kind}">${name.replaceAll('_', ' ')}</span>`
}

/** Keeps a list narrowed after a form in it was sent. */
export function kept(filter: string | null): Html | null {
  return filter === null ? null : html`<input type="hidden" name="filter" value="${filter}" />`
}
