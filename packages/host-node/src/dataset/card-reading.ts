import { parquetFields, parquetMessageFields, redactionFields } from './parquet.ts'
import type { ExportFormat } from './shards.ts'

/**
 * The name of a field, its type and its content. The name `a.b` means a field of an object, and `a[].b` a field of each
 * object in a list.
 */
export type Field = readonly [name: string, type: string, text: string]

const jsonFields: readonly Field[] = [
  ['id', 'string', 'made for the sale'],
  ['source', 'string', 'the tool that kept the conversation'],
  ['sourceId', 'string', 'the same in all pieces of one conversation'],
  ['title', 'string or null', ''],
  ['model', 'string or null', 'as the tool names it'],
  ['createdAt', 'string', 'ISO 8601, UTC'],
  ['parentTraceId', 'string or null', 'the trace that this one continues'],
  ['segmentIndex', 'integer or null', 'the number of the piece'],
  ['contentHash', 'string', 'SHA-256 of the messages'],
  ['scrub.version', 'string', 'the version of the rules that last scrubbed the trace'],
  ['scrub.redactions', 'object', 'the number of replacements by category'],
  ['agent', 'object, if known', '`name` and `version` of the program that ran the session'],
  [
    'tools',
    'list, if known',
    'the tools that the model could call: `name`, `description` and `parameters`, a JSON Schema',
  ],
  ['usage', 'object, if known', '`inputTokens`, `outputTokens`, `cacheReadTokens`, `cacheWriteTokens`, `costUsd`'],
  ['outcome', 'object, if known', '`status`, `testsPassed`, `testsFailed` and `note`, as its contributor says'],
]

const toolsText =
  'the tools that the model could call: `type` and `function` with `name`, `description` and `parameters`'

const fieldsOf: Readonly<Record<Exclude<ExportFormat, 'parquet'>, readonly Field[]>> = {
  documents: [
    ...jsonFields,
    ['messages[].position', 'integer', 'from 0'],
    ['messages[].role', 'string or null', '`system`, `user`, `assistant` or `tool`'],
    ['messages[].content', 'string', ''],
    ['messages[].tokenCount', 'integer', "the service's estimate"],
    ['messages[].createdAt', 'string or null', 'ISO 8601, UTC'],
    ['messages[].truncated', 'boolean', 'whether the end of a long message is missing'],
  ],
  messages: [
    ...jsonFields.map((field): Field => (field[0] === 'tools' ? ['tools', 'list, if known', toolsText] : field)),
    ['messages[].role', 'string', '`system`, `user`, `assistant` or `tool`'],
    ['messages[].content', 'string', ''],
    ['messages[].reasoning_content', 'string', "the model's thinking, if it is known"],
    ['messages[].tool_calls[]', 'object', '`id`, `type` and `function` with `name` and `arguments`, an object'],
    ['messages[].tool_call_id', 'string', 'for a result: the call that it answers'],
    ['messages[].name', 'string', 'for a result: the name of the tool'],
    ['openToolCalls', 'integer', 'calls without a result; `meta.openToolCalls` is the same'],
  ],
  atif: [
    ['session_id', 'string', 'the conversation'],
    ['trajectory_id', 'string', 'the trace'],
    ['agent', 'object', '`name`, `version`, `model_name`, `tool_definitions`'],
    ['steps[].step_id', 'integer', 'from 1'],
    ['steps[].source', 'string', '`user`, `agent` or `system`'],
    ['steps[].message', 'string', ''],
    ['steps[].reasoning_content', 'string', "the model's thinking, if it is known"],
    ['steps[].metrics', 'object', "`completion_tokens`: the tokens of an agent's message, counted by the service"],
    ['steps[].tool_calls[]', 'object', '`tool_call_id`, `function_name`, `arguments`'],
    ['steps[].observation.results[]', 'object', '`source_call_id` and `content`'],
    ['final_metrics', 'object', 'the token usage of the session, if it is known'],
    ['extra', 'object', 'other known facts about the trace; `parentTraceId` is the `session_id` of the parent trace'],
  ],
  sts: [
    ['type', 'string', '`session` in the first line, then `message`'],
    ['harness', 'string', 'for the session: the tool'],
    ['id', 'string', 'for the session: the id of the trace'],
    ['name', 'string', 'for the session: its title'],
    ['message.role', 'string', '`system`, `user`, `assistant` or `tool`'],
    ['message.content', 'string', ''],
    ['message.reasoningContent', 'string', "the model's thinking, if it is known"],
    ['message.toolCalls[]', 'object', '`id`, `function.name` and `function.arguments`, which is JSON text'],
    ['message.toolCallId', 'string', 'for a result: the call that it answers'],
    ['message.timestamp', 'integer', 'milliseconds since 1970'],
    ['message.model', 'string', ''],
  ],
}

const nameOfType = ({ type, converted_type: converted }: (typeof parquetFields)[number]): string =>
  converted === 'UTF8' ? 'string' : converted === 'TIMESTAMP_MILLIS' ? 'timestamp, UTC' : String(type).toLowerCase()

const jsonColumns: Readonly<Record<string, string>> = {
  tools: 'JSON text: a list of `name`, `description` and `parameters`, a JSON Schema',
}

const listColumns = (fields: typeof parquetFields, prefix = ''): Field[] =>
  fields.map((field) => [
    `${prefix}${field.name}`,
    `${nameOfType(field)}${field.repetition_type === 'OPTIONAL' ? ' or null' : ''}`,
    jsonColumns[field.name] ?? '',
  ])

const linesOf = {
  documents: `traces = pandas.read_json("data/00000.jsonl", lines=True)
traces = datasets.load_dataset("json", data_files="data/*.jsonl", split="train")`,
  messages: `traces = pandas.read_json("data/00000.jsonl", lines=True)
chats = datasets.load_dataset("json", data_files="data/*.jsonl", split="train")`,
  atif: `trajectories = datasets.load_dataset("json", data_files="data/*.jsonl", split="train")`,
  sts: `for path in pathlib.Path("data").rglob("*.jsonl"):
    session, *messages = map(json.loads, path.open(encoding="utf-8"))`,
  parquet: `traces = pandas.read_parquet("data")
traces = polars.read_parquet("data/*.parquet")
traces = datasets.load_dataset("parquet", data_files="data/*.parquet", split="train")`,
} as const

/** Returns the fields of a format. */
export const fieldsFor = (format: ExportFormat): readonly Field[] =>
  format === 'parquet'
    ? [
        ...listColumns(parquetFields),
        ...listColumns(redactionFields, 'redactions.'),
        ...listColumns(parquetMessageFields, 'messages[].'),
      ]
    : fieldsOf[format]

/** Returns the section of a dataset card that lists the fields and how to read them. */
export function readingSection(format: ExportFormat): string {
  const rows = fieldsFor(format).map(([name, type, text]) => `| \`${name}\` | ${type} | ${text} |`)
  return `## Fields

| field | type | |
| --- | --- | --- |
${rows.join('\n')}

In Python, from this folder:

\`\`\`python
${linesOf[format]}
\`\`\`
`
}
