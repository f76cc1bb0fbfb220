import { isLetter, isLower, isName } from '../../engine/character.ts'
import type { Finder, Finding } from '../../engine/rule.ts'
import { isReadAlready, reachOf } from '../../engine/scan-progress.ts'
import { classifyFieldName, type FieldKind } from './field-name.ts'
import { pushNamed, type Site } from './field-value.ts'

const NAME_LIMIT = 40
const VALUE_LIMIT = 240
const UPPER = /\p{Lu}/u
const BREAK = /\r?\n|\\{1,8}(?:r\\{1,8})?n/

/** What may follow a name directly. Most places where a word stands end here. */
const FOLLOWS = new Set([...'"\'`:= >\t\\{;*()[]'].map((char) => char.charCodeAt(0)))
/** `User Name:`, `Assigned to:`, `Org ID  `. */
const SECOND_WORD =
  /[ _](?:[Nn]ames?|NAME|[Ii][Dd]s?|[Ll]ogin|[Uu]sername|[Tt]o|[Bb]y|[Ff]or|[Nn]umber|[Hh]andle|[Ss]lug)(?=["'*\\]{0,4}[ \t]{0,24}[:=]| {2,}|\t)/y

/** The operator between a field and its value, with what closes the name: `: `, `": "`, ` = `, `' => '`. */
const OPERATOR = /(?:\(s\))?(?:\\{0,7}["'`])?(?:\*\*|\])?[ \t]{0,30}(?:=>|:=|:|=)(?!=)(?:\*\*)?[ \t]{0,40}/y
/** `name="author" content="..."`, `"key": "login", "value": "..."`: behind the name of a name. */
const PAIR = /\\{0,7}["'],?\s{1,16}\\{0,7}["']?(?:content|value|text|val)\\{0,7}["']?\s?[=:]\s?(?=\\{0,7}["'])/y
/** `<Attribute Name="uid"><AttributeValue>jroe</AttributeValue>`, `<string name="author">jroe</string>`. */
const ELEMENT_PAIR =
  /\\{0,7}["'][^<>\n]{0,80}>\s{0,12}(?:<(?:\w{1,12}:)?(?:value|AttributeValue)[^<>\n]{0,60}>)?(?=[\p{L}\d])/iuy
const NAMES_PAIR = /(?:name|key|field|label|id|property|title)\\{0,7}["']?\s?[=:]\s?\\{0,7}["']$/i
/** Cells of a report with blanks between: `Username    jroe`. */
const ALIGNED = /(?: {2,40}|\t{1,8})(?=[^\s:=|])/y
/** `ORGANIZER;CN=Jane Roe:mailto:...` */
const COMMON_NAME = /;(?:[A-Z-]{1,20}=[^;:\n]{1,40};){0,4}CN=/y
const QUOTE = /\\{0,7}["'`]/y
/**
 * What stands before a label at the beginning of its line: signs of lists, comments, quotations and boxes, and other
 * words of it.
 */
const LINE_START = /(?:^|\n|\\n|["'`|│]|  |\t)[\s>+*#/•│|;-]{0,12}(?:[\p{L}\d()]{1,20} ){0,3}$/u
/** What `LINE_START` may end with: most words stand behind something else. */
const BEFORE_LABEL = new Set(
  [...' \t\n\r\f\v\u00a0\u2028\u2029\ufeff>+*#/•│|;-"\'`n'].map((char) => char.charCodeAt(0)),
)
const isLineStart = (text: string, from: number): boolean =>
  (from === 0 || BEFORE_LABEL.has(text.charCodeAt(from - 1)) || text.charCodeAt(from - 1) > 0x1600) &&
  LINE_START.test(text.slice(Math.max(0, from - 64), from))
const LABELLED: Site = { isWhole: false, isData: true }
const FULL_NAME = /\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?: [\p{L}\p{M}'’.-]{1,30}){1,4}/uy

/**
 * `owner: jroe`, `"createdBy": "Jane Roe"`, `--assignee jroe`, `Team ID  4711`: the value of a field whose name says
 * whom it names.
 */
export const findField: Finder = (text, start, end, rule, found) => {
  // Most places where a word stands end here: inside of another word, or amid a sentence.
  if (isLower(text, end) && text[end] !== 's') return
  if (isLower(text, start) && isLower(text, start - 1) && text[start - 2] !== '\\') return
  // `by:` is searched with what ends it.
  let to = isName(text, end - 1) ? end : start + 2
  const most = Math.min(text.length, end + NAME_LIMIT)
  while (to < most && isName(text, to) && text[to] !== '.') to++
  if (!FOLLOWS.has(text.charCodeAt(to))) return
  let from = start
  const least = Math.max(0, start - NAME_LIMIT)
  while (
    from > least &&
    (isName(text, from - 1) || (text[from - 1] === ' ' && /^by/i.test(text.slice(from, from + 2))))
  )
    from--
  if (text[from - 1] === '\\' && 'nrt'.includes(text[from]!)) from++
  if (text.charCodeAt(to) === 32 && isLetter(text, to + 1) && text.charCodeAt(from) !== 45) {
    const second = 'niltubfhsNILTUBFHS'.includes(text[to + 1]!) ? at(SECOND_WORD, text, to) : 0
    if (second) to = second
    else if (isLower(text, to + 1) && text[from - 1] !== '@') return
  }
  const kind = classifyFieldName(text.slice(from, to))
  if (!kind) return
  const reach = reachOf(found, 'field')
  if (start < reach.end) return
  reach.end = to
  readField(text, from, to, kind, rule, found)
}

function readField(
  text: string,
  from: number,
  to: number,
  kind: FieldKind,
  rule: Finding['rule'],
  found: Finding[],
): void {
  const before = text[from - 1] ?? '\n'
  const isFlag = text[from] === '-'
  const next = text[to]!
  if (next === ' ' && isFlag && text[to + 1] !== ' ') return pushArgument(text, to + 1, kind, rule, found)
  if (next === '>' && (before === '<' || before === ':')) return pushUpTo(text, to + 1, '<', kind, rule, found)
  if (next === '{' && before === '\\') return pushUpTo(text, to + 1, '}', kind, rule, found)
  const rest = next === ';' ? at(COMMON_NAME, text, to) : 0
  if (rest) return pushBare(text, rest, kind, LABELLED, rule, found)
  const pair = next === '"' || next === "'" || next === '\\' ? at(PAIR, text, to) : 0
  if (pair && NAMES_PAIR.test(text.slice(Math.max(0, from - 24), from)))
    return pushQuoted(text, pair, kind, true, rule, found)
  const element = next === '"' || next === "'" || next === '\\' ? at(ELEMENT_PAIR, text, to) : 0
  if (element && NAMES_PAIR.test(text.slice(Math.max(0, from - 24), from)))
    return pushUpTo(text, element, '<', kind, rule, found)
  const value = at(OPERATOR, text, to)
  if (value) return pushValue(text, from, to, value, kind, rule, found)
  if (next !== ' ' && next !== '\t') return
  if (before === '@') return pushBare(text, to + 1, kind, LABELLED, rule, found)
  const aligned = at(ALIGNED, text, to)
  if (aligned && isLineStart(text, from)) return pushBare(text, aligned, kind, LABELLED, rule, found)
  // `my colleague Jane Roe`, `MAINTAINER Jane Roe`
  if ((kind !== 'person' && kind !== 'role') || /[A-Z][a-z]/.test(text.slice(from, to))) return
  const full = at(FULL_NAME, text, to + 1)
  if (full) pushNames(text, to + 1, full, kind, rule, found)
}

function at(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start
  return pattern.test(text) ? pattern.lastIndex : 0
}

/** Returns whether an unquoted value of `key=value` stands in an environment, a log or a query and not in a call. */
const isAssignment = (text: string, from: number): boolean => /[\s?&;"'`]|^$/.test(text[from - 1] ?? '')

function pushValue(
  text: string,
  from: number,
  to: number,
  start: number,
  kind: FieldKind,
  rule: Finding['rule'],
  found: Finding[],
): void {
  const isQuotedName = /["'`\\]/.test(text[to]!) && /["'`]/.test(text[from - 1] ?? ' ')
  const isLine = isLineStart(text, from)
  const isData = isQuotedName || isLine || text[from] === '-' || isAssignment(text, from)
  const char = text[start] ?? '\n'
  if (char === '[') return pushList(text, start + 1, ']', kind, isData, rule, found)
  // BibTeX: `author = {Roe, Jane and Doe, Max}`.
  if (char === '{' && UPPER.test(text[start + 1] ?? '')) return pushUpTo(text, start + 1, '}', kind, rule, found)
  if (char === '{') return pushObject(text, start + 1, kind, rule, found)
  if (at(QUOTE, text, start)) return pushQuoted(text, start, kind, isData, rule, found)
  if (BREAK.test(text.slice(start, start + 3))) return pushBlock(text, start, kind, rule, found)
  if (text[start - 1] === '=') {
    if (isAssignment(text, from)) pushWord(text, start, kind, rule, found)
    return
  }
  pushBare(text, start, kind, { isWhole: false, isData: isData && !isQuotedName }, rule, found)
}

/** Returns a value in quotes, also escaped ones. */
function pushQuoted(
  text: string,
  start: number,
  kind: FieldKind,
  isData: boolean,
  rule: Finding['rule'],
  found: Finding[],
): void {
  QUOTE.lastIndex = start
  const quote = QUOTE.exec(text)?.[0]
  if (!quote) return
  const first = start + quote.length
  const window = text.slice(first, first + VALUE_LIMIT)
  const end = window.indexOf(quote)
  if (end > 0 && !BREAK.test(window.slice(0, end)))
    pushNamed(kind, window.slice(0, end), first, { isWhole: true, isData }, rule, found)
}

function pushUpTo(
  text: string,
  start: number,
  close: string,
  kind: FieldKind,
  rule: Finding['rule'],
  found: Finding[],
): void {
  const window = text.slice(start, start + VALUE_LIMIT)
  const end = window.indexOf(close)
  if (end > 0) pushNamed(kind, window.slice(0, end), start, { isWhole: true, isData: true }, rule, found)
}

const ARGUMENT = /@?[A-Za-z\d][\w.-]{1,62}(?=$|[\s"'`\\&;]|,(?:ou|dc|cn|o|c)=)/iy
/** Returns the argument of a flag: one word or a string. */
function pushArgument(text: string, start: number, kind: FieldKind, rule: Finding['rule'], found: Finding[]): void {
  if (at(QUOTE, text, start)) return pushQuoted(text, start, kind, true, rule, found)
  pushWord(text, start, kind, rule, found)
}

/** Returns one word as a value, or a full name without quotes. */
function pushWord(text: string, start: number, kind: FieldKind, rule: Finding['rule'], found: Finding[]): void {
  const full = at(FULL_NAME, text, start)
  if (full && (kind === 'person' || kind === 'role')) return pushNames(text, start, full, kind, rule, found)
  const end = at(ARGUMENT, text, start)
  if (end) pushNamed(kind, text.slice(start, end), start, { isWhole: true, isData: true }, rule, found)
}

/** Returns the longest part of a run of capitalized words that is a person's name. */
function pushNames(
  text: string,
  start: number,
  end: number,
  kind: FieldKind,
  rule: Finding['rule'],
  found: Finding[],
): void {
  const before = found.length
  for (let stop = end; stop > start && found.length === before; stop = text.lastIndexOf(' ', stop - 1))
    pushNamed(
      kind === 'account' ? 'role' : kind,
      text.slice(start, stop),
      start,
      { isWhole: false, isData: false },
      rule,
      found,
    )
}

/** What ends a value without quotes. */
const STOP = /["`\\\t|│<{}[\]]|  | [-–—#(] |$/
/** What code has behind a value and data has not. */
const CODE_END = /^(?:[{}[\]]|;)/

/** `legend.legend_handles`, `parts_to_parse`: a variable, not a login. */
const VARIABLE = /^[a-z]\w*\.\w*_\w*$|^[a-z]+(?:_[a-z]+){2,}$/

/** Returns a value up to the end of its line: who is named in it, or, where a name leads on, the name alone. */
function pushBare(
  text: string,
  start: number,
  kind: FieldKind,
  site: Site,
  rule: Finding['rule'],
  found: Finding[],
): void {
  const window = text.slice(start, start + VALUE_LIMIT)
  const line = window.slice(0, BREAK.exec(window)?.index)
  const stop = STOP.exec(line)!.index
  if (isReadAlready(start, start + stop, 'bare-field', found, 4)) return
  const value = line.slice(0, stop)
  const isCode =
    CODE_END.test(line.slice(stop)) ||
    VARIABLE.test(value) ||
    /[;,(]\s*$|[=(){}$]|\w\.\w+\(/.test(value.replace(/ \([\w .@-]{2,40}\)(?=,|$)/g, ''))
  const before = found.length
  if (!isCode && site.isData) pushNamed(kind, value, start, site, rule, found)
  if (found.length > before) return
  const full = at(FULL_NAME, text, start)
  if (full && kind !== 'organization') pushNames(text, start, Math.min(full, start + stop), kind, rule, found)
}

const STRING = /(\\{0,7}["'`])(@?[\p{L}\d][^"'`\\\n]{1,80})\1/gu
/** Returns the strings of a list: `["Jane Roe", "mdoe"]`, also of objects with a name or a login. */
function pushList(
  text: string,
  start: number,
  close: string,
  kind: FieldKind,
  isData: boolean,
  rule: Finding['rule'],
  found: Finding[],
): void {
  const window = text.slice(start, start + 1200)
  const end = window.indexOf(close)
  const list = end < 0 ? window : window.slice(0, end)
  if (isReadAlready(start, start + list.length, 'listed-fields', found, 2)) return
  if (/[{]/.test(list)) return pushObject(text, start, kind, rule, found, list.length)
  if (!/["'`]/.test(list)) return pushNamed(kind, list, start, { isWhole: false, isData }, rule, found)
  // A list of many belongs to a name in the plural, or to people: `user: ["create", "delete"]` are permissions.
  const isOfMany =
    kind === 'person' || text.slice(start - 40, start).match(/s\\{0,7}["'`]?\s{0,8}[:=]\s{0,8}\[$/) !== null
  const site = { isWhole: true, isData: isData && isOfMany }
  for (const match of list.matchAll(STRING))
    pushNamed(kind, match[2]!, start + match.index + match[1]!.length, site, rule, found)
}

const MEMBER =
  /(?:^|[\s{,"'`])(?:name|login|user_?name|display_?name|full_?name|nick_?name|handle|slug)\\{0,7}["'`]?\s{0,3}(?::|=>?)\s{0,3}(\\{0,7}["'`])([^"'`\\\n]{2,80})\1/gi
/** Adds the members of an object that name somebody: `"author": { "login": "jroe", "name": "Jane Roe" }`. */
function pushObject(
  text: string,
  start: number,
  kind: FieldKind,
  rule: Finding['rule'],
  found: Finding[],
  most = 400,
): void {
  const window = text.slice(start, start + most)
  const end = most === 400 ? window.indexOf('}') : -1
  if (isReadAlready(start, start + (end < 0 ? window.length : end), 'members', found, 2)) return
  for (const match of (end < 0 ? window : window.slice(0, end)).matchAll(MEMBER)) {
    const at = start + match.index + match[0].lastIndexOf(match[2]!)
    pushNamed(kind, match[2]!, at, { isWhole: true, isData: true }, rule, found)
  }
}

const BLOCK_ITEM =
  /^([+ ]?\s{0,16}(?:(?:- )?(?:name|login|username|display_?[nN]ame): |- )(?:\\{0,7}["'`])?)([^\n]{2,80}?)(?:\\{0,7}["'`])?\s*$/
const MOST_ITEMS = 60
/** Returns the lines below a field: a list with dashes, or a record with a name. */
function pushBlock(text: string, start: number, kind: FieldKind, rule: Finding['rule'], found: Finding[]): void {
  if (isReadAlready(start, start, 'block', found, 1)) return
  const reach = reachOf(found, 'block')
  let at = start
  for (let n = 0; n < MOST_ITEMS; n++) {
    const window = text.slice(at, at + VALUE_LIMIT)
    const end = BREAK.exec(window)
    if (n > 0) {
      const line = end ? window.slice(0, end.index) : window
      const item = BLOCK_ITEM.exec(line)
      if (!item) {
        if (n > 3 || !/^[+ ]?\s+\w+: /.test(line)) return
      } else pushNamed(kind, item[2]!, at + item[1]!.length, { isWhole: true, isData: true }, rule, found)
    }
    if (!end) return
    at += end.index + end[0].length
    reach.end = Math.max(reach.end, at)
  }
}
