import { html, type Html, notice, page, time as moment } from '../http/html.ts'
import type { AdminSection } from './contract.ts'

/** Renders the operator's page: the sections as links, and the current one. */
export function operatorPage(view: {
  prefix: string
  sections: readonly AdminSection[]
  section: AdminSection
  filter: string | null
  body: Html
  result: { name: string; kind: 'done' | 'error'; text: string } | null
}): string {
  const { prefix, sections, section, filter, body, result } = view
  const sectionLink = ({ id, title }: AdminSection): Html =>
    html`<a href="${prefix}/admin?section=${id}" ${id === section.id ? html` aria-current="page"` : null}>${title}</a>`
  const filterLink = (name: string | null): Html =>
    html`<a
      href="${prefix}/admin?section=${section.id}${name === null ? null : `&filter=${name}`}"
      ${name === filter ? html` aria-current="true"` : null}
      >${name ?? 'All'}</a
    >`
  const signOut = html`<form method="post" action="${prefix}/admin/sign-out">
    <button class="plain">Sign out</button>
  </form>`
  const main = html`<nav class="tabs" aria-label="Sections">${sections.map(sectionLink)}</nav>
    ${result ? html`<div data-result="${result.name}">${notice(result.kind, result.text)}</div>` : null}
    <section aria-labelledby="section">
      <h2 id="section">${section.title}</h2>
      ${section.filters.length > 0 ? html`<nav class="filters" aria-label="Filter">${[null, ...section.filters].map(filterLink)}</nav>` : null}
      ${body}
    </section>`
  return page({ title: 'Operator', tab: `${section.title} · Operator`, wide: true, nav: signOut, prefix, main })
}

/** A column of a table: its heading and the cell of an item. */
export type Column<Item> = readonly [heading: string, cell: (item: Item) => Html | string | number | null]

/**
 * Renders a list as a table with a link to its next page; on a phone each row becomes a block. The roles are explicit because
 * browsers do not treat rows that are displayed as blocks as a table. The first column is the header of its row.
 */
export function table<Item>(options: {
  caption: string
  empty: string
  columns: readonly Column<Item>[]
  items: readonly Item[]
  /** The address of the next page, or null. */
  next: string | null
}): Html {
  const { caption, empty, columns, items, next } = options
  if (items.length === 0) return html`<p data-empty>${empty}</p>`
  const cell = ([heading, show]: Column<Item>, index: number, item: Item): Html =>
    index === 0
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
                ${columns.map((column, index) => cell(column, index, item))}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${next ? html`<p><a href="${next}" rel="next">Older</a></p>` : null}`
}

/** Returns the URL of the next page of a section, or null. */
export function nextPage(prefix: string, section: string, filter: string | null, cursor: string | null): string | null {
  if (cursor === null) return null
  return `${prefix}/admin?section=${section}${filter === null ? '' : `&filter=${filter}`}&cursor=${encodeURIComponent(cursor)}`
}

/** Renders an ISO 8601 time, or nothing for null. */
export function time(iso: string | null): Html | null {
  return iso === null ? null : moment(iso)
}

/** Renders a status as a label, green or red where an operator should notice it. */
export function status(name: string): Html {
  const kind = { approved: ' good', done: ' good', active: ' good', rejected: ' bad', failed: ' bad' }[name]
  return html`<span class="tag${kind}">${name.replaceAll('_', ' ')}</span>`
}

/** Renders the hidden field that keeps the filter of a list after a form in it was sent. */
export function filterField(filter: string | null): Html | null {
  return filter === null ? null : html`<input type="hidden" name="filter" value="${filter}" />`
}
