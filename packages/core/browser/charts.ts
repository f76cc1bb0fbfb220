/**
 * Draws the charts of the operator pages from the tables next to them: the first column of a table is the UTC day, and
 * each other column is a line of the chart. Without this script the tables are expanded and show the same data.
 */
import uPlot from 'uplot'

/** The styles of the lines of a chart: a color of the style sheet and a dash pattern, so that color is not needed. */
const lines: readonly { readonly color: string; readonly dash: number[] }[] = [
  { color: '--accent', dash: [] },
  { color: '--soft', dash: [6, 4] },
  { color: '--good', dash: [2, 3] },
]
const styleOf = (index: number) => lines[index % lines.length]!
const height = 200
/** The allowed distances between the labels of an axis that shows counts. */
const wholeSteps = Array.from({ length: 12 }, (_, n) => [1, 2, 5].map((step) => step * 10 ** n)).flat()
const language = document.documentElement.lang
const compact = { notation: 'compact', minimumFractionDigits: 0, maximumFractionDigits: 2 } as const
/** All labels of an axis in dollars have decimals if one of them is not a whole number of dollars. */
const cents = { ...compact, minimumFractionDigits: 2 } as const
const dollars = { style: 'currency', currency: 'USD' } as const

/** Reads a table in the form that uPlot needs: the days in seconds since 1970, then the numbers of each column. */
function readTable(table: HTMLTableElement, drawn: number): { columns: string[]; data: uPlot.AlignedData } {
  const rows = [...table.tBodies[0]!.rows]
  const headings = [...table.tHead!.rows[0]!.cells].map((cell) => cell.textContent!.trim())
  const columns = headings.slice(1, drawn + 1)
  const days = rows.map((row) => Date.parse(row.cells[0]!.textContent!.trim()) / 1000)
  const numbers = columns.map((_, index) => rows.map((row) => Number(row.cells[index + 1]!.dataset['value'])))
  return { columns, data: [days, ...numbers] }
}

function drawChart(figure: HTMLElement): void {
  const place = figure.querySelector<HTMLElement>('.plot')!
  const { columns, data } = readTable(figure.querySelector('table')!, Number(figure.dataset['lines']))
  const areWhole = data.slice(1).every((line) => Array.from(line as ArrayLike<number>).every(Number.isInteger))
  const legend = figure.querySelector<HTMLElement>('.legend')!
  const unit = figure.hasAttribute('data-usd') ? dollars : {}
  const formatMarks = (marks: number[]): string[] => {
    const digits = unit === dollars && !marks.every(Number.isInteger) ? cents : compact
    const { format } = new Intl.NumberFormat(language, { ...unit, ...digits })
    return marks.map((mark) => format(mark))
  }
  const amounts = new Intl.NumberFormat(language, unit)
  /**
   * Shows the names of the lines, with the values of the day under the pointer. A chart's only line is named by the
   * chart's title.
   */
  const showLegend = (index: number | null | undefined): void => {
    const day = index == null ? '' : new Date(data[0][index]! * 1000).toISOString().slice(0, 10)
    const named = index == null && columns.length === 1 ? [] : columns
    const items = named.map((column, line) => {
      const item = document.createElement('span')
      item.textContent = index == null ? column : `${column}: ${amounts.format(data[line + 1]![index]!)}`
      return item
    })
    legend.replaceChildren(...items, day)
  }
  const style = getComputedStyle(figure)
  const color = (name: string): string => style.getPropertyValue(name).trim()
  const axis = { stroke: color('--soft'), grid: { stroke: color('--line'), width: 1 }, ticks: { show: false } }
  place.replaceChildren()
  new uPlot(
    {
      width: place.clientWidth,
      height,
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'UTC'),
      cursor: { y: false, drag: { x: false, y: false } },
      legend: { show: false },
      hooks: { setCursor: [(plot) => showLegend(plot.cursor.idx)] },
      scales: { y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] } },
      axes: [
        { ...axis, size: 36, gap: 10, values: [[86_400, '{D} {MMM}', null, null, null, null, null, null, 1]] },
        {
          ...axis,
          size: 56,
          ...(areWhole ? { incrs: wholeSteps } : {}),
          values: (_, marks) => formatMarks(marks),
        },
      ],
      series: [
        {},
        ...columns.map((label, index): uPlot.Series => ({
          label,
          stroke: color(styleOf(index).color),
          dash: styleOf(index).dash,
          ...(columns.length === 1 ? { fill: color('--wash') } : {}),
          width: 2,
          points: { show: data[0].length === 1 },
        })),
      ],
    },
    data,
    place,
  )
  showLegend(null)
}

const figures = [...document.querySelectorAll<HTMLElement>('figure.chart')]
const drawAll = (): void => figures.forEach(drawChart)
for (const figure of figures) figure.querySelector('details')!.open = false
drawAll()
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll)
let width = innerWidth
addEventListener('resize', () => {
  if (innerWidth !== width) drawAll()
  width = innerWidth
})
