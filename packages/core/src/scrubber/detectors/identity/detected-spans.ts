import type { FoundSpan } from '../../engine/async-detectors.ts'
import { stringsIn } from '../../engine/json.ts'
import type { Finding, KnownForm } from '../../engine/rule.ts'
import { commonWords } from '../../rules/common-words.ts'
import { isAutomation } from './accounts.ts'
import { formsOf } from './forms.ts'

const PLACEHOLDER = /\[[A-Z][A-Z0-9_]{0,40}_\d{1,9}\]/g
/** White space and quotes around a span belong to the sentence, not to the value. */
const LEFT_EDGE = /^[\s"'`]+/
const RIGHT_EDGE = /[\s"'`\\]+$/

/** Returns the spans of each text as findings, without placeholders of a client and names of assistants and bots. */
export function toFindings(texts: readonly string[], spans: readonly (readonly FoundSpan[])[]): Finding[][] {
  return texts.map((text, i) => {
    const list = spans[i] ?? []
    if (list.length === 0) return []
    const placeholders = [...text.matchAll(PLACEHOLDER)].map(
      ({ index, 0: whole }) => [index, index + whole.length] as const,
    )
    return list.flatMap((span) =>
      outside(placeholders, span).flatMap(([start, end]) => toFinding(text, start, end, span)),
    )
  })
}

/** Returns the parts of a span that are between placeholders. */
function outside(
  placeholders: readonly (readonly [start: number, end: number])[],
  { start, end }: FoundSpan,
): [start: number, end: number][] {
  const parts: [number, number][] = []
  let from = start
  for (const [first, last] of placeholders) {
    if (last <= from || first >= end) continue
    if (first > from) parts.push([from, first])
    from = last
  }
  if (from < end) parts.push([from, end])
  return parts
}

function toFinding(text: string, first: number, last: number, span: FoundSpan): Finding[] {
  const { detector: id, category, placeholder = category.toUpperCase() } = span
  const from = first + (isInEscape(text, first) ? 1 : 0)
  const raw = text.slice(from, last)
  const start = from + (raw.length - raw.replace(LEFT_EDGE, '').length)
  const value = text.slice(start, last).replace(RIGHT_EDGE, '')
  if (value === '' || (category === 'person' && isAutomation(value))) return []
  const rule = { id, category, placeholder }
  return [
    { start, end: start + value.length, rule, value: value.toLowerCase(), forms: () => formsOfSpan(category, value) },
  ]
}

/**
 * Returns whether a character of a JSON document belongs to an escape, such as the `n` in `\n`. A model treats this `n`
 * as a letter of a word.
 */
const isInEscape = (text: string, at: number): boolean =>
  text[at - 1] === '\\' && /^\s*[[{]/.test(text) && /(?<!\\)(?:\\\\)*\\$/.test(text.slice(Math.max(0, at - 64), at))

/**
 * Returns the forms in which a value may occur again in its trace: the forms of an identity for a person's name, and
 * only the value itself for other categories.
 */
function formsOfSpan(category: string, value: string): readonly KnownForm[] {
  const pieces = stringsIn(value)
  if (category !== 'person') return pieces.filter((text) => text.length > 3).map((text) => ({ text }))
  return pieces.flatMap((name) => {
    if (/\s/.test(name)) return formsOf('person', name)
    return commonWords.has(name.toLowerCase())
      ? []
      : [{ text: name, only: /^\p{Lu}/u.test(name) ? 'capitalized' : undefined }]
  })
}
