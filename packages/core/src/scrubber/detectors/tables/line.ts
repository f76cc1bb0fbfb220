/** A line of a text after unescaping. In a JSON string, line breaks, tabs and quotes are escaped with backslashes. */
export interface Line {
  readonly text: string
  /** The index in the whole text at which the next line begins. */
  readonly next: number
  /** Returns the index in the whole text of a character of the line. */
  at(index: number): number
}

const LONGEST = 4096
const BREAK = /\r?\n|\\{1,8}(?:r\\{1,8})?n/
const ESCAPED = /\\{1,8}(?:t|")/g

/** Returns the line that begins at `from`, or null at the end of the text or for a line too long for a table. */
export function readLine(text: string, from: number): Line | null {
  const window = text.slice(from, from + LONGEST)
  const end = BREAK.exec(window)
  if (!end && (window.length === LONGEST || window === '')) return null
  const raw = end ? window.slice(0, end.index) : window
  const next = from + (end ? end.index + end[0].length : raw.length)
  return raw.includes('\\') ? { ...unescape(raw, from), next } : { text: raw, next, at: (index) => from + index }
}

function unescape(raw: string, from: number): Pick<Line, 'text' | 'at'> {
  const places: number[] = []
  let plain = ''
  let read = 0
  const copy = (stop: number): void => {
    for (let i = read; i < stop; i++) places.push(from + i)
    plain += raw.slice(read, stop)
  }
  for (const match of raw.matchAll(ESCAPED)) {
    copy(match.index)
    read = match.index + match[0].length
    places.push(from + match.index)
    plain += match[0].endsWith('t') ? '\t' : '"'
  }
  copy(raw.length)
  return { text: plain, at: (index) => places[index] ?? from + raw.length }
}

const LINE_NUMBER = /^ {0,8}\d{1,6}(?:→|\t)/

/** Returns a line without the line number or the mark `⎿` that a program added. Other lines are returned unchanged. */
export function withoutNumber(line: Line): Line {
  if (/^ {0,8}⎿/.test(line.text)) return { ...line, text: line.text.replace('⎿', ' ') }
  const from = LINE_NUMBER.exec(line.text)?.[0].length
  if (from === undefined) return line
  return { ...line, text: line.text.slice(from), at: (index) => line.at(index + from) }
}

/** Returns an index after `at` in a line that is too long for a table. Earlier text is not read again. */
export function skipLongLine(text: string, at: number): number {
  const end = BREAK.exec(text.slice(at, at + LONGEST))
  return at + (end?.index ?? LONGEST)
}

/** Returns the start of the line that contains `at`, or -1 if the line is too long for a table. */
export function lineStart(text: string, at: number): number {
  const before = text.slice(Math.max(0, at - LONGEST), at)
  let start = before.lastIndexOf('\n') + 1
  const escaped = before.slice(start).lastIndexOf('\\n')
  if (escaped >= 0) start += escaped + 2
  if (start === 0 && at > LONGEST) return -1
  return at - before.length + start
}

/** A cell without the spaces, quotes and `**` around its value. */
export interface Cell {
  readonly value: string
  readonly start: number
  readonly end: number
}

const isBlank = (code: number): boolean => code === 32 || code === 9
const isQuote = (code: number): boolean => code === 34 || code === 39 || code === 96

/** Returns the length of the mark at `at` that encloses a value: 1 for a quote, 2 for `**`, otherwise 0. */
const markAt = (text: string, at: number): number =>
  isQuote(text.charCodeAt(at)) ? 1 : text.startsWith('**', at) ? 2 : 0

/** Reads the cell between two indexes of a line. */
export function cellOf(line: Line, from: number, to: number): Cell {
  const { text } = line
  let start = from
  while (start < to && isBlank(text.charCodeAt(start))) start++
  start = Math.min(to, start + markAt(text, start))
  let end = Math.max(start, Math.min(to, text.length))
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  if (end > start && isQuote(text.charCodeAt(end - 1))) end--
  else if (end - start > 1 && text.startsWith('**', end - 2)) end -= 2
  return {
    value: text.slice(start, end),
    start: line.at(start),
    end: start === end ? line.at(start) : line.at(end - 1) + 1,
  }
}

const QUOTED = /[ \t]*"(?:[^"]|""){0,2000}"[ \t]*/y
const MOST_CELLS = 200

/** Splits a line at a delimiter. A delimiter inside double quotes is part of a cell. */
export function splitCells(line: Line, delimiter: string): Cell[] {
  const { text } = line
  const cells: Cell[] = []
  for (let from = 0; from <= text.length && cells.length < MOST_CELLS;) {
    QUOTED.lastIndex = from
    const mayBeQuoted = text.charCodeAt(from) === 34 || isBlank(text.charCodeAt(from))
    const isQuoted = mayBeQuoted && QUOTED.test(text) && (text[QUOTED.lastIndex] ?? delimiter) === delimiter
    const found = isQuoted ? QUOTED.lastIndex : text.indexOf(delimiter, from)
    const end = found < 0 ? text.length : found
    cells.push(cellOf(line, from, end))
    from = end + 1
  }
  return cells
}

/**
 * Creates the function that splits the lines of a table with bars.
 * @param dashes the line below the header. If it begins or ends with a bar, the other lines do too.
 */
export function barSplitter(dashes: Line): (line: Line) => Cell[] {
  const first = /^[^-─═:]*[|+│├╞]/.test(dashes.text) ? 1 : 0
  const last = /[|+│┤╡]\s*$/.test(dashes.text) ? -1 : undefined
  return (line) => splitCells(line, line.text.includes('│') ? '│' : '|').slice(first, last)
}
