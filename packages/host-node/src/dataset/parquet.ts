import type { TraceDocument } from '@tributary/core'
import type { parquetWriteRows } from 'hyparquet-writer'

type Options = Parameters<typeof parquetWriteRows>[0]
type Schema = NonNullable<Options['schema']>

const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const
// Without the logical type, polars reads a time without its time zone.
const time = {
  type: 'INT64',
  converted_type: 'TIMESTAMP_MILLIS',
  logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
} as const
const integer = { type: 'INT64' } as const
const required = { repetition_type: 'REQUIRED' } as const
const optional = { repetition_type: 'OPTIONAL' } as const

/** Returns the number of tokens of a trace. */
export const countTokens = ({ messages }: TraceDocument): number =>
  messages.reduce((sum, { tokenCount }) => sum + tokenCount, 0)

const toTime = (iso: string | null): Date | null => (iso === null ? null : new Date(iso))

const toInteger = (value: number | null | undefined): bigint | null => (value == null ? null : BigInt(value))

/** The columns of a trace before `redactions` and `messages`, each with its value; `tools` is JSON text. */
const columns: readonly (Schema[number] & { readonly read: (trace: TraceDocument) => unknown })[] = [
  { name: 'id', ...text, ...required, read: ({ id }) => id },
  { name: 'source', ...text, ...required, read: ({ source }) => source },
  { name: 'source_id', ...text, ...required, read: ({ sourceId }) => sourceId },
  { name: 'title', ...text, ...optional, read: ({ title }) => title },
  { name: 'model', ...text, ...optional, read: ({ model }) => model },
  { name: 'created_at', ...time, ...required, read: ({ createdAt }) => toTime(createdAt) },
  { name: 'parent_trace_id', ...text, ...optional, read: ({ parentTraceId }) => parentTraceId },
  { name: 'segment_index', ...integer, ...optional, read: ({ segmentIndex }) => toInteger(segmentIndex) },
  { name: 'content_hash', ...text, ...required, read: ({ contentHash }) => contentHash },
  { name: 'token_count', ...integer, ...required, read: (trace) => BigInt(countTokens(trace)) },
  { name: 'scrub_version', ...text, ...required, read: ({ scrub }) => scrub.version },
  { name: 'agent_name', ...text, ...optional, read: ({ agent }) => agent?.name },
  { name: 'agent_version', ...text, ...optional, read: ({ agent }) => agent?.version },
  { name: 'tools', ...text, ...optional, read: ({ tools }) => tools && JSON.stringify(tools) },
  { name: 'input_tokens', ...integer, ...optional, read: ({ usage }) => toInteger(usage?.inputTokens) },
  { name: 'output_tokens', ...integer, ...optional, read: ({ usage }) => toInteger(usage?.outputTokens) },
  { name: 'cache_read_tokens', ...integer, ...optional, read: ({ usage }) => toInteger(usage?.cacheReadTokens) },
  { name: 'cache_write_tokens', ...integer, ...optional, read: ({ usage }) => toInteger(usage?.cacheWriteTokens) },
  { name: 'cost_usd', type: 'DOUBLE', ...optional, read: ({ usage }) => usage?.costUsd },
  { name: 'outcome_status', ...text, ...optional, read: ({ outcome }) => outcome?.status },
  { name: 'outcome_tests_passed', ...integer, ...optional, read: ({ outcome }) => toInteger(outcome?.testsPassed) },
  { name: 'outcome_tests_failed', ...integer, ...optional, read: ({ outcome }) => toInteger(outcome?.testsFailed) },
  { name: 'outcome_note', ...text, ...optional, read: ({ outcome }) => outcome?.note },
]

/** The columns of a trace before `redactions` and `messages`. */
export const parquetFields: Schema = columns.map(({ read: _, ...field }) => field)

/** The categories of the scrubber. */
const redactionCategories = [
  'account_name',
  'account_number',
  'bank_account',
  'blocked_term',
  'card',
  'cloud_account',
  'coordinates',
  'crypto_address',
  'date',
  'date_of_birth',
  'device_id',
  'email',
  'government_id',
  'host_name',
  'identity',
  'ip_address',
  'mac_address',
  'organization',
  'password',
  'person',
  'phone',
  'private_key',
  'record_number',
  'secret',
  'street_address',
  'token',
  'url',
  'user_name',
  'webhook',
] as const

/**
 * The struct `redactions`, with the number of replacements by category. `other` sums the categories of a service's own
 * detectors.
 */
export const redactionFields: Schema = [...redactionCategories, 'other'].map((name) => ({
  name,
  ...integer,
  ...required,
}))

/** The fields of a message in `messages`, which is a list of structs. */
export const parquetMessageFields: Schema = [
  { name: 'position', ...integer, ...required },
  { name: 'role', ...text, ...optional },
  { name: 'content', ...text, ...required },
  { name: 'token_count', ...integer, ...required },
  { name: 'created_at', ...time, ...optional },
  { name: 'truncated', type: 'BOOLEAN', ...required },
]

export const parquetSchema: Schema = [
  { name: 'root', num_children: parquetFields.length + 2 },
  ...parquetFields,
  { name: 'redactions', num_children: redactionFields.length, ...required },
  ...redactionFields,
  { name: 'messages', converted_type: 'LIST', num_children: 1, ...required },
  { name: 'list', num_children: 1, repetition_type: 'REPEATED' },
  { name: 'element', num_children: parquetMessageFields.length, ...required },
  ...parquetMessageFields,
]

export const parquetColumns: Options['columns'] = [
  ...parquetFields.map(({ name }) => ({ name })),
  { name: 'redactions' },
  { name: 'messages' },
]

function redactionCounts(redactions: TraceDocument['scrub']['redactions']): Record<string, bigint> {
  const counts = Object.fromEntries(redactionFields.map(({ name }) => [name, 0n]))
  for (const [category, count] of Object.entries(redactions))
    counts[Object.hasOwn(counts, category) ? category : 'other']! += BigInt(count)
  return counts
}

/** Returns the row of a trace: its values by column name. */
export function toParquetRow(trace: TraceDocument): Record<string, unknown> {
  return {
    ...Object.fromEntries(columns.map(({ name, read }) => [name, read(trace) ?? null])),
    redactions: redactionCounts(trace.scrub.redactions),
    messages: trace.messages.map((message) => ({
      position: BigInt(message.position),
      role: message.role,
      content: message.content,
      token_count: BigInt(message.tokenCount),
      created_at: toTime(message.createdAt),
      truncated: message.truncated,
    })),
  }
}
