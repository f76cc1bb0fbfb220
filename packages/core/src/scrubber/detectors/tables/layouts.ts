import type { Finder, Hit, Findings } from '../../engine/findings.ts'
import { isPlaceholderWord } from '../../engine/placeholder.ts'
import type { KnownForm, Rule } from '../../engine/rule.ts'
import { formsOf } from '../identity/forms.ts'
import { areNames, isPersonName } from '../identity/person-name.ts'
import type { ScoreSecret, Candidate } from '../secrets/features.ts'
import { readColumns, isNameCell, type Column } from './column.ts'
import {
  barSplitter,
  cellOf,
  lineStart,
  readLine,
  skipLongLine,
  splitCells,
  withoutNumber,
  type Cell,
  type Line,
} from './line.ts'

/** Reads a table around a keyword. Returns the index up to which it read, so that no text is read twice. */
type Reader = (place: Place, open: Open) => number
type Place = Pick<Hit, 'text' | 'start' | 'end'>
/** Returns the context of a table with these columns, or null if no column is about a person or a secret. */
type Open = (names: readonly string[]) => TableContext | null

const tableFinder =
  (layout: string, scoreSecret: ScoreSecret, read: Reader): Finder =>
  (hit) => {
    const { rule, found } = hit
    const reach = found.reachOf(layout)
    if (hit.start < reach.end) return
    reach.end = read(hit, (names) => {
      const columns = readColumns(names)
      return columns && { columns, rule, found, scoreSecret }
    })
  }

/** Creates one finder for each layout of a table. A value is below, next to or after the name of its column. */
export const tableFinders = (
  scoreSecret: ScoreSecret,
): Readonly<Record<'delimitedTable' | 'ruledTable' | 'htmlTable' | 'insertedRows', Finder>> => ({
  delimitedTable: tableFinder('delimited', scoreSecret, readDelimited),
  ruledTable: tableFinder('ruled', scoreSecret, readRuled),
  htmlTable: tableFinder('html', scoreSecret, readHtml),
  insertedRows: tableFinder('inserted', scoreSecret, readInserted),
})

