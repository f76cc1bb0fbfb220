import * as z from 'zod'
import { hidden, plainLine, sanitizeText } from './text.ts'

/** The interface's `<uuid>` (section 2): versions 1 to 8, or all zeros, or all f; either case in, lower case out. `z.uuid()` refuses the upper-case all-F form. */
export const Uuid = z
  .string()
  .regex(
    /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|0{8}-0{4}-0{4}-0{4}-0{12}|f{8}-f{4}-f{4}-f{4}-f{12})$/i,
    'not a UUID',
  )
  .toLowerCase()
  .meta({ format: 'uuid' })

/** A timestamp in: ISO 8601 with `Z` or an offset. Kept in UTC with milliseconds. */
export const Timestamp = z.iso
  .datetime({ offset: true })
  .refine(inFourDigits, 'the year in UTC has no four digits')
  .overwrite(utc)

/** An offset may carry the first or last hours of four-digit years into years that ISO 8601 writes with a sign. */
export function inFourDigits(text: string): boolean {
  if (!text.startsWith('0000-01-01') && !text.startsWith('9999-12-31')) return true
  const ms = Date.parse(text)
  return Number.isNaN(ms) || /^\d/.test(new Date(ms).toISOString())
}

/** Zod also rewrites what its own check has just refused, so text that is no time stays as it is. */
function utc(text: string): string {
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? text : new Date(ms).toISOString()
}

/** A timestamp in a reply: ISO 8601 in UTC with milliseconds. */
export const DateTime = z.iso.datetime()

/** The `ok` of every successful reply. */
export const True = z.literal(true)

/** An integer as the interface means it: 0 to 2^53-1. */
export const Whole = z.int().min(0)

/** Text that is kept, with its length in Unicode code points, as zod counts a limit. */
export function Text(min: number, max: number) {
  return z.string().min(min).max(max).overwrite(sanitizeText)
}

/** A name or another line that a person writes and others read: one line of what is seen; its length counts that. */
export function Name(min: number, max: number) {
  return z
    .string()
    .overwrite((text) => plainLine(sanitizeText(text)))
    .min(min)
    .max(max)
}

// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const unseen = (text: string): boolean => /[\x00-\x1f\x7f-\x9f]/.test(text) || text.search(hidden) >= 0

/** An address as the interface describes it in E2: no leading or doubled dot before the `@`, labels after it, the last of two letters or more. */
export const Email = z
  .string()
  .max(320)
  .regex(
    /^(?!\.)(?!.*\.\.)[^\s@"<>()[\]\\,;:]+(?<!\.)@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/i,
    'not an e-mail address',
  )
  .refine((text) => !unseen(text), 'not an e-mail address')
  .overwrite(sanitizeText)
  .meta({ format: 'email' })

/** A web address that a person may click on: http or https only. */
export const WebUrl = z.url({ protocol: /^https?$/ }).max(2048)

/** A whole number in a query: decimal digits and nothing else, so no sign, space, exponent or other base. Absent it is the preset. */
export function Count(least: number, most: number, preset: number) {
  return z.preprocess(
    (sent) => (typeof sent === 'string' && /^\d{1,15}$/.test(sent) ? Number(sent) : sent),
    z.int().min(least).max(most).default(preset),
  )
}

/** The place in a list that a cursor of digits names; null starts. Pages hand on what somebody typed. */
export function placeOf(cursor: string | undefined): number | null {
  return /^\d{1,15}$/.test(cursor ?? '') ? Number(cursor) : null
}

/** The page arguments of a list: `cursor` as the last reply gave it, `limit` 1 to 200, 50 when absent. */
export const Page = z.object({
  cursor: z.string().max(256).optional(),
  limit: Count(1, 200, 50),
})
