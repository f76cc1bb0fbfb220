/** Everything outside the program that a command uses. Tests can replace it. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  /** The name of the machine, which the person who authorizes it sees. */
  readonly machine: string
  /** Whether a person reads the output. If so, the output may be redrawn and coloured. */
  readonly interactive: boolean
  readonly fetch: typeof fetch
  /** The current time in milliseconds, from which rates are computed. */
  readonly now: () => number
  /** Writes the result of a command to stdout. */
  out(text: string): void
  /** Writes a message to stderr. */
  note(text: string): void
  /** Redraws the progress line on stderr. If the output cannot be redrawn, it writes another line. */
  progress(text: string): void
  wait(ms: number): Promise<void>
  /** Asks a question and returns the answer. Returns an empty text without a terminal. */
  ask(question: string): Promise<string>
  /** Sets the text that Ctrl-C prints before it ends the program. */
  onInterrupt(message: string): void
  /** Opens a page in the browser. Does nothing without a person at the terminal. */
  openBrowser(url: string): void
}

/** The result of a command, for programs and for readers. */
export interface CommandResult {
  readonly json: Readonly<Record<string, unknown>>
  readonly text: string
  /** Commands that make sense next, without the name of the program. */
  readonly nextSteps?: readonly string[]
  readonly failed?: boolean
}

/** A failure that the reader can solve. The message says how. */
export class CommandError extends Error {
  readonly code: string
  readonly exitCode: number
  readonly nextSteps: readonly string[]
  constructor(code: string, message: string, exitCode = 1, nextSteps: readonly string[] = []) {
    super(message)
    this.code = code
    this.exitCode = exitCode
    this.nextSteps = nextSteps
  }
}

/** Asks for yes or no. Returns false without a terminal. */
export async function confirm(terminal: Terminal, question: string): Promise<boolean> {
  return /^y(es)?$/i.test((await terminal.ask(`${question} [y/N] `)).trim())
}

/** Formats rows as aligned columns; columns named in `right` are aligned to the right. */
export function formatTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  right: readonly string[] = [],
): string {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const formatRow = (cells: readonly string[]): string =>
    cells
      .map((cell, column) =>
        right.includes(head[column]!) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!),
      )
      .join('  ')
      .trimEnd()
  return [formatRow(head), formatRow(widths.map((width) => '-'.repeat(width))), ...rows.map(formatRow)].join('\n')
}

/**
 * Makes text of the service or of a file safe to print: on one line, without control characters or invisible
 * characters.
 */
export function toPlainText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, ' ')
}

/** Works as `toPlainText`, but keeps line breaks and tabs. */
export function toPlainLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.split('\t').map(toPlainText).join('\t'))
    .join('\n')
}

export function formatBytes(count: number): string {
  if (count < 1024) return `${count} B`
  return count < 1024 * 1024 ? `${(count / 1024).toFixed(1)} KB` : `${(count / 1024 / 1024).toFixed(1)} MB`
}

export function formatCount(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}

/** Makes text bold yellow on a terminal. */
export function highlightText(text: string, { interactive, env }: Terminal): string {
  return interactive && env['NO_COLOR'] === undefined ? `\u001b[1;33m${text}\u001b[0m` : text
}
