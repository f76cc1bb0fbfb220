import * as z from 'zod'
import { toDollars, toMicros } from '../money.ts'
import { hidden, plainLine, sanitizeText, toUtc } from './text.ts'

/**
 * The interface's `<uuid>` (section 2): versions 1 to 8, all zeros, or all f, in either case; returned in lower case.
 * `z.uuid()` refuses the upper-case all-F form.
 */
export const Uuid = z
  .string()
  .regex(
    /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|0{8}-0{4}-0{4}-0{4}-0{12}|f{8}-f{4}-f{4}-f{4}-f{12})$/i,
    'not a UUID',
  )
  .toLowerCase()
  .meta({ format: 'uuid' })

/**
 * Matches ISO 8601 with `Z` or an offset. Unlike in RFC 3339, seconds and the minutes of an offset are optional, and so
 * is the colon before these minutes.
 */
const zonedTime = new RegExp(
  `^${z.regexes.date.source.slice(1, -1)}T(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d+)?)?` +
    '(?:Z|[+-](?:[01]\\d|2[0-3])(?::?[0-5]\\d)?)$',
)

/** A timestamp in a request: ISO 8601 with `Z` or an offset. Converted to UTC with milliseconds. */
export const Timestamp = z
  .string()
  .regex(zonedTime, 'not an ISO 8601 time with Z or an offset')
  .refine(inFourDigits, 'the year in UTC has no four digits')
  .overwrite((text) => (isTimestamp(text) ? toUtc(text) : text))
  .meta({ format: 'date-time' })

/** The start of a range of time in a query: a date, which means its first millisecond in UTC, or a timestamp. */
export const RangeStart = z
  .union([z.iso.date().overwrite((date) => `${date}T00:00:00.000Z`), Timestamp])
  .meta({ id: 'RangeStart', examples: ['2026-10-01'] })

/** The end of a range of time in a query, included: a date, which means its last millisecond in UTC, or a timestamp. */
export const RangeEnd = z
  .union([z.iso.date().overwrite((date) => `${date}T23:59:59.999Z`), Timestamp])
  .meta({ id: 'RangeEnd', examples: ['2026-10-31'] })

/**
 * Returns whether the year in UTC has four digits. An offset can move a time within the first or last hours of the
 * years 0000 to 9999 out of this range.
 */
function inFourDigits(text: string): boolean {
  if (!text.startsWith('0000-01-01') && !text.startsWith('9999-12-31')) return true
  return !zonedTime.test(text) || /^\d/.test(toUtc(text))
}

/** Returns whether `Timestamp` accepts a text. */
export const isTimestamp = (text: string): boolean => zonedTime.test(text) && inFourDigits(text)

/** A timestamp in a reply: ISO 8601 in UTC with milliseconds. */
export const DateTime = z.iso.datetime()

/** The `ok` of every successful reply. */
export const True = z.literal(true)

/** An integer of 0 to 2^53-1. */
export const Whole = z.int().min(0)

/** Returns the schema of a stored text. Its length is counted in Unicode code points. */
export function Text(min: number, max: number) {
  return z.string().min(min).max(max).overwrite(sanitizeText)
}

/**
 * Returns the schema of a name or another line that other people read: one line without invisible characters. The
 * length is checked after such characters are removed.
 */
export function Name(min: number, max: number) {
  return z
    .string()
    .overwrite((text) => plainLine(sanitizeText(text)))
    .min(min)
    .max(max)
}

// oxlint-disable-next-line no-control-regex -- the expression finds control characters
const hasInvisible = (text: string): boolean => /[\x00-\x1f\x7f-\x9f]/.test(text) || text.search(hidden) >= 0

/**
 * An e-mail address as the interface of `POST /api/cli/feedback` describes it: before the `@` there is no leading or
 * doubled dot, and the last label after the `@` has at least two letters.
 */
export const Email = z
  .string()
  .max(320)
  .regex(
    /^(?!\.)(?!.*\.\.)[^\s@"<>()[\]\\,;:]+(?<!\.)@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/i,
    'not an e-mail address',
  )
  .refine((text) => !hasInvisible(text), 'not an e-mail address')
  .overwrite(sanitizeText)
  .meta({ format: 'email' })

/** A URL that a person may click on: http or https only. */
export const WebUrl = z.url({ protocol: /^https?$/ }).max(2048)

/**
 * Returns the schema of an integer in a query: decimal digits only, without sign, space or exponent. `preset` is the
 * default.
 */
export function Count(least: number, most: number, preset: number) {
  return z.preprocess(
    (sent) => (typeof sent === 'string' && /^\d{1,15}$/.test(sent) ? Number(sent) : sent),
    z.int().min(least).max(most).default(preset),
  )
}

/** Returns the cursor that names a position, or null at the end of the list. */
export const writeCursor = (place: number | null): string | null => (place === null ? null : String(place))

/**
 * Returns the position that a cursor of digits names. Null means the first position. Any other text also means the
 * first position, because a page may pass on text that somebody typed.
 */
export function readCursor(cursor: string | undefined): number | null {
  return /^\d{1,15}$/.test(cursor ?? '') ? Number(cursor) : null
}

/** An amount of at most a billion dollars that a person enters in a form. */
export const EnteredDollars = z.string().regex(/^\d{1,9}(?:\.\d{1,6})?$/)

/** An amount of at most a billion dollars that is a whole number of micro-dollars, the unit of the ledger. */
export const Usd = z
  .number()
  .min(-1_000_000_000)
  .max(1_000_000_000)
  .refine((usd) => toDollars(toMicros(usd)) === usd, 'must have at most 6 decimals')

/** The page arguments of a list: `cursor` from the last reply, `limit` 1 to 200, default 50. */
export const Page = z.object({
  cursor: z.string().max(256).optional(),
  limit: Count(1, 200, 50),
})
