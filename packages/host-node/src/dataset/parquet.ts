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
const required = { repetition_type: 'REQUIRED' } as const
const optional = { repetition_type: 'OPTIONAL' } as const

/** The columns of a trace before `redactions` and `messages`; `tools` is JSON text. */
export const parquetFields: Schema = [
  { name: 'id', ...text, ...required },
  { name: 'source', ...text, ...required },
  { name: 'source_id', ...text, ...required },
  { name: 'title', ...text, ...optional },
  { name: 'model', ...text, ...optional },
  { name: 'created_at', ...time, ...required },
  { name: 'parent_trace_id', ...text, ...optional },
  { name: 'segment_index', type: 'INT64', ...optional },
  { name: 'content_hash', ...text, ...required },
  { name: 'token_count', type: 'INT64', ...required },
  { name: 'scrub_version', ...text, ...required },
  { name: 'agent_name', ...text, ...optional },
  { name: 'agent_version', ...text, ...optional },
  { name: 'tools', ...text, ...optional },
  { name: 'input_tokens', type: 'INT64', ...optional },
  { name: 'output_tokens', type: 'INT64', ...optional },
  { name: 'cache_read_tokens', type: 'INT64', ...optional },
  { name: 'cache_write_tokens', type: 'INT64', ...optional },
  { name: 'cost_usd', type: 'DOUBLE', ...optional },
  { name: 'outcome_status', ...text, ...optional },
  { name: 'outcome_tests_passed', type: 'INT64', ...optional },
  { name: 'outcome_tests_failed', type: 'INT64', ...optional },
  { name: 'outcome_note', ...text, ...optional },
]

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
  type: 'INT64',
  ...required,
}))

/** The fields of a message in `messages`, which is a list of structs. */
export const parquetMessageFields: Schema = [
  { name: 'position', type: 'INT64', ...required },
  { name: 'role', ...text, ...optional },
  { name: 'content', ...text, ...required },
  { name: 'token_count', type: 'INT64', ...required },
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

/** Returns the number of tokens of a trace. */
export const countTokens = ({ messages }: TraceDocument): number =>
  messages.reduce((sum, { tokenCount }) => sum + tokenCount, 0)

const toTime = (iso: string | null): Date | null => (iso === null ? null : new Date(iso))

const toInteger = (value: number | null | undefined): bigint | null => (value == null ? null : BigInt(value))

function redactionCounts(redactions: TraceDocument['scrub']['redactions']): Record<string, bigint> {
  const counts = Object.fromEntries(redactionFields.map(({ name }) => [name, 0n]))
  for (const [category, count] of Object.entries(redactions))
    counts[Object.hasOwn(counts, category) ? category : 'other']! += BigInt(count)
  return counts
}

/** Returns the row of a trace: its values by column name. */
export function toParquetRow(trace: TraceDocument): Record<string, unknown> {
  const { agent, tools, usage, outcome } = trace
  return {
    id: trace.id,
    source: trace.source,
    source_id: trace.sourceId,
    title: trace.title,
    model: trace.model,
    created_at: toTime(trace.createdAt),
    parent_trace_id: trace.parentTraceId,
    segment_index: toInteger(trace.segmentIndex),
    content_hash: trace.contentHash,
    token_count: BigInt(countTokens(trace)),
    scrub_version: trace.scrub.version,
    agent_name: agent?.name ?? null,
    agent_version: agent?.version ?? null,
    tools: tools ? JSON.stringify(tools) : null,
    input_tokens: toInteger(usage?.inputTokens),
    output_tokens: toInteger(usage?.outputTokens),
    cache_read_tokens: toInteger(usage?.cacheReadTokens),
    cache_write_tokens: toInteger(usage?.cacheWriteTokens),
    cost_usd: usage?.costUsd ?? null,
    outcome_status: outcome?.status ?? null,
    outcome_tests_passed: toInteger(outcome?.testsPassed),
    outcome_tests_failed: toInteger(outcome?.testsFailed),
    outcome_note: outcome?.note ?? null,
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