/** Returns the name of a column without the `+`, `-` or `>` of a diff or a quotation. */
const nameOf = ({ value }: Cell): string => value.replace(/^[+>-] ?/, '')
const HEADER_CELL = /^\(?[\p{L}_][\p{L}\d _.#/()'’°-]{0,39}$/u
/** The characters of a line of column names, with delimiters and quotes. Most sentences contain other characters. */
const HEADER_LINE = /^[\p{L}\d _.#/()’°>→+*"'`,\t;|-]*$/u
/** Returns whether all names may be names of columns. Parts of a call are not: `def login(name` and `password)`. */
const isHeader = (names: readonly string[]): boolean =>
  names.every((name) => HEADER_CELL.test(name) && name.includes('(') === name.includes(')'))
const RULE = /^[-+|:=\s│─┼├┤╪═╞╡└┴┘>#*]*$/

interface Rows {
  readonly split: (line: Line) => readonly Cell[]
  readonly isNumbered: boolean
  readonly context: TableContext
}

/**
 * Adds the rows from `from` on while they have as many cells as the header. A row may end with a delimiter. Returns the
 * end of the rows.
 */
function pushRows(text: string, from: number, { split, isNumbered, context }: Rows): number {
  let at = from
  for (let next = readLine(text, at); next; next = readLine(text, at)) {
    const line = isNumbered ? withoutNumber(next) : next
    if (line.text.trim() === '' || !RULE.test(line.text)) {
      const cells = split(line)
      const { length } = context.columns
      if (cells.length !== length && !(cells.length === length + 1 && cells[length]?.value === '')) break
      pushRow(cells.slice(0, length), context)
    }
    at = line.next
  }
  return at
}

/**
 * The class of each ASCII code: 1 for characters of `HEADER_LINE`, 2 for other characters, 0 for characters that may
 * end a line.
 */
const IN_HEADER = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code)
  return '\\\r\n'.includes(char) ? 0 : HEADER_LINE.test(char) ? 1 : 2
})
const HEADER_LIMIT = 4096

/** Returns the index up to which a line cannot be a header, or 0 if the whole line must be read. */
function skipSentence(text: string, start: number, end: number): number {
  let to = end
  while (to - end < HEADER_LIMIT && IN_HEADER[text.charCodeAt(to)] === 1) to++
  if (IN_HEADER[text.charCodeAt(to)] === 2) return to
  let from = start - 1
  while (start - from < HEADER_LIMIT && IN_HEADER[text.charCodeAt(from)] === 1) from--
  return IN_HEADER[text.charCodeAt(from)] === 2 ? to : 0
}

/**
 * Reads a header such as `name,password` and the lines below it with the same number of cells. The delimiter is a
 * comma, a tab, a semicolon or a bar.
 */
function readDelimited({ text, start, end }: Place, open: Open): number {
  const skipped = skipSentence(text, start, end)
  if (skipped > 0) return skipped
  const from = lineStart(text, start)
  const first = from < 0 ? null : readLine(text, from)
  if (!first) return Math.max(end, skipLongLine(text, start))
  const line = withoutNumber(first)
  if (!HEADER_LINE.test(line.text)) return first.next
  const [delimiter = ','] = /[\t;|]/.exec(line.text) ?? []
  const names = splitCells(line, delimiter).map(nameOf)
  const context = names.length > 1 && isHeader(names) ? open(names) : null
  const split = (row: Line): Cell[] => splitCells(row, delimiter)
  return context ? pushRows(text, line.next, { split, isNumbered: line !== first, context }) : line.next
}

/**
 * Reads a table with a header, a line of dashes, and rows, as in Markdown, psql, mysql and boxes. If there are no bars,
 * the dashes show where cells begin.
 */
function readRuled({ text, start, end }: Place, open: Open): number {
  const from = lineStart(text, start)
  const second = from < 1 ? null : readLine(text, from)
  if (!second) return Math.max(end, skipLongLine(text, start))
  const above = lineStart(text, from - (text[from - 1] === '\n' ? 1 : 2))
  const first = above < 0 ? null : readLine(text, above)
  const [header, dashes] = [first && withoutNumber(first), withoutNumber(second)]
  if (!header || !RULE.test(dashes.text)) return dashes.next
  const places = [...dashes.text.matchAll(/-+/g)].map(({ index }) => index)
  const split = /[|│]/.test(header.text)
    ? barSplitter(dashes)
    : (line: Line): Cell[] => places.map((place, i) => cellOf(line, place, places[i + 1] ?? line.text.length))
  const names = split(header).map(nameOf)
  const context = isHeader(names) ? open(names) : null
  return context ? pushRows(text, dashes.next, { split, isNumbered: header !== first, context }) : dashes.next
}

const HTML_LIMIT = 65_536
const ROW = /<tr[^>]{0,200}>/gi
const ROW_END = /<\/tr>/gi
const LONGEST_ROW = 8000
const CELL = /<t([hd])[^>]{0,200}>((?:\s{0,40}<(?!\/?t[hdr])[^>]{0,200}>){0,4}\s{0,40})([^<]{0,400}?)\s{0,40}(?=<)/gi

interface HtmlCell extends Cell {
  readonly isHeader: boolean
}

function htmlCells(row: string, start: number): HtmlCell[] {
  return [...row.matchAll(CELL)].map(({ 0: whole, 1: tag = '', 2: lead = '', 3: value = '', index }) => {
    const from = start + index + whole.indexOf('>') + 1 + lead.length
    return {
      value,
      start: from,
      end: from + value.length,
      isHeader: tag.toLowerCase() === 'h' || /<(?:b|strong)>$/i.test(lead),
    }
  })
}

/** Returns the rows of an HTML table. The end of a row is searched only once, even if many opening tags precede it. */
function htmlRows(table: string, from: number): HtmlCell[][] {
  const rows: HtmlCell[][] = []
  let close: RegExpExecArray | null = null
  ROW.lastIndex = 0
  for (let open = ROW.exec(table); open; open = ROW.exec(table)) {
    const inside = ROW.lastIndex
    if (!close || close.index < inside) {
      ROW_END.lastIndex = inside
      close = ROW_END.exec(table)
      if (!close) break
    }
    if (close.index - inside > LONGEST_ROW) continue
    ROW.lastIndex = close.index + close[0].length
    rows.push(htmlCells(table.slice(open.index, ROW.lastIndex), from + open.index))
  }
  return rows
}

/** Reads an HTML table: the rows below a row of headers, or the cell after a header in the same row. */
function readHtml({ text, start }: Place, open: Open): number {
  const from = Math.max(0, start - 400)
  const window = text.slice(from, start + HTML_LIMIT)
  const close = /<\/table/i.exec(window.slice(start - from))
  const to = close ? start - from + close.index : window.length
  const rows = htmlRows(window.slice(0, to), from)
  for (const [label, cell] of rows)
    if (label?.isHeader && cell && !cell.isHeader) {
      const context = open([label.value])
      if (context) pushRow([cell], context)
    }
  const header = rows.findIndex((cells) => cells.length > 0 && cells.every((cell) => cell.isHeader))
  const [names, ...below] = header < 0 ? [] : rows.slice(header)
  const context = names ? open(names.map(({ value }) => value)) : null
  if (context) for (const cells of below) if (cells.length === context.columns.length) pushRow(cells, context)
  return from + to
}

const INTO =
  /(?:insert\s[\w\s]{0,24}into|replace into)\s{1,4}[\w."`[\]\\]{1,160}\s{0,8}\(([^()]{1,2000})\)(?:\s|\\n){0,16}$/i
/** A value in SQL: a string, or any other text with paired brackets. A comma or the closing bracket ends the value. */
const SQL_VALUE =
  /(?:\s|\\n){0,16}(?:[nNeEbB]?'((?:[^'\\]|\\.|''){0,4000})'|\\{0,3}"((?:[^"\\]|\\[^"]){0,4000})\\{0,3}"|(?:[^,()'"]|\((?:[^()']|'[^']{0,400}'){0,200}\)){0,400})(?:\s|\\n){0,16}(?=[,)])/y
