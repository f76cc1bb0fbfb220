import { html, type Html } from './html.ts'

/**
 * A column of a table: its heading, the cell of an item, and what the cells hold if it is not text. `number` is aligned
 * to the right, `pick` is the box that selects the row, and `act` is a button or a link, whose heading a phone leaves
 * out.
 */
export type Column<Item> = readonly [
  heading: Html | string,
  cell: (item: Item) => Html | string | number | null,
  kind?: 'number' | 'pick' | 'act',
]

/**
 * Renders items as a table. On a phone each row becomes a block with the headings beside the values; the roles are
 * explicit because browsers do not treat rows that are displayed as blocks as a table. The first column that is not
 * `pick` is the header of its row.
 */
export function table<Item>(options: {
  readonly caption: Html | string
  readonly columns: readonly Column<Item>[]
  readonly items: readonly Item[]
  /** Whether the columns fit side by side on a phone. */
  readonly narrow?: boolean
}): Html {
  const { caption, columns, items, narrow } = options
  const header = columns.find(([, , kind]) => kind !== 'pick')
  const classOf = ([, , kind]: Column<Item>): Html | null => (kind ? html` class="${kind}"` : null)
  const cell = (column: Column<Item>, item: Item): Html => {
    const [heading, show, kind] = column
    if (column === header) return html`<th scope="row" role="rowheader">${show(item)}</th>`
    const label = kind === 'pick' || kind === 'act' ? null : html` data-label="${heading}"`
    return html`<td role="cell" ${label}${classOf(column)}>${show(item)}</td>`
  }
  return html`<div class="table" role="region" aria-label="${caption}" tabindex="0">
    <table class="${narrow ? 'narrow' : 'stack'}" role="table">
      <caption>
        ${caption}
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          ${columns.map((column) => html`<th scope="col" role="columnheader" ${classOf(column)}>${column[0]}</th>`)}
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
