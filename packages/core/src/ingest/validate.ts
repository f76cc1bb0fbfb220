import type { Issue } from '../http/failures.ts'
import { isTimestamp } from '../http/fields.ts'
import { check, findForbiddenKey } from '../http/parse.ts'
import { sources } from '../sources.ts'
import { detailFields, parseSentDetails } from '../traces/detail-schemas.ts'
import { firstRepeat, roles, TraceInput, type MessageSent, type TraceSent } from './contract.ts'

/**
 * A hand-written check of the schema `TraceInput`. A batch has tens of thousands of messages, and zod needs ten times
 * as long for them as `JSON.parse`. The check only returns whether a trace is valid, and must agree with the schema
 * (`validate.test.ts` compares them). The schema creates the issues of an invalid trace.
 */
const roleNames: ReadonlySet<unknown> = new Set(roles)
const sourceNames: ReadonlySet<unknown> = new Set(sources)

type Shape = 'exact' | 'more' | 'no'

const whole = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0
const time = (value: unknown): boolean => typeof value === 'string' && isTimestamp(value)
/** Returns whether a value is a text of at most `max` code points, as Zod counts: a pair of surrogates is one. */
const upTo = (value: unknown, max: number): value is string =>
  typeof value === 'string' && (value.length <= max || (value.length <= 2 * max && [...value].length <= max))
const object = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Checks a message. `more` means that it is valid and has unknown keys. */
function message(value: unknown): Shape {
  if (!object(value) || typeof value['content'] !== 'string') return 'no'
  let shape: Shape = 'exact'
  for (const key in value) {
    const field = value[key]
    let right = true
    if (key === 'role') right = roleNames.has(field)
    else if (key === 'position' || key === 'tokenCount') right = whole(field)
    else if (key === 'createdAt') right = time(field)
    else if (key === 'truncated') right = typeof field === 'boolean'
    else if (key !== 'content') shape = 'more'
    if (!right) return 'no'
  }
  return shape
}

function trace(value: unknown): Shape {
  if (!object(value)) return 'no'
  const { sourceId, messages } = value
  if (
    !upTo(sourceId, 256) ||
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
    if (key === 'createdAt') right = time(field)
    else if (key === 'source') right = sourceNames.has(field)
    else if (key === 'model') right = upTo(field, 128)
    else if (key === 'parentTraceId') right = upTo(field, 256)
    else if (key === 'segmentIndex') right = whole(field)
    else if (isDetail(key)) {
      // The size of deeply nested tools cannot be measured. `validateTrace` reports that they are too deep.
      right = !findForbiddenKey({ traces: [{ [key]: field }] }) && detailFields[key].safeParse(field).success
      // Details are rare and small, so their unknown keys are removed by the schema.
      shape = 'more'
    } else if (key !== 'sourceId' && key !== 'messages') shape = 'more'
    if (!right) return 'no'
  }
  for (const one of messages) {
    const inner = message(one)
    if (inner === 'no') return 'no'
    if (inner === 'more') shape = 'more'
  }
  return firstRepeat(messages as MessageSent[]) < 0 ? shape : 'no'
}

const isDetail = (key: string): key is keyof typeof detailFields => Object.hasOwn(detailFields, key)

/** Returns the trace with the contract's keys only. */
function bare(sent: TraceSent): TraceSent {
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
  const shape = trace(value)
  if (shape === 'exact') return null
  // The trace is checked inside `traces`, because nesting counts from the top of the body.
  const place = findForbiddenKey({ traces: [value] })
  if (place) return { issues: [{ ...place, path: place.path.map((step, at) => (at === 1 ? index : step)) }] }
  if (shape === 'more') return { keep: bare(value as TraceSent) }
  const checked = check(TraceInput, value)
  if ('value' in checked) throw new Error('the two validators of a trace disagree')
  return { issues: checked.issues.map((issue) => ({ ...issue, path: ['traces', index, ...issue.path] })) }
}
