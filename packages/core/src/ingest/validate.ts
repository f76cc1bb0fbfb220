import type { Issue } from '../http/failures.ts'
import { isTimestamp } from '../http/fields.ts'
import { check, findForbiddenKey } from '../http/parse.ts'
import { sources } from '../sources.ts'
import { detailFields, parseSentDetails } from '../traces/detail-schemas.ts'
import { roles, TraceInput, type MessageSent, type TraceSent } from './contract.ts'
import { firstRepeat } from './rules.ts'

/**
 * Finds the members of a JSON object, and the elements of its `traces` array, in the bytes of a body. A batch is up to
 * 64 MiB: parsing it as one value would need several times this memory and block the event loop for half a second.
 *
 * This code finds only brackets and quotes. The caller gives every span to `JSON.parse`, and this code checks the text
 * between the spans. Together they accept exactly the bodies that `JSON.parse` accepts.
 */
export interface Span {
  /** A member's key, or null for an element of `traces`. */
  readonly key: string | null
  readonly start: number
  /** The index after the last byte of the element. */
  readonly end: number
  /** True if parsing would take minutes, because the element is nested so deeply. A useful body never is. */
  readonly deep: boolean
}

/** The deepest nesting of brackets that is parsed. `JSON.parse` needs ten seconds for ten megabytes of brackets. */
const deepest = 10_000

/** The result of `walk` after the last byte. */
export type Walked = 'object' | 'other' | 'deep' | 'broken'

const QUOTE = 0x22,
  BACKSLASH = 0x5c,
  COMMA = 0x2c,
  COLON = 0x3a,
  OPEN = 0x5b,
  CLOSE = 0x5d,
  OPEN_OBJECT = 0x7b,
  CLOSE_OBJECT = 0x7d

function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from
  for (let byte = bytes[at]; byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09; byte = bytes[at]) at++
  return at
}

/**
 * The first bytes of a string are compared one by one: most strings are short, and a call of `indexOf` costs as much as
 * about 50 bytes.
 */
const nearBytes = 48

/** Returns the index after the quote that ends the string whose opening quote is at `from`, or -1. */
function findStringEnd(bytes: Uint8Array, from: number): number {
  const { length } = bytes
  for (let at = from + 1; ;) {
    for (const near = Math.min(length, at + nearBytes); at < near;) {
      const byte = bytes[at]
      if (byte === QUOTE) return at + 1
      at += byte === BACKSLASH ? 2 : 1
    }
    // The byte at `at` is not escaped. For a long string the platform's search is three times as fast.
    const quote = at < length ? bytes.indexOf(QUOTE, at) : -1
    if (quote < 0) return -1
    let back = quote
    while (back > at && bytes[back - 1] === BACKSLASH) back--
    if ((quote - back) % 2 === 0) return quote + 1
    at = quote + 1
  }
}

/**
 * Returns the index after the value that starts at `from`, or -1 when the value never ends. Checks only the depth of
 * the nesting.
 */
function findValueEnd(bytes: Uint8Array, from: number, met: { deep: boolean }): number {
  met.deep = false
  const first = bytes[from]
  if (first === QUOTE) return findStringEnd(bytes, from)
  const { length } = bytes
  let at = from
  if (first !== OPEN && first !== OPEN_OBJECT) {
    for (let byte = bytes[at]; byte !== undefined; byte = bytes[++at])
      if (byte === COMMA || byte === CLOSE || byte === CLOSE_OBJECT || byte <= 0x20) break
    return at > from ? at : -1
  }
  let depth = 0
  while (at < length) {
    const byte = bytes[at]
    if (byte === QUOTE) {
      at = findStringEnd(bytes, at)
      if (at < 0) return -1
      continue
    }
    at++
    if (byte === OPEN || byte === OPEN_OBJECT) {
      if (++depth > deepest) met.deep = true
    } else if ((byte === CLOSE || byte === CLOSE_OBJECT) && --depth === 0) return at
  }
  return -1
}

