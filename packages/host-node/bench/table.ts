/** A row of the results: a measurement and the baseline of the same run. */
export interface Row {
  readonly what: string
  readonly ours: string
  readonly baseline: string
  /** Our value divided by the baseline. */
  readonly ratio: number
  readonly goal: string
  /** Whether the value meets the goal. Null without a goal. */
  readonly met: boolean | null
}

/** Formats rows as a Markdown table. */
export function formatTable(rows: readonly Row[]): string {
  const head = '| what | ours | baseline of this run | ratio | goal | |\n|---|---|---|---|---|---|\n'
  return (
    head +
    rows
      .map(
        ({ what, ours, baseline, ratio, goal, met }) =>
          `| ${what} | ${ours} | ${baseline} | ${ratio.toFixed(2)} | ${goal} | ${met === null ? '' : met ? 'met' : 'missed'} |`,
      )
      .join('\n')
  )
}

/** Formats milliseconds with one decimal. */
export const formatMs = (value: number): string => `${value.toFixed(1)} ms`
