import { html, type Html } from './html.ts'
import { dateOfDay } from '../ids.ts'

/** Width of a day and height of the chart, in units of its view box. */
const [dayWidth, chartHeight] = [20, 120]

/** A day of a chart. */
export interface DayBar {
  /** The UTC day, as the number of days since 1970. */
  readonly day: number
  /** The value that the height of the bar shows; 0 or less is an empty day. */
  readonly value: number
  readonly text: Html
}

/** Renders a bar for each UTC day of a range, with the highest value and the first and last day as text. */
export function dayChart(options: {
  readonly id: string
  readonly caption: Html
  readonly bars: readonly DayBar[]
  readonly fromDay: number
  readonly toDay: number
}): Html {
  const { id, caption, bars, fromDay, toDay } = options
  const byDay = new Map(bars.map((bar) => [bar.day, bar]))
  const highest = bars.reduce<DayBar | null>((most, bar) => (most && most.value >= bar.value ? most : bar), null)
  const most = Math.max(highest?.value ?? 0, 1)
  const days = Array.from({ length: toDay - fromDay + 1 }, (_, at) => fromDay + at)
  const bar = (day: number): Html => {
    const { value = 0, text = null } = byDay.get(day) ?? {}
    const height = value <= 0 ? 1 : Math.max((value / most) * chartHeight, 2)
    return html`<rect
      x="${(day - fromDay) * dayWidth + 2}"
      y="${(chartHeight - height).toFixed(1)}"
      width="${dayWidth - 4}"
      height="${height.toFixed(1)}"
      ${value <= 0 ? html` class="none"` : null}
    >
      <title>${dateOfDay(day)}${text && html`: ${text}`}</title>
    </rect>`
  }
  return html`<figure>
    <p class="scale" aria-hidden="true"><span>${highest?.text}</span></p>
    <svg
      class="bars"
      viewBox="0 0 ${days.length * dayWidth} ${chartHeight}"
      preserveAspectRatio="none"
      role="img"
      aria-labelledby="${id}"
    >
      ${days.map(bar)}
    </svg>
    <p class="scale" aria-hidden="true">
      <time datetime="${dateOfDay(fromDay)}">${dateOfDay(fromDay)}</time>
      <time datetime="${dateOfDay(toDay)}">${dateOfDay(toDay)}</time>
    </p>
    <figcaption id="${id}">${caption}</figcaption>
  </figure>`
}
