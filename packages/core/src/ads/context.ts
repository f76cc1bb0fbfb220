import * as z from 'zod'
import { Text, Timestamp } from '../http/fields.ts'
import type { DeviceContext } from '../ports.ts'

/** The maximum number of characters of a context header; a longer header is ignored. */
const maxHeaderLength = 2048
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

/** Parses a header as a JSON object of version 1. Returns null if the header is invalid or too long. */
function parseHeader(header: string | undefined): Record<string, unknown> | null {
  if (header === undefined || header.length > maxHeaderLength) return null
  try {
    const value: unknown = JSON.parse(header)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject && (value as { v?: unknown }).v === 1 ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

/** Returns the valid fields of a header, and drops the invalid fields. */
function parseFields(header: string | undefined, fields: Readonly<Record<string, z.ZodType>>): Record<string, unknown> {
  const fieldsOfHeader = parseHeader(header)
  const valid: Record<string, unknown> = {}
  if (!fieldsOfHeader) return valid
  for (const [name, schema] of Object.entries(fields)) {
    const read = Object.hasOwn(fieldsOfHeader, name) ? schema.safeParse(fieldsOfHeader[name]) : null
    if (read?.success) valid[name] = read.data
  }
  return valid
}

/** Parses `x-ad-device-context` (AdDeviceContextV1) field by field. Never throws. */
export function parseDeviceContext(header: string | undefined): DeviceContext {
  return parseFields(header, deviceFields) as DeviceContext
}

export interface AdSession {
  /** The name of the session. The name is hashed before it is sent. */
  readonly name: string
  /** The number of events in the session. Null if the session is the device's session of the UTC day. */
  readonly events: number | null
}

/**
 * Parses the activity session of `x-ad-attribution-context` (AdAttributionContextV1). If the session is missing, idle
 * for 30 minutes, older than 24 hours, from the future or without its times, the device's session of the UTC day is
 * used instead.
 */
export function parseAdSession(header: string | undefined, device: string, now: number): AdSession {
  const { sessionId, startedAt, lastActivityAt, events } = parseFields(header, sessionFields) as {
    sessionId?: string
    startedAt?: string
    lastActivityAt?: string
    events?: number
  }
  const started = Date.parse(startedAt ?? '')
  const active = Date.parse(lastActivityAt ?? '')
  const isCurrent =
    started <= active && now - active < 30 * minute && now - started < 24 * hour && active - now < 5 * minute
  if (sessionId !== undefined && isCurrent) return { name: JSON.stringify([device, sessionId]), events: events ?? null }
  return { name: `${device}:${new Date(now).toISOString().slice(0, 10)}`, events: null }
}
