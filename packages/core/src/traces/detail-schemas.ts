import * as z from 'zod'
import { Whole } from '../http/fields.ts'

export const outcomeStatuses = ['success', 'failure', 'partial', 'unknown'] as const
export type OutcomeStatus = (typeof outcomeStatuses)[number]

/** The limit for the tools of a trace, in bytes of their JSON. */
const maxToolsBytes = 256 * 1024

/**
 * Returns the schemas of the details. `limit` returns the schema of a text of at most `max` code points, and `object`
 * the schema of an object.
 */
const makeFields = (limit: (max: number, min?: number) => z.ZodString, object: typeof z.strictObject) => ({
  agent: object({ name: limit(64, 1), version: limit(64).optional() })
    .describe('The program that ran the session')
    .meta({ examples: [{ name: 'claude-code', version: '2.1.0' }] }),
  tools: z
    .array(
      object({
        name: limit(128, 1),
        description: limit(4096).optional(),
        parameters: z.record(z.string(), z.unknown()).describe('JSON Schema of the arguments').optional(),
      }),
    )
    .describe('The tools that the model could call'),
  usage: object({
    inputTokens: Whole,
    outputTokens: Whole,
    cacheReadTokens: Whole,
    cacheWriteTokens: Whole,
    costUsd: z.number().min(0),
  })
    .partial()
    .describe('The token usage of the session, as its program counted it'),
  outcome: object({
    status: z.enum(outcomeStatuses),
    testsPassed: Whole.optional(),
    testsFailed: Whole.optional(),
    note: limit(500).optional(),
  })
    .describe('Whether the work succeeded')
    .meta({ examples: [{ status: 'success', testsPassed: 12, testsFailed: 0 }] }),
})

const sent = makeFields((max, min = 0) => z.string().min(min).max(max), z.object)
const tools = sent.tools
  .max(128)
  .refine((list) => jsonBytes(list) <= maxToolsBytes, `more than ${maxToolsBytes} bytes of JSON`)

const SentDetails = z.object({ ...sent, tools }).partial()

/** The optional fields of a trace. */
export type TraceDetails = z.output<typeof SentDetails>

/**
 * The optional fields of a trace, as they were sent. They are not part of the content hash, because only the messages
 * distinguish copies.
 */
export const detailFields = SentDetails.shape

const stored = makeFields(() => z.string(), z.strictObject)

/**
 * The optional fields of a scrubbed trace, without limits, because a placeholder may be longer than its text. Each field
 * is a schema of the OpenAPI document, such as `SessionAgent`.
 */
export const storedDetailFields = Object.fromEntries(
  Object.entries<z.ZodType>(stored).map(([name, schema]) => {
    const id = `Session${name.charAt(0).toUpperCase()}${name.slice(1)}`
    return [name, schema.meta({ id }).optional()]
  }),
) as { readonly [Name in keyof typeof stored]: z.ZodOptional<(typeof stored)[Name]> }

/** Filters of traces by their details. */
export const detailFilters = {
  agent: z
    .string()
    .min(1)
    .max(64)
    .describe('The name of the agent')
    .meta({ examples: ['claude-code'] }),
  outcome: z.enum(outcomeStatuses).describe('Whether the work succeeded'),
}

/** Returns the details of a valid trace without unknown keys. */
export const parseSentDetails = (trace: z.input<typeof SentDetails>): TraceDetails => SentDetails.parse(trace)

function jsonBytes(value: unknown): number {
  try {
    return new TextEncoder().encode(JSON.stringify(value)).length
  } catch {
    // The value is nested deeper than the stack allows.
    return Infinity
  }
}
