import { reachOf } from '../../engine/scan-progress.ts'
import type { Finder, Finding, Rule } from '../../engine/rule.ts'
import { classifyFieldName } from '../identity/field-name.ts'
import { readColumns } from './column.ts'
import { barSplitter, cellOf, lineStart, readLine, skipLongLine, splitCells, type Cell, type Line } from './line.ts'
import { pushRow, type TableContext } from './row.ts'
import type { ScoreSecret } from '../secrets/candidate.ts'

/** Reads a table of one layout around a keyword. Returns how far it read, so that nothing is read twice. */
type Reader = (text: string, start: number, end: number, open: Open) => number
/** Opens a table by the names of its columns; null where none of them says anything of a person or a secret. */
type Open = (names: readonly string[]) => TableContext | null

const tableFinder =
  (layout: string, scoreSecret: ScoreSecret, read: Reader): Finder =>
  (text: string, start: number, end: number, rule: Rule, found: Finding[]) => {
    const reach = reachOf(found, layout)
    if (start < reach.end) return
    reach.end = read(text, start, end, (names) => {
      const columns = readColumns(names)
      return columns && { columns, rule, found, scoreSecret }
    })
  }

/** Makes the finders of values below, beside or behind the name of their column, one for each layout of a table. */
export const tableFinders = (scoreSecret: ScoreSecret): Readonly<Record<string, Finder>> => ({
  delimitedTable: tableFinder('delimited', scoreSecret, readDelimited),
  ruledTable: tableFinder('ruled', scoreSecret, readRuled),
  htmlTable: tableFinder('html', scoreSecret, readHtml),
  insertedRows: tableFinder('inserted', scoreSecret, readInserted),
  copiedRows: tableFinder('copied', scoreSecret, readCopied),
  verticalRecord: tableFinder('vertical', scoreSecret, readVertical),
  fixedWidthTable: tableFinder('fixed', scoreSecret, readFixedWidth),
})

