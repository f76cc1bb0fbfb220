/** Tests whether a value matches; `label` describes the expected value in a failure. */
export interface Matcher {
  (value: unknown): boolean
  readonly label: string
}

/** Creates a matcher, which failures describe by its label. */
export function makeMatcher(label: string, test: (value: unknown) => boolean): Matcher {
  return Object.assign((value: unknown) => test(value), { label })
}

const matchPattern = (label: string, shape: RegExp): Matcher =>
  makeMatcher(label, (value) => typeof value === 'string' && shape.test(value))
const isWhole = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0

export const text = makeMatcher('some text', (value) => typeof value === 'string' && value !== '')
export const boolean = makeMatcher('true or false', (value) => typeof value === 'boolean')
export const wholeNumber = makeMatcher('an integer from 0', isWhole)
export const amount = makeMatcher(
  'a number from 0',
  (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
)
/** An id that the service created: a UUID version 7. */
export const madeId = matchPattern(
  'a UUID of version 7',
  /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
)
/** A time in ISO 8601, UTC, with milliseconds and `Z`. */
export const time = matchPattern('a time as 2026-11-20T12:00:00.000Z', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
/** Matches an absolute URL of the service with a path that ends with this text. */
export const matchLink = (end: string): Matcher =>
  makeMatcher(
    `an absolute address that ends in ${end}`,
    (value) => typeof value === 'string' && /^https?:\/\/[^/]+/.test(value) && value.endsWith(end),
  )
export const matchOrNull = (inner: unknown): Matcher =>
  makeMatcher(`null or ${describeValue(inner)}`, (value) => value === null || findDifference(inner, value) === null)
/** Matches a list if each of its items matches. */
export const listOf = (inner: unknown): Matcher =>
  makeMatcher(
    `a list, each item ${describeValue(inner)}`,
    (value) => Array.isArray(value) && value.every((item) => findDifference(inner, item) === null),
  )
/** Matches the same items in any order. */
export const matchItems = (items: readonly unknown[]): Matcher =>
  makeMatcher(
    `in any order ${describeValue(items)}`,
    (value) => Array.isArray(value) && findDifference([...items].sort(), [...value].sort()) === null,
  )

/** Matches 1 to 100 `issues`, with one at each of the paths. A path is written with dots: `traces.1.messages`. */
export const matchIssues = (...places: string[]): Matcher =>
  makeMatcher(`issues at ${places.join(' and ')}`, (value) => {
    if (!Array.isArray(value) || value.length < 1 || value.length > 100) return false
    const at = value.map((issue) => (Array.isArray(issue?.path) ? issue.path.join('.') : null))
    return places.every((place) => at.includes(place))
  })

/**
 * Returns where a value differs from the expected value: `.job.status: expected "done", got "failed"`. Null if they are
 * equal. Objects and lists are compared completely: an additional field is a difference, like a missing field.
 */
export function findDifference(expected: unknown, got: unknown, at = ''): string | null {
  const wrong = `${at === '' ? 'the whole' : at}: expected ${describeValue(expected)}, got ${describeValue(got)}`
  if (typeof expected === 'function') return (expected as Matcher)(got) ? null : wrong
  if (Array.isArray(expected)) {
    if (!Array.isArray(got) || got.length !== expected.length) return wrong
    for (const [i, item] of expected.entries()) {
      const inner = findDifference(item, got[i], `${at}[${i}]`)
      if (inner !== null) return inner
    }
    return null
  }
  if (typeof expected === 'object' && expected !== null) {
    if (typeof got !== 'object' || got === null || Array.isArray(got)) return wrong
    for (const key of new Set([...Object.keys(expected), ...Object.keys(got)])) {
      if (!Object.hasOwn(expected, key))
        return `${at}.${key}: a field that nothing speaks of, ${describeValue((got as Record<string, unknown>)[key])}`
      if (!Object.hasOwn(got, key))
        return `${at}.${key}: expected ${describeValue((expected as Record<string, unknown>)[key])}, but it is missing`
      const inner = findDifference(
        (expected as Record<string, unknown>)[key],
        (got as Record<string, unknown>)[key],
        `${at}.${key}`,
      )
      if (inner !== null) return inner
    }
    return null
  }
  return Object.is(expected, got) ? null : wrong
}

/** Describes a value, or an expected value, in a few words. */
export function describeValue(value: unknown): string {
  if (typeof value === 'function') return (value as Matcher).label
  const words =
    JSON.stringify(value, (_, inner: unknown) =>
      typeof inner === 'function' ? `<${(inner as Matcher).label}>` : inner,
    ) ?? 'nothing'
  return words.length > 400 ? `${words.slice(0, 400)}… (${words.length} characters)` : words
}
