import { html, type Html } from '../http/html.ts'

/**
 * Renders numbers by day as a chart with the table behind it. The script of `chartScript` draws the chart from the
 * table and folds the table; without the script the table is shown.
 */
export function figure(options: {
  title: string
  /** UTC days, oldest first. */
  days: readonly string[]
  /** The columns of the table, each with a formatted number for every day. */
  lines: readonly (readonly [heading: string, values: readonly string[]])[]
  /**
   * How many of the columns the chart draws, the first of them: 1 or 2, which are distinguished without colour. Default:
   * all.
   */
  drawn?: number
}): Html {
  const { title, days, lines, drawn = lines.length } = options
  return html`<figure class="chart" data-lines="${drawn}">
    <figcaption>${title}</figcaption>
    <div class="plot" aria-hidden="true"></div>
    <p class="legend" aria-hidden="true"></p>
    <details open>
      <summary>${title} as a table</summary>
      <div class="table" role="region" aria-label="${title} by day" tabindex="0">
        <table>
          <caption>
            By UTC day.
          </caption>
          <thead>
            <tr>
              <th scope="col">Day</th>
              ${lines.map(([heading]) => html`<th scope="col" class="number">${heading}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${days.map(
              (day, index) =>
                html`<tr>
                  <th scope="row"><time datetime="${day}">${day}</time></th>
                  ${lines.map(([, values]) => html`<td class="number">${values[index]}</td>`)}
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
