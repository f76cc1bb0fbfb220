import type { TraceDetails } from '../detail-schemas.ts'
import type { TraceDocument } from '../trace-document.ts'
import { JsonText, listText, formatJsonObject } from './json-text.ts'
import { readTurns, type ToolCall, type Turn } from './turns.ts'

/**
 * Yields a trace in the form that training libraries read: `messages` for chat templates, `tools`, and the metadata of
 * the trace.
 */
export function* messagesPieces({ messages, tools, ...meta }: TraceDocument): Generator<string> {
  const { turns, openCalls } = yield* readTurns(messages)
  yield '{"messages":['
  let separator = ''
  for (const turn of turns) {
    for (const text of messageTexts(turn)) {
      yield separator + text
      separator = ','
    }
  }
  const functions = tools && { tools: tools.map(toFunction) }
  const counts = { openToolCalls: openCalls }
  yield `],${formatJsonObject({ ...functions, ...meta, ...counts, meta: counts }).slice(1)}`
}

/** Returns a tool in the form of chat templates and ATIF. */
export const toFunction = ({ name, description, parameters }: NonNullable<TraceDetails['tools']>[number]) => ({
  type: 'function',
  function: { name, description, parameters },
})

function messageTexts({ role, text, thinking, calls, results, isSpoken }: Turn): string[] {
  const answers = results.map((result) =>
    formatJsonObject({
      role: 'tool',
      content: result.text,
      tool_call_id: result.callId ?? undefined,
      name: result.call?.name,
    }),
  )
  if (!isSpoken) return answers
  const said = formatJsonObject({
    role,
    content: text,
    reasoning_content: thinking === '' ? undefined : thinking,
    tool_calls: calls.length === 0 ? undefined : listText(calls.map(callText)),
  })
  return [said, ...answers]
}

const callText = ({ id, name, arguments: json }: ToolCall): string =>
  formatJsonObject({
    id,
    type: 'function',
    function: new JsonText(formatJsonObject({ name, arguments: formatArguments(json) })),
  })

/** Returns the JSON of arguments that are an object. Returns other arguments as text. */
function formatArguments(json: string): JsonText | string {
  if (json.startsWith('{')) return new JsonText(json)
  return json.startsWith('"') ? (JSON.parse(json) as string) : json
}
