/** Everything that a command touches of its surroundings, so that tests hand over their own. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  /** The machine's name, shown to whoever approves the login. */
  readonly machine: string
  /** Whether progress may redraw its line. */
  readonly interactive: boolean
  readonly fetch: typeof fetch
  /** What a command answers: stdout. */
  out(text: string): void
  /** Progress and errors: stderr. */
  note(text: string): void
  /** Rewrites the progress line (interactive), or writes another. */
  progress(text: string): void
  wait(ms: number): Promise<void>
  /** Asks on the terminal for yes or no; no where nobody can answer. */
  confirm(question: string): Promise<boolean>
}

/** An end of a command that the reader can do something about. */
export class Stop extends Error {
  readonly code: string
  readonly exit: number
  constructor(code: string, message: string, exit = 1) {
    super(message)
    this.code = code
    this.exit = exit
  }
}

/** Rows as aligned columns; columns named in `right` are flushed right, as numbers want to be. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  right: readonly string[] = [],
): string {
  const widths = head.map((name, i) => Math.max(name.length, ...rows.map((row) => row[i]?.length ?? 0)))
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => (right.includes(head[i]!) ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!)))
      .join('  ')
      .trimEnd()
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}

/** Text of the service's or of a file's, made safe to print: no control characters, no escape sequences, nothing that hides. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, ' ')
}

export function bytes(count: number): string {
  if (count < 1024) return `${count} B`
  return count < 1024 * 1024 ? `${(count / 1024).toFixed(1)} KB` : `${(count / 1024 / 1024).toFixed(1)} MB`
}

export function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}
