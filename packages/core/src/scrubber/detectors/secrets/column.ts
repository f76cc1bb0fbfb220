import { reachOf } from '../../engine/scan-progress.ts'
import type { Finding, Rule } from '../../engine/rule.ts'
import { isPlaceholderWord } from './placeholder-word.ts'

const HEADER_LIMIT = 400
const ROWS = 500
const HEADER_CELL = /^["']?[\p{L}][\p{L}\d _.-]{0,39}["']?$/u
const KINDS: readonly (readonly [name: RegExp, rule: Omit<Finding['rule'], 'id'>, value: RegExp])[] = [
  [/^(?:user_?)?pass(?:word|wd|phrase)?$/i, { category: 'password', placeholder: 'PASSWORD' }, /^\S{4,128}$/],
  [
    /^(?:api_?key|secret|(?:access|client)_?(?:token|secret|key)|token)$/i,
    { category: 'secret', placeholder: 'SECRET' },
    /^(?=.*\d)\S{8,512}$/,
  ],
  [/^(?:ssn|social_?security(?:_?number)?)$/i, { category: 'ssn', placeholder: 'SSN' }, /^\d{3}-?\d{2}-?\d{4}$/],
  [
    /^(?:dob|date_?of_?birth|birth_?date|birthday)$/i,
    { category: 'date_of_birth', placeholder: 'DATE_OF_BIRTH' },
    /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}$/,
  ],
]
/** Types and words that a table which describes columns has in place of values. */
const DESCRIPTION =
  /^(?:string|text|varchar.*|char.*|int.*|number|bool.*|yes|no|required|optional|-+|:?-+:?|null|hash(?:ed)?|encrypted|x|y|✓|✗)$/i

/** Finds the values of columns named `password`, `ssn`, `dob` and the like in CSV, Markdown and HTML tables. */
export function findColumn(text: string, start: number, end: number, rule: Rule, found: Finding[]): void {
  const reach = reachOf(found, 'column')
  if (start < reach.end) return
  if (text[start] === '<') return findHtmlColumn(text, start, rule, found)
  const from = text.lastIndexOf('\n', start) + 1
  const headerEnd = lineEnd(text, end)
  if (start - from > HEADER_LIMIT || headerEnd - from > HEADER_LIMIT) return
  const header = text.slice(from, headerEnd)
  const delimiter = header.includes('|') ? '|' : header.includes('\t') ? '\t' : ','
  const names = cellsOf(header, delimiter).map(({ value }) => value)
  if (names.length < 2 || !names.every((name) => HEADER_CELL.test(name))) return
  reach.end = headerEnd
  let at = headerEnd + 1
  for (let row = 0; row < ROWS && at < text.length; row++) {
    const stop = lineEnd(text, at)
    if (stop - at > 4096) return
    const line = text.slice(at, stop)
    const cells = cellsOf(line, delimiter)
    if (cells.length !== names.length) return
    for (const [i, cell] of cells.entries()) pushCell(names[i]!, cell.value, at + cell.start, rule, found)
    at = stop + 1
    reach.end = stop
  }
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end < 0 ? text.length : end
}

/** The cells of a line without the blanks and bars around them. */
function cellsOf(line: string, delimiter: string): { value: string; start: number }[] {
  const cells: { value: string; start: number }[] = []
  let from = 0
  for (const part of line.split(delimiter)) {
    const value = part.trim()
    cells.push({ value, start: from + part.indexOf(value) })
    from += part.length + 1
  }
  return delimiter === '|'
    ? cells.slice(cells[0]!.value === '' ? 1 : 0, cells.at(-1)!.value === '' ? -1 : undefined)
    : cells
}

function pushCell(name: string, cell: string, start: number, rule: Rule, found: Finding[]): void {
  const kind = KINDS.find(([pattern]) =>
    pattern.test(name.replace(/["' .-]/g, (char) => (char === '"' || char === "'" ? '' : '_'))),
  )
  if (!kind) return
  const quote = /^["']/.test(cell) ? 1 : 0
  const value = quote ? cell.slice(1, -1) : cell
  if (!kind[2].test(value) || DESCRIPTION.test(value) || isPlaceholderWord(value) || /^[$<%{[]/.test(value)) return
  found.push({ start: start + quote, end: start + quote + value.length, rule: { id: rule.id, ...kind[1] }, value })
}

const CELL = /<t[hd][^>]{0,80}>\s{0,20}([^<]{0,200}?)\s{0,20}<\/t[hd]>/g

/** One header row of an HTML table and the rows behind it. */
function findHtmlColumn(text: string, start: number, rule: Rule, found: Finding[]): void {
  const open = text.lastIndexOf('<tr', start)
  if (open < 0 || start - open > HEADER_LIMIT) return
  const reach = reachOf(found, 'column')
  const window = text.slice(open, open + 16_384)
  reach.end = open + window.length
  const rows = window.split(/<\/tr>/i)
  const names = [...rows[0]!.matchAll(CELL)].map((cell) => cell[1]!)
  let from = open + rows[0]!.length + 5
  for (const row of rows.slice(1)) {
    const cells = [...row.matchAll(CELL)]
    if (cells.length === names.length)
      for (const [i, cell] of cells.entries())
        pushCell(
          names[i]!,
          cell[1]!,
          from +
            cell.index +
            cell[0].indexOf(`>`) +
            1 +
            /^\s*/.exec(cell[0].slice(cell[0].indexOf('>') + 1))![0].length,
          rule,
          found,
        )
    from += row.length + 5
  }
}