/** Returns the name of a column; the sign of a diff or a quotation may lead the first. */
const nameOf = ({ value }: Cell): string => value.replace(/^[+>-] ?/, '')
const HEADER_CELL = /^\(?[\p{L}_][\p{L}\d _.#/()'’°-]{0,39}$/u
/** The characters of a line of such names, with what delimits and quotes them: most sentences have others. */
const HEADER_LINE = /^[\p{L}\d _.#/()’°>+*"'`,\t;|-]*$/u
const isHeader = (names: readonly string[]): boolean => names.every((name) => HEADER_CELL.test(name))
const RULE = /^[-+|:=\s│─┼├┤╪═╞╡└┴┘>#*]*$/

/** Adds the rows from `from` on, as long as they have as many cells as the header. Returns where they end. */
function pushRows(text: string, from: number, split: (line: Line) => readonly Cell[], context: TableContext): number {
  let at = from
  for (let line = readLine(text, at); line; line = readLine(text, at)) {
    if (line.text.trim() === '' || !RULE.test(line.text)) {
      const cells = split(line)
      if (cells.length !== context.columns.length) break
      pushRow(cells, context)
    }
    at = line.next
  }
  return at
}

/** By code of ASCII: 1 for what `HEADER_LINE` has, 2 for what it has not, 0 for what may end a line. */
const IN_HEADER = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code)
  return '\\\r\n'.includes(char) ? 0 : HEADER_LINE.test(char) ? 1 : 2
})
const HEADER_LIMIT = 4096

/** Returns up to where the line around a keyword is certainly no header; 0 where all of it must be read to know. */
function skipSentence(text: string, start: number, end: number): number {
  let to = end
  while (to - end < HEADER_LIMIT && IN_HEADER[text.charCodeAt(to)] === 1) to++
  if (IN_HEADER[text.charCodeAt(to)] === 2) return to
  let from = start - 1
  while (start - from < HEADER_LIMIT && IN_HEADER[text.charCodeAt(from)] === 1) from--
  return IN_HEADER[text.charCodeAt(from)] === 2 ? to : 0
}

/** Reads `name,password` and lines of as many cells: commas, tabs, semicolons or bars. */
function readDelimited(text: string, start: number, end: number, open: Open): number {
  const skipped = skipSentence(text, start, end)
  if (skipped > 0) return skipped
  const from = lineStart(text, start)
  const line = from < 0 ? null : readLine(text, from)
  if (!line) return Math.max(end, skipLongLine(text, start))
  if (!HEADER_LINE.test(line.text)) return line.next
  const delimiter = /[,\t;|]/.exec(text.slice(start, end))![0]
  const names = splitCells(line, delimiter).map(nameOf)
  const context = names.length > 1 && isHeader(names) ? open(names) : null
  return context ? pushRows(text, line.next, (row) => splitCells(row, delimiter), context) : line.next
}

/**
 * Reads a header, a line of dashes, and rows: Markdown, psql, mysql and boxes; without bars the dashes say where cells
 * begin.
 */
function readRuled(text: string, start: number, end: number, open: Open): number {
  const from = lineStart(text, start)
  const dashes = from < 1 ? null : readLine(text, from)
  if (!dashes) return Math.max(end, skipLongLine(text, start))
  const above = lineStart(text, from - (text[from - 1] === '\n' ? 1 : 2))
  const header = above < 0 ? null : readLine(text, above)
  if (!header || !RULE.test(dashes.text)) return dashes.next
  const places = [...dashes.text.matchAll(/-+/g)].map(({ index }) => index)
  const split = /[|│]/.test(header.text)
    ? barSplitter(dashes)
    : (line: Line): Cell[] => places.map((place, i) => cellOf(line, place, places[i + 1] ?? line.text.length))
  const names = split(header).map(nameOf)
  const context = isHeader(names) ? open(names) : null
  return context ? pushRows(text, dashes.next, split, context) : dashes.next
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
  return [...row.matchAll(CELL)].map(({ 0: whole, 1: tag, 2: lead, 3: value, index }) => {
    const from = start + index + whole.indexOf('>') + 1 + lead!.length
    return {
      value: value!,
      start: from,
      end: from + value!.length,
      isHeader: tag!.toLowerCase() === 'h' || /<(?:b|strong)>$/i.test(lead!),
    }
  })
}

/** Returns the rows of a table. The end of a row is searched once, however many tags of rows stand before it. */
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

/** Reads the rows below a row of headers, and cells beside a header of their own. */
function readHtml(text: string, start: number, _end: number, open: Open): number {
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
  const context = header < 0 ? null : open(rows[header]!.map(({ value }) => value))
  if (context)
    for (const cells of rows.slice(header + 1)) if (cells.length === context.columns.length) pushRow(cells, context)
  return from + to
}

const INTO =
  /(?:insert\s[\w\s]{0,24}into|replace into)\s{1,4}[\w."`[\]\\]{1,160}\s{0,8}\(([^()]{1,2000})\)(?:\s|\\n){0,16}$/i
/** A value of SQL: a string, or anything else up to a comma, in which brackets are paired. */
const SQL_VALUE =
  /(?:\s|\\n){0,16}(?:[nNeEbB]?'((?:[^'\\]|\\.|''){0,4000})'|\\{0,3}"((?:[^"\\]|\\[^"]){0,4000})\\{0,3}"|(?:[^,()'"]|\((?:[^()']|'[^']{0,400}'){0,200}\)){0,400})(?:\s|\\n){0,16}(?=[,)])/y
