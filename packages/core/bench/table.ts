/** Returns rows as a Markdown table, with numbers aligned to the right. */
export function markdownTable(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = [head, ...rows].map((row) => row.map(String))
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!))).join(' | ')} |`
  const rule = `| ${widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`
  return `${[line(cells[0]!), rule, ...cells.slice(1).map(line)].join('\n')}\n`
}

/** Prints rows as a Markdown table under a title. */
export function table(title: string, head: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  console.log(`### ${title}\n\n${markdownTable(head, rows)}`)
}

export const percent = (part: number, whole: number): string =>
  whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`