const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Parses the JSON value in a span. Throws on invalid UTF-8 and JSON. */
export function parseSpan(
  bytes: Uint8Array,
  { start, end }: { readonly start: number; readonly end: number },
): unknown {
  return JSON.parse(text.decode(bytes.subarray(start, end)))
}

/**
 * Walks the top level of a body. Yields each member of the object except `traces`, and each element of `traces` if it
 * is an array. Returns `object` at the end. Returns `other` for a body that is another value, which is not read.
 * Returns `deep` for a body that is nested too deeply to be read. Returns `broken` for a body that is not JSON, or has
 * `traces` or `uploadId` twice, because one of two lists of traces would be lost silently.
 */
export function* walk(bytes: Uint8Array): Generator<Span, Walked> {
  // A byte order mark is skipped, as parseJson does for every other body.
  let at = skipSpace(bytes, bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0)
  const met = { deep: false }
  if (bytes[at] !== OPEN_OBJECT) return findValueEnd(bytes, at, met) >= 0 && met.deep ? 'deep' : 'other'
  at = skipSpace(bytes, at + 1)
  const keys = new Set<string>()
  while (bytes[at] !== CLOSE_OBJECT || keys.size > 0) {
    if (bytes[at] !== QUOTE) return 'broken'
    const keyEnd = findStringEnd(bytes, at)
    const key = keyEnd < 0 ? null : readKey(bytes, at, keyEnd)
    if (key === null || (keys.has(key) && (key === 'traces' || key === 'uploadId'))) return 'broken'
    keys.add(key)
    at = skipSpace(bytes, keyEnd)
    if (bytes[at] !== COLON) return 'broken'
    at = skipSpace(bytes, at + 1)
    if (key === 'traces' && bytes[at] === OPEN) at = yield* walkElements(bytes, at)
    else {
      const start = at
      at = findValueEnd(bytes, start, met)
      if (at >= 0) yield { key, start, end: at, deep: met.deep }
    }
    if (at < 0) return 'broken'
    at = skipSpace(bytes, at)
    if (bytes[at] === CLOSE_OBJECT) break
    if (bytes[at] !== COMMA) return 'broken'
    at = skipSpace(bytes, at + 1)
  }
  return skipSpace(bytes, at + 1) === bytes.length ? 'object' : 'broken'
}

function* walkElements(bytes: Uint8Array, open: number): Generator<Span, number> {
  let at = skipSpace(bytes, open + 1)
  if (bytes[at] === CLOSE) {
    // An empty list is still a list: it is yielded as a member, so that the schema checks it.
    yield { key: 'traces', start: open, end: at + 1, deep: false }
    return at + 1
  }
  const met = { deep: false }
  for (;;) {
    const start = at
    at = findValueEnd(bytes, start, met)
    if (at < 0) return -1
    yield { key: null, start, end: at, deep: met.deep }
    at = skipSpace(bytes, at)
    if (bytes[at] === CLOSE) return at + 1
    if (bytes[at] !== COMMA) return -1
    at = skipSpace(bytes, at + 1)
  }
}

function readKey(bytes: Uint8Array, start: number, end: number): string | null {
  try {
    return parseSpan(bytes, { start, end }) as string
  } catch {
    return null
  }
}

/**
 * A hand-written check of the schema `TraceInput`. A batch has tens of thousands of messages, and zod needs ten times
 * as long for them as `JSON.parse`. The check only returns whether a trace is valid, and must agree with the schema
 * (`validate.test.ts` compares them). The schema creates the issues of an invalid trace.
 */
const roleNames: ReadonlySet<unknown> = new Set(roles)
const sourceNames: ReadonlySet<unknown> = new Set(sources)

type Shape = 'exact' | 'more' | 'no'

