import { html, Html } from './html.ts'

/**
 * A column of a table: its heading, the cell of an item, and the kind of the cells if they are not text. `number` is
 * aligned to the right. `pick` is the box that selects the row. `act` is a button or a link, and a phone does not show
 * its heading.
 */
export type Column<Item> = readonly [
  heading: Html | string,
  cell: (item: Item) => Html | string | number | null,
  kind?: 'number' | 'pick' | 'act' | undefined,
  /** The name of the field that the list is sorted by when the heading is chosen. */
  sort?: string,
]

/** The column by which a table is sorted, and the URL of the same list sorted by another column. */
export interface TableSort {
  readonly by: string
  readonly order: 'asc' | 'desc'
  readonly link: (by: string, order: 'asc' | 'desc') => string
}

/** Returns a text without its tags for use in an attribute, because the quotes of a tag would end the attribute. */
const withoutTags = (text: Html | string): Html | string =>
  text instanceof Html ? new Html(text.text.replace(/<[^>]*>/g, '')) : text

/**
 * Renders items as a table. On a phone each row becomes a block with the headings next to the values; the roles are
 * explicit because browsers do not treat rows that are displayed as blocks as a table. The first column that is not
 * `pick` is the header of its row.
 */
export function table<Item>(options: {
  readonly caption: Html | string
  readonly columns: readonly Column<Item>[]
  readonly items: readonly Item[]
  /** Whether the columns fit side by side on a phone. */
  readonly narrow?: boolean
  readonly sort?: TableSort
}): Html {
  const { caption, columns, items, narrow, sort } = options
  const header = columns.find(([, , kind]) => kind !== 'pick')
  const chooseClass = ([, , kind]: Column<Item>): Html | null => (kind ? html` class="${kind}"` : null)
  const cell = (column: Column<Item>, item: Item): Html => {
    const [heading, show, kind] = column
    if (column === header) return html`<th scope="row" role="rowheader">${show(item)}</th>`
    const label = kind === 'pick' || kind === 'act' ? null : html` data-label="${withoutTags(heading)}"`
    return html`<td role="cell" ${label}${chooseClass(column)}>${show(item)}</td>`
  }
  return html`<div class="table" role="region" aria-label="${withoutTags(caption)}" tabindex="0">
    <table class="${narrow ? 'narrow' : 'stack'}" role="table">
      <caption>
        ${caption}
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          ${columns.map(
            (column) =>
              html`<th scope="col" role="columnheader" ${chooseClass(column)}${sortedAs(column[3], sort)}>
                ${sortLink(column, sort)}
              </th>`,
          )}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${items.map(
          (item) =>
            html`<tr role="row">
              ${columns.map((column) => cell(column, item))}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

const sortedAs = (name: string | undefined, sort: TableSort | undefined): Html | null =>
  name !== undefined && name === sort?.by
    ? html` aria-sort="${sort.order === 'asc' ? 'ascending' : 'descending'}"`
    : null

/** Returns whether the field of this name is a time, such as `createdAt`. */
export const isTimeField = (name: string): boolean => /(?:^a|A)t$/.test(name)

/**
 * Renders the heading of a column as a link that sorts by the column, or reverses the order when the list is already
 * sorted by this column. Words are sorted from A to Z first, and numbers and times from the highest.
 */
function sortLink<Item>([heading, , kind, name]: Column<Item>, sort: TableSort | undefined): Html | string {
  if (name === undefined || !sort) return heading
  const isSorted = name === sort.by
  const isWord = kind !== 'number' && !isTimeField(name)
  const order = isSorted ? (sort.order === 'desc' ? 'asc' : 'desc') : isWord ? 'asc' : 'desc'
  const arrow = isSorted ? html` <span aria-hidden="true">${sort.order === 'desc' ? '↓' : '↑'}</span>` : null
  return html`<a href="${sort.link(name, order)}">${heading}</a>${arrow}`
}
