import { itemAt } from '../../lists.ts'
import { html, type Html } from '../html.ts'
import { message } from './pages.ts'

/**
 * Renders numbers by day as a chart and a table. The script of `chartScript` draws the chart from the
 * table and folds the table; without the script the table is shown.
 */
export function figure(options: {
  title: Html
  /** UTC days, oldest first. */
  days: readonly string[]
  /** The columns of the table. Each has a number for every day and a function that renders a number. */
  lines: readonly (readonly [heading: Html, values: readonly number[], show: (value: number) => Html])[]
  /**
   * The number of columns that the chart draws, counted from the first: 1 or 2, which can be told apart without colour.
   * Default: all.
   */
  drawn?: number
  /** Whether the numbers are dollars. */
  isUsd?: boolean
}): Html {
  const { title, days, lines, drawn = lines.length, isUsd = false } = options
  return html`<figure class="chart" data-lines="${drawn}" ${isUsd ? html` data-usd` : null}>
    <figcaption>${title}</figcaption>
    <div class="plot" aria-hidden="true"></div>
    <p class="legend" aria-hidden="true"></p>
    <details open>
      <summary>${message('admin.chartTable', { title })}</summary>
      <div class="table" role="region" aria-label="${message('admin.chartByDay', { title })}" tabindex="0">
        <table>
          <caption>
            ${message('admin.byDay')}
          </caption>
          <thead>
            <tr>
              <th scope="col">${message('admin.day')}</th>
              ${lines.map(([heading]) => html`<th scope="col" class="number">${heading}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${days.map(
              (day, index) =>
                html`<tr>
                  <th scope="row"><time datetime="${day}">${day}</time></th>
                  ${lines
                    .map(([, values, show]) => [itemAt(values, index), show] as const)
                    .map(([value, show]) => html`<td class="number" data-value="${value}">${show(value)}</td>`)}
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
    </details>
  </figure>`
}

/** Loads the script that draws the charts of a page, once for each page. */
export const chartScript = (prefix: string): Html =>
  html`<script type="module" src="${prefix}/assets/charts.js"></script>`
