import * as z from 'zod'
import { DateTime, Email, Text, True, Uuid, Whole } from '../http/fields.ts'
import { ListQuery } from '../http/list.ts'
import { route } from '../http/route.ts'
import { sanitizeJson } from './rules.ts'

const bearer = { auth: 'bearer', envelope: 'ok' } as const

/** One item of the diagnostics. */
const Diagnostic = z
  .object({
    adapter: Text(1, 128),
    source: Text(1, 128).optional(),
    totalEntries: Whole.optional(),
    skippedEntries: Whole.optional(),
    invalidEntries: Whole.optional(),
    eventCount: Whole.optional(),
    traceCount: Whole.optional(),
    rejectedTraces: Whole.optional(),
    unhandledTypes: z.array(Text(1, 128)).max(50).optional(),
    emptyParse: z.boolean().optional(),
  })
  .meta({ id: 'Diagnostic' })

const mostKeys = 50
const mostBytes = 8 * 1024

/** Any JSON object of at most 50 keys and 8 KiB. */
const Properties = z
  .record(z.string(), z.unknown())
  .superRefine((properties, context) => {
    if (Object.keys(properties).length > mostKeys) {
      context.addIssue({
        code: 'too_big',
        origin: 'object',
        maximum: mostKeys,
        inclusive: true,
        input: undefined,
        message: `Too big: expected at most ${mostKeys} keys`,
      })
    }
    if (countBytes(JSON.stringify(properties)) > mostBytes) {
      context.addIssue({
        code: 'too_big',
        origin: 'object',
        maximum: mostBytes,
        inclusive: true,
        input: undefined,
        message: `Too big: expected at most ${mostBytes} bytes of JSON`,
      })
    }
  })
  .overwrite(sanitizeJson)
  .describe(`at most ${mostKeys} keys and ${mostBytes} bytes of JSON`)

function countBytes(text: string): number {
  // A UTF-16 unit takes at most three bytes in UTF-8, so most texts need not be encoded for the check.
  return text.length * 3 <= mostBytes ? text.length : new TextEncoder().encode(text).byteLength
}

/** The telemetry report. */
const TelemetryReport = z
  .object({
    schema: z.literal(1),
    deviceId: Text(1, 128),
    cliVersion: Text(0, 32).optional(),
    platform: Text(0, 32).optional(),
    arch: Text(0, 32).optional(),
    command: Text(0, 64).optional(),
    diagnostics: z.array(Diagnostic).max(200).optional(),
    sentAt: Text(0, 40).optional(),
    events: z
      .array(z.object({ name: Text(1, 128), properties: Properties.optional() }))
      .max(50)
      .optional(),
  })
  .meta({ id: 'TelemetryReport' })

/** The CLI feedback. */
const CliFeedback = z
  .object({
    message: Text(1, 20_000),
    email: Email.optional(),
    cliVersion: Text(0, 32).optional(),
    platform: Text(0, 32).optional(),
    arch: Text(0, 32).optional(),
    deviceId: Text(0, 128).optional(),
    command: Text(0, 64).optional(),
  })
  .meta({ id: 'CliFeedback' })

const nullable = z.string().nullable()

/** Feedback in the form that the operator reads. */
export const FeedbackItem = z
  .object({
    id: z.string(),
    userId: z.string(),
    message: z.string(),
    email: nullable,
    cliVersion: nullable,
    platform: nullable,
    arch: nullable,
    deviceId: nullable,
    command: nullable,
    receivedAt: DateTime,
    handledAt: DateTime.nullable().describe('when an operator marked it as handled'),
  })
  .meta({ id: 'Feedback' })

/** The filter of the operator's list of feedback. */
export const FeedbackQuery = ListQuery(['receivedAt']).extend({ handled: z.enum(['true', 'false']).optional() })

/** The endpoints of telemetry and feedback, and the operator's list of feedback. */
export const telemetryContract = {
  reportTelemetry: route({
    ...bearer,
    id: 'E1',
    method: 'POST',
    path: '/api/cli/telemetry',
    summary: 'Submit telemetry',
    description:
      'Stores diagnostics and events of the client. With `DNT: 1`, `Sec-GPC: 1` or `x-do-not-track: 1` nothing is stored.',
    byteRate: 'telemetry_bytes',
    body: TelemetryReport,
    reply: z.object({
      ok: True,
      accepted: z.int().describe('number of diagnostics and events that were stored'),
      forwarded: z.boolean().describe('whether they are also sent to a telemetry sink'),
    }),
    failures: {},
  }),
  sendFeedback: route({
    ...bearer,
    id: 'E2',
    method: 'POST',
    path: '/api/cli/feedback',
    summary: 'Send feedback',
    description: 'Sends a message to the operators. At most 20 messages an hour.',
    rates: ['cli_feedback'],
    idempotent: true,
    body: CliFeedback,
    issues: true,
    reply: z.object({ ok: True, id: z.string() }),
    failures: {},
  }),
  adminFeedback: route({
    method: 'GET',
    path: '/api/admin/feedback',
    auth: 'admin',
    envelope: 'ok',
    tool: 'admin_list_feedback',
    summary: 'List feedback',
    description: 'Returns feedback from the command line, newest first.',
    query: FeedbackQuery,
    reply: z.object({ ok: True, items: z.array(FeedbackItem), nextCursor: nullable }),
    failures: {},
  }),
  handleFeedback: route({
    method: 'PATCH',
    path: '/api/admin/feedback/:id',
    auth: 'admin',
    envelope: 'ok',
    summary: 'Mark feedback as handled',
    description: 'Marks a message as handled, or opens it again.',
    params: z.object({ id: Uuid }),
    body: z.object({ handled: z.boolean() }),
    issues: true,
    reply: z.object({ ok: True, feedback: FeedbackItem }),
    failures: { not_found: 404 },
  }),
}