const isWhole = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0
const isTime = (value: unknown): boolean => typeof value === 'string' && isTimestamp(value)
/** Returns whether a value is a text of at most `max` code points, as Zod counts: a pair of surrogates is one. */
const isTextUpTo = (value: unknown, max: number): value is string =>
  typeof value === 'string' && (value.length <= max || (value.length <= 2 * max && [...value].length <= max))
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Checks a message. `more` means that it is valid and has unknown keys. */
function checkMessage(value: unknown): Shape {
  if (!isObject(value) || typeof value['content'] !== 'string') return 'no'
  let shape: Shape = 'exact'
  for (const key in value) {
    const field = value[key]
    let right = true
    if (key === 'role') right = roleNames.has(field)
    else if (key === 'position' || key === 'tokenCount') right = isWhole(field)
    else if (key === 'createdAt') right = isTime(field)
    else if (key === 'truncated') right = typeof field === 'boolean'
    else if (key !== 'content') shape = 'more'
    if (!right) return 'no'
  }
  return shape
}

function checkTrace(value: unknown): Shape {
  if (!isObject(value)) return 'no'
  const { sourceId, messages } = value
  if (
    !isTextUpTo(sourceId, 256) ||
    sourceId === '' ||
    value['createdAt'] === undefined ||
    !Array.isArray(messages) ||
    messages.length === 0
  )
    return 'no'
  let shape: Shape = 'exact'
  for (const key in value) {
    const field = value[key]
    let right = true
    if (key === 'createdAt') right = isTime(field)
    else if (key === 'source') right = sourceNames.has(field)
    else if (key === 'model') right = isTextUpTo(field, 128)
    else if (key === 'parentTraceId') right = isTextUpTo(field, 256)
    else if (key === 'segmentIndex') right = isWhole(field)
    else if (isDetail(key)) {
      // The size of deeply nested tools cannot be measured. `validateTrace` reports that they are too deep.
      right = !findForbiddenKey({ traces: [{ [key]: field }] }) && detailFields[key].safeParse(field).success
      // Details are rare and small, so their unknown keys are removed by the schema.
      shape = 'more'
    } else if (key !== 'sourceId' && key !== 'messages') shape = 'more'
    if (!right) return 'no'
  }
  for (const one of messages) {
    const inner = checkMessage(one)
    if (inner === 'no') return 'no'
    if (inner === 'more') shape = 'more'
  }
  return firstRepeat(messages as MessageSent[]) < 0 ? shape : 'no'
}

const isDetail = (key: string): key is keyof typeof detailFields => Object.hasOwn(detailFields, key)

/** Returns the trace with the contract's keys only. */
function removeUnknownKeys(sent: TraceSent): TraceSent {
  const { source, sourceId, model, createdAt, parentTraceId, segmentIndex } = sent
  const messages = sent.messages.map(({ role, content, position, tokenCount, createdAt: at, truncated }) => ({
    role,
    content,
    position,
    tokenCount,
    createdAt: at,
    truncated,
  }))
  return { source, sourceId, model, createdAt, messages, parentTraceId, segmentIndex, ...parseSentDetails(sent) }
}

/**
 * Validates one parsed element of `traces`. Returns null if it is valid, `keep` if it is valid without its unknown
 * keys, or else its issues. `index` is the position of the trace in the batch.
 */
export function validateTrace(value: unknown, index: number): { keep: TraceSent } | { issues: Issue[] } | null {
  const shape = checkTrace(value)
  if (shape === 'exact') return null
  // The trace is checked inside `traces`, because nesting counts from the top of the body.
  const place = findForbiddenKey({ traces: [value] })
  if (place) return { issues: [{ ...place, path: place.path.map((step, at) => (at === 1 ? index : step)) }] }
  if (shape === 'more') return { keep: removeUnknownKeys(value as TraceSent) }
  const checked = check(TraceInput, value)
  if ('value' in checked) throw new Error('the two validators of a trace disagree')
  return { issues: checked.issues.map((issue) => ({ ...issue, path: ['traces', index, ...issue.path] })) }
}
