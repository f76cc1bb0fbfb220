import { styleText } from 'node:util'
import type { Replacement } from '@tributary/core/scrub'

/** One replacement in its context, as `--diff` shows it. `line` and `column` count from 1 in the scrubbed text. */
export interface DiffLine extends Pick<Replacement, 'placeholder' | 'category' | 'rule' | 'kind' | 'score'> {
  readonly line: number
  readonly column: number
  /** The line as it would be stored, shortened around the placeholder. */
  readonly context: string
  /** The offset of the placeholder in `context`. */
  readonly contextOffset: number
  /** The replaced text, only with `--show-values`. Null if it is not known. */
  readonly value?: string | null
}

const contextLength = 160

/**
 * Returns each replacement in a file with the text around it. With `original`, each also contains the replaced value.
 */
export function diffLines(
  scrubbed: string,
  replacements: readonly Replacement[],
  original: string | null = null,
): DiffLine[] {
  let [line, lineStart, counted] = [1, 0, 0]
  return replacements.map((replacement) => {
    const { placeholder, category, rule, kind, score, offset } = replacement
    for (let end = scrubbed.indexOf('\n', counted); end >= 0 && end < offset; end = scrubbed.indexOf('\n', end + 1)) {
      line++
      lineStart = end + 1
    }
    counted = Math.max(lineStart, counted)
    const lineEnd = scrubbed.indexOf('\n', offset)
    const start = Math.max(lineStart, offset - contextLength / 2)
    const end = Math.min(lineEnd < 0 ? scrubbed.length : lineEnd, start + contextLength)
    const before = `${start > lineStart ? '…' : ''}${printable(scrubbed.slice(start, offset))}`.trimStart()
    const after = printable(scrubbed.slice(offset, Math.max(end, offset + placeholder.length)))
    const context = `${before}${after}${end < (lineEnd < 0 ? scrubbed.length : lineEnd) ? '…' : ''}`
    const shown = { line, column: offset - lineStart + 1, placeholder, category, rule, kind, score, context }
    const value = replacement.original && original?.slice(replacement.original.start, replacement.original.end)
    return { ...shown, contextOffset: before.length, ...(original === null ? {} : { value: value ?? null }) }
  })
}

/** Removes control characters, because a terminal would execute them. */
function printable(text: string): string {
  return text.replace(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/g, '')
}

/** Formats the replacements of a file for a person. `isColored` adds the colors of a terminal. */
export function formatDiff(file: string, lines: readonly DiffLine[], isColored: boolean): string[] {
  const color = (style: Parameters<typeof styleText>[0], text: string): string =>
    isColored ? styleText(style, text, { validateStream: false }) : text
  return lines.flatMap(({ line, column, placeholder, category, rule, kind, score, context, contextOffset, value }) => {
    const behind = contextOffset + placeholder.length
    const place = `${file}:${line}:${column}`
    const marked = context.slice(0, contextOffset) + color('green', placeholder) + context.slice(behind)
    const removed =
      value === undefined ? [] : [`  - ${color('red', value === null ? '(not known)' : printable(value))}`]
    return [`${color('dim', place)} ${category} (${rule}, ${kind}, score ${score})`, ...removed, `  + ${marked}`]
  })
}