const TUPLE = /(?:\s|\\n){0,64}\(/y
const COMMA = /(?:\s|\\n){0,16},/y

/** Reads every row of `INSERT INTO users (name, password) VALUES (...), (...)`. */
function readInserted({ text, start, end }: Place, open: Open): number {
  const list = INTO.exec(text.slice(Math.max(0, start - 2200), start))?.[1]
  const context = list && open(list.split(',').map((name) => name.replace(/\\n|[\s"'`[\]\\]/g, '')))
  let at = end
  while (context) {
    TUPLE.lastIndex = at
    if (!TUPLE.test(text)) break
    const cells: Cell[] = []
    at = TUPLE.lastIndex
    do {
      SQL_VALUE.lastIndex = at
      const match = SQL_VALUE.exec(text)
      if (!match) return at
      const value = match[1] ?? match[2] ?? ''
      const from = at + match[0].indexOf(value)
      cells.push({ value, start: from, end: from + value.length })
      at = SQL_VALUE.lastIndex + 1
    } while (text[at - 1] === ',')
    if (cells.length === context.columns.length) pushRow(cells, context)
    COMMA.lastIndex = at
    if (!COMMA.test(text)) break
    at = COMMA.lastIndex
  }
  return at
}

/** Types and other words in a table that describes columns. Such words occur instead of values. */
const DESCRIPTION =
  /^(?:string|text|(?:n?var)?char.*|int.*|big ?int|number|numeric.*|bool.*|date|timestamp.*|uuid|json|yes|no|required|optional|-+|null|none|hash(?:ed)?|encrypted|x|y|n|✓|✗|NULL|default|true|false)$/i

/** Returns whether a cell is a placeholder for a value, and not a number with an area code in brackets. */
const isPlaceholder = (cell: string): boolean => isPlaceholderWord(cell) && !/^\(\d/.test(cell)

const PASSWORD = { category: 'password', placeholder: 'PASSWORD' }
const SECRET = { category: 'secret', placeholder: 'SECRET' }

/** The properties of a table that its rows use. */
interface TableContext {
  readonly columns: readonly (Column | null)[]
  readonly rule: Rule
  readonly found: Findings
  readonly scoreSecret: ScoreSecret
}

/** Adds a finding for each cell of a row that matches the meaning of its column. */
function pushRow(cells: readonly Cell[], context: TableContext): void {
  const { columns } = context
  const cellOf = (kind: Column['kind']): Cell | undefined => cells[columns.findIndex((column) => column?.kind === kind)]
  const last = cellOf('last')
  // In a row with a last name, `nombre` is a first name.
  pushName(cellOf('first') ?? (last && cellOf('any')), last, context)
  for (const [i, cell] of cells.entries()) {
    const column = columns[i]
    if (!column || cell.value.length < 3 || DESCRIPTION.test(cell.value) || isPlaceholder(cell.value)) continue
    if (column.kind === 'secret') pushSecret(cell, column, context)
    else if (column.kind === 'value') {
      const { value, start, end } = cell
      if (column.accepts(value)) context.found.push({ start, end, rule: { id: context.rule.id, ...column.as }, value })
    } else if ((column.kind === 'person' || column.kind === 'any') && isNameCell(cell.value))
      pushPerson([cell], cell.value, context)
  }
}

function pushSecret(cell: Cell, { name, keyClass }: Pick<Candidate, 'name' | 'keyClass'>, context: TableContext): void {
  const { value, start, end } = cell
  const candidate: Candidate = {
    site: 'cell',
    keyClass,
    name,
    raw: value,
    quote: '"',
    operator: '|',
    spaced: true,
    next: '',
    lead: '',
    scheme: false,
    bracketed: false,
    followsUser: false,
  }
  const score = context.scoreSecret(candidate)
  if (score === null) return
  const as = keyClass === 'password' ? PASSWORD : SECRET
  context.found.push({ start, end, rule: { id: context.rule.id, ...as }, value, score })
}

/** An apostrophe, which SQL writes as two quotes. */
const APOSTROPHE = /''?|’/g

/** Adds the person whose first and last name are in two cells of a row. */
function pushName(first: Cell | undefined, last: Cell | undefined, context: TableContext): void {
  const parts = [first, last].filter(
    (cell) => cell !== undefined && areNames(cell.value.replace(APOSTROPHE, '')),
  ) as Cell[]
  if (parts.length === 0 || parts.length < Number(first !== undefined) + Number(last !== undefined)) return
  const name = parts.map(({ value }) => value.replace(APOSTROPHE, "'")).join(' ')
  if (parts.length === 1 || isPersonName(name)) pushPerson(parts, name, context)
}

function pushPerson(cells: readonly Cell[], name: string, { found, rule }: TableContext): void {
  const forms = (): readonly KnownForm[] => formsOf('person', name)
  const as = { id: rule.id, category: 'person', placeholder: 'PERSON', kind: 'probable' } as const
  for (const { start, end } of cells) found.push({ start, end, rule: as, value: name.toLowerCase(), forms })
}
