import { isAlnum, isLetter, isName, isSpace } from './character.ts'
import { judge } from './judge.ts'
import { weigh } from './names.ts'
import type { Finding, Rule } from './rule.ts'

const NAME_LIMIT = 80
const VALUE_LIMIT = 4096
const TYPE = /(?:const |static |final |readonly |mut )?[&*]?[A-Za-z][\w.:<>[\]?|&']{0,40}\s{0,3}(?=:?=(?!=))/y
const WRAP = /(?:new )?[A-Za-z_][\w.]{0,40}\(\s{0,3}(?=["'`\\])|[brfuBRFU@$L]{1,2}(?=["'])|(?:String|Some|Ok|OK|T|env)\((?=["'])/y
const SCHEME = /(?:Bearer|Basic|Token|token|bearer|ApiKey|Bot|Digest|AWS)\s+/y

/**
 * `name operator value` as code, JSON, YAML, TOML, .env, INI, XML, shells, HTTP headers and command lines write it.
 * The name is what surrounds the keyword; `judge` decides on name and value together.
 */
export function findAssignment(text: string, start: number, end: number, rule: Rule, found: Finding[]): void {
  let from = start
  const floor = Math.max(0, start - NAME_LIMIT)
  while (from > floor && isName(text, from - 1)) from--
  let to = end
  const ceiling = Math.min(text.length, end + NAME_LIMIT)
  while (to < ceiling && isName(text, to)) to++
  if (to === ceiling && to < text.length) return
  // `\npassword`: the n belongs to the escape.
  if (from > 0 && text[from - 1] === '\\' && 'nrt'.includes(text[from]!)) from++
  while (to > end && text[to - 1] === '.') to--
  const name = text.slice(from, to)
  const weight = weigh(name)
  if (!weight) return
  const value = valueAfter(text, to, name)
  if (!value || value.end <= value.start) return
  const raw = text.slice(value.start, value.end)
  if (!judge(name, weight, raw, value)) return
  const password = weight === 'password'
  found.push({
    start: value.start,
    end: value.end,
    rule: password ? { ...rule, category: 'password', placeholder: 'PASSWORD' } : rule,
    value: raw,
  })
}

export interface Value {
  start: number
  end: number
  /** The quote around it, or ''. */
  quote: string
  /** The operator between the name and it: `=`, `:`, `,`, `>`, ` ` ... */
  operator: string
  /** Blanks stood around the operator. */
  spaced: boolean
  /** What follows directly. */
  next: string
  scheme: boolean
}

/** The value that a name ending at `at` is given, or nothing where no operator follows. */
export function valueAfter(text: string, at: number, name: string): Value | undefined {
  let i = at
  const closed = i
  // What closes the name: quotes (also escaped), brackets, then blanks.
  for (let n = 0; n < 6 && (text[i] === '"' || text[i] === "'" || text[i] === '`' || text[i] === '\\' || text[i] === ']'); n++) i++
  const quotedName = i > closed
  const gap = i
  while (isSpace(text, i) && i - gap < 12) i++
  let spaced = i > gap
  let operator = ''
  const here = text[i]
  if (here === '=' || here === ':' || here === '?' || here === '|' || here === '+') {
    const from = i
    while (i - from < 4 && i < text.length && '=:?|+>'.includes(text[i]!)) i++
    operator = text.slice(from, i)
    if (operator === '?' || operator === '|' || operator === '+' || operator === '||') {
      if (operator === '?' && text[i] !== ':') return undefined
      if (operator === '+') return undefined
    }
  } else if (here === '>' && !spaced) {
    operator = '>'
    i++
  } else if (here === ',' && quotedName) {
    operator = ','
    i++
    const pair = /\s{0,8}\\{0,3}["']?[vV]alue\\{0,3}["']?\s{0,3}[:=]/y
    pair.lastIndex = i
    if (pair.test(text)) i = pair.lastIndex
  } else if (here === '-' && text[i + 1] === '>') {
    operator = '->'
    i += 2
  } else if (spaced) {
    TYPE.lastIndex = i
    if (TYPE.test(text)) {
      i = TYPE.lastIndex
      while (text[i] === ':' || text[i] === '=') i++
      operator = '='
    } else if (name.startsWith('-')) operator = ' '
    else {
      const said = /(?:is|was|are|to|of|equals|set to|is set to)\s{1,3}:?(?=\S)/y
      said.lastIndex = i
      if (said.test(text)) {
        i = said.lastIndex
        operator = 'is'
      } else if (text[i] === '"' || text[i] === "'" || isAlnum(text, i)) operator = ' '
      else return undefined
    }
  } else return undefined
  if (operator === ':') {
    TYPE.lastIndex = i + (isSpace(text, i) ? 1 : 0)
    if (TYPE.test(text)) {
      i = TYPE.lastIndex
      while (text[i] === '=') i++
      operator = '='
    }
  }
  const after = i
  while ((isSpace(text, i) || ((text[i] === '\n' || text[i] === '\r') && (operator === ':' || operator === '=' || operator === '>' || operator === ','))) && i - after < 40) i++
  if (i > after) spaced = true
  if ((text[i] === '|' || text[i] === '>') && /[|>][-+]?\s*\n\s+/y.test(text.slice(i, i + 40)) && operator === ':') {
    i++
    while (i - after < 80 && /[\s+-]/.test(text[i] ?? 'x')) i++
  }
  return literal(text, i, operator, spaced)
}

/** Reads one literal at `i`: quoted to its closing quote, bare to the first character that ends a word. */
function literal(text: string, i: number, operator: string, spaced: boolean): Value | undefined {
  WRAP.lastIndex = i
  if (WRAP.test(text)) i = WRAP.lastIndex
  let escapes = 0
  while (text[i + escapes] === '\\' && escapes < 8) escapes++
  const mark = text[i + escapes]
  let quote = ''
  if (mark === '"' || mark === "'" || mark === '`') {
    quote = text.slice(i, i + escapes + 1)
    i += quote.length
    if (text[i] === mark && text[i + 1] === mark && !escapes) i += 2
  }
  let scheme = false
  SCHEME.lastIndex = i
  if (SCHEME.test(text)) {
    i = SCHEME.lastIndex
    scheme = true
  }
  const limit = Math.min(text.length, i + VALUE_LIMIT)
  let end = i
  if (quote) {
    const close = quote[quote.length - 1]!
    while (end < limit) {
      const char = text[end]!
      if (char === '\n' || char === '\r') break
      if (char === '\\') {
        if (escapes && text.startsWith(quote, end)) break
        end += 2
        continue
      }
      if (char === close) break
      end++
    }
    if (end >= limit && limit < text.length) return undefined
    if (end > limit) end = limit
  } else {
    while (end < limit && !ENDS.has(text.charCodeAt(end)) && !(text[end] === '\\' && 'nrt"\''.includes(text[end + 1] ?? ' '))) end++
    while (end > i && '.,;:'.includes(text[end - 1]!)) end--
  }
  return { start: i, end, quote, operator, spaced, next: text[end] ?? '', scheme }
}

const ENDS = new Set([...' \t\n\r"\'`;,)}]<>|&\u00a0'].map((char) => char.charCodeAt(0)))

export const startsLetter = isLetter
