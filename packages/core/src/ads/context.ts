import * as z from 'zod'
import { Text, Timestamp } from '../http/fields.ts'
import type { DeviceContext } from '../ports.ts'

/** Characters of a context header; a longer one is dropped whole. */
const longestHeader = 2048
const minute = 60 * 1000
const hour = 60 * minute

const word = Text(1, 64)
const cells = z.int().min(0).max(10_000)
const deviceFields = {
  os: word,
  osVersion: word,
  arch: word,
  shell: word,
  terminal: word,
  editor: word,
  locale: word,
  timezone: word,
  columns: cells,
  rows: cells,
}
const sessionFields = {
  sessionId: Text(1, 128),
  startedAt: Timestamp,
  lastActivityAt: Timestamp,
  events: z.int().min(0).max(10_000),
}

/** A header of version 1 as an object, or null: not JSON, no object, another version, or too long. */
function object(header: string | undefined): Record<string, unknown> | null {
  if (header === undefined || header.length > longestHeader) return null
  try {
    const value: unknown = JSON.parse(header)
    const whole = typeof value === 'object' && value !== null && !Array.isArray(value)
    return whole && (value as { v?: unknown }).v === 1 ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

/** The fields that are as they should be; each bad one is dropped alone. */
function kept(header: string | undefined, fields: Readonly<Record<string, z.ZodType>>): Record<string, unknown> {
  const sent = object(header)
  const good: Record<string, unknown> = {}
  if (!sent) return good
  for (const [name, schema] of Object.entries(fields)) {
    const read = Object.hasOwn(sent, name) ? schema.safeParse(sent[name]) : null
    if (read?.success) good[name] = read.data
  }
  return good
}

/** `x-ad-device-context` (AdDeviceContextV1), field by field. Never an error. */
export function parseDeviceContext(header: string | undefined): DeviceContext {
  return kept(header, deviceFields) as DeviceContext
}

export interface AdSession {
  /** What the session is called before it is hashed. */
  readonly name: string
  /** What happened in it so far; null when it is the day's. */
  readonly events: number | null
}

/**
 * The activity session of `x-ad-attribution-context` (AdAttributionContextV1). One that is idle for 30 minutes, older than 24
 * hours, from the future, or does not say when it was active is replaced by the device's session of the UTC day, like none.
 */
export function parseAdSession(header: string | undefined, device: string, now: number): AdSession {
  const { sessionId, startedAt, lastActivityAt, events } = kept(header, sessionFields) as {
    sessionId?: string
    startedAt?: string
    lastActivityAt?: string
    events?: number
  }
  const started = Date.parse(startedAt ?? '')
  const active = Date.parse(lastActivityAt ?? '')
  const bounded =
    started <= active && now - active < 30 * minute && now - started < 24 * hour && active - now < 5 * minute
  if (sessionId !== undefined && bounded) return { name: JSON.stringify([device, sessionId]), events: events ?? null }
  return { name: `${device}:${new Date(now).toISOString().slice(0, 10)}`, events: null }
}
