/** One line of the bench: what was measured, beside the floor of the same run. */
export interface Row {
  readonly what: string
  readonly ours: string
  readonly floor: string
  /** Ours through the floor's. */
  readonly ratio: number
  readonly goal: string
  /** Null where no goal is set: then the line says nothing of it. */
  readonly met: boolean | null
}

/** The lines as a Markdown table, so that it can be pasted as it is. */
export function table(rows: readonly Row[]): string {
  const head = '| what | ours | floor of this run | ratio | goal | |\n|---|---|---|---|---|---|\n'
  return (
    head +
    rows
      .map(
        ({ what, ours, floor, ratio, goal, met }) =>
          `| ${what} | ${ours} | ${floor} | ${ratio.toFixed(2)} | ${goal} | ${met === null ? '' : met ? 'met' : 'missed'} |`,
      )
      .join('\n')
  )
}

/** Milliseconds with one decimal. */
export const ms = (value: number): string => `${value.toFixed(1)} ms`