const TUPLE = /(?:\s|\\n){0,64}\(/y
const COMMA = /(?:\s|\\n){0,16},/y

/** Reads every row of `INSERT INTO users (name, password) VALUES (...), (...)`. */
function readInserted(text: string, start: number, end: number, open: Open): number {
  const list = INTO.exec(text.slice(Math.max(0, start - 2200), start))
  const context = list && open(list[1]!.split(',').map((name) => name.replace(/\\n|[\s"'`[\]\\]/g, '')))
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

/** Reads `COPY users (name, password) FROM stdin;` and lines of cells with tabs between. */
function readCopied(text: string, start: number, end: number, open: Open): number {
  const list = /copy [\w."]{1,120} ?\(([^()]{1,2000})\)$/i.exec(text.slice(Math.max(0, start - 2200), start))
  const context = list && open(list[1]!.split(',').map((name) => name.replace(/[\s"]/g, '')))
  const line = context && readLine(text, end)
  return line ? pushRows(text, line.next, (row) => splitCells(row, '\t'), context) : end
}

/** Records of one line for each column: `\G` of mysql, `\x` of psql. */
function readVertical(text: string, start: number, end: number, open: Open): number {
  const names: string[] = []
  const cells: Cell[] = []
  let at = readLine(text, end)?.next ?? end
  for (let line = readLine(text, at); line && names.length < 200; line = readLine(text, at)) {
    const pair = /^([ \t]{0,64}([\p{L}_][\p{L}\d_ ]{0,63}?)[ \t]{0,64}[:|] ?)/u.exec(line.text)
    if (!pair) break
    names.push(pair[2]!)
    cells.push(cellOf(line, pair[0].length, line.text.length))
    at = line.next
  }
  const context = open(names)
  if (context) pushRow(cells, context)
  return Math.max(start + 1, at)
}

/** The heads of columns with blanks between: `USER       PID %CPU`, `NAME   OWNER   AGE`. */
const HEADS = /\S+(?: \S+)*/g
const HEAD_CELL = /^[\p{L}%#][\p{L}\d _%/#().+-]{0,30}$/u
const OF_TWO_WORDS = / (?:name|id|by|to|login|handle|number)$/i
const MOST_ROWS = 400

interface Head {
  readonly name: string
  readonly start: number
}

/** Splits the heads of a table where two blanks or more stand; one that says nothing is several of one word. */
function headsOf(line: string): Head[] {
  return [...line.matchAll(HEADS)].flatMap(({ 0: name, index: start }) =>
    !name.includes(' ') || (OF_TWO_WORDS.test(name) && classifyFieldName(name))
      ? [{ name, start }]
      : [...name.matchAll(/\S+/g)].map(({ 0: word, index }) => ({ name: word, start: start + index })),
  )
}

/**
 * Returns whether a line is the heads of columns: in capital letters, or with wide gaps between words that begin with
 * one.
 */
function isHeadLine(line: string, heads: readonly Head[]): boolean {
  if (heads.length < 2 || !heads.every(({ name }) => HEAD_CELL.test(name))) return false
  return !/\p{Ll}/u.test(line) || (/\S {2,}\S/.test(line) && heads.every(({ name }) => /^[\p{Lu}%#]/u.test(name)))
}

/** Returns whether a line is the heads of a data frame as pandas and R print it: a number of its row leads the next line. */
const isFrameHead = (line: Line, next: Line | null, heads: readonly Head[]): boolean =>
  heads.length > 1 &&
  next !== null &&
  /^ {1,60}\S/.test(line.text) &&
  /^ {0,6}\d{1,6} /.test(next.text) &&
  heads.every(({ name }) => HEAD_CELL.test(name))

/** Reads a program's report with columns of fixed width: what stands below the head of a column belongs to it. */
function readFixedWidth(text: string, start: number, end: number, open: Open): number {
  const from = lineStart(text, start)
  const header = from < 0 ? null : readLine(text, from)
  if (!header) return Math.max(end, skipLongLine(text, start))
  // The sign of a diff or a quotation may lead the line.
  const heads = headsOf(header.text.replace(/^[+>]/, ' '))
  const isFrame = isFrameHead(header, readLine(text, header.next), heads)
  const isTable = isFrame || isHeadLine(header.text.slice(1), heads)
  const context = isTable ? open(heads.map(({ name }) => name)) : null
  if (!context) return header.next
  let at = header.next
  for (let n = 0; n < MOST_ROWS; n++) {
    const line = readLine(text, at)
    if (!line || line.text.trim() === '') break
    const cells = heads.map((head, i) =>
      isFrame ? cellOfFrame(line, heads, i) : cellBelow(line, head.start, heads[i + 1]?.start ?? line.text.length),
    )
    pushRow(cells, context)
    at = line.next
  }
  return at
}

/** Returns the cell of a column whose head and values end at one place: from the end of the head before it. */
function cellOfFrame(line: Line, heads: readonly Head[], index: number): Cell {
  const endOf = (head: Head | undefined): number => (head ? head.start + head.name.length : 0)
  const end = index === heads.length - 1 ? line.text.length : endOf(heads[index])
  return cellOf(line, Math.min(endOf(heads[index - 1]), end), end)
}

/** Returns the cell below a head: from the word that stands there to two blanks, or to the next head. */
function cellBelow(line: Line, place: number, next: number): Cell {
  let from = place
  while (from > 0 && line.text[from - 1] !== ' ' && line.text[from] !== ' ' && from > place - 12) from--
  const gap = line.text.slice(from).search(/\S {2}/)
  const wide = gap < 0 ? line.text.length : from + gap + 1
  const to = wide > next && line.text[next - 1] === ' ' ? next : wide
  return cellOf(line, Math.min(from, line.text.length), Math.min(to, line.text.length))
}
