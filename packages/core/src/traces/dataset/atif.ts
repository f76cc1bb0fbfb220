import { toFunction } from './chat-messages.ts'
import { selectDetails } from '../stored-json.ts'
import type { TraceDocument } from '../trace-document.ts'
import { getHarnessName } from './harness.ts'
import { JsonText, listText, formatJsonObject } from './json-text.ts'
import { readTurns, type DocumentMessage, type ToolCall, type Turn } from './turns.ts'

/** A step of the trajectory. `results` is complete after every message was read. */
interface Step {
  readonly source: 'system' | 'user' | 'agent'
  readonly message: DocumentMessage
  readonly turn: Turn | null
  /** JSON texts of `ObservationResult`. */
  readonly results: string[]
}

/**
 * Yields a trace as a trajectory of the Agent Trajectory Interchange Format, version 1.7
 * (https://github.com/laude-institute/harbor, RFC 0001). `session_id` is the conversation and `trajectory_id` the
 * trace; `extra.parentTraceId` is the `session_id` of the parent conversation, from which a subagent's conversation
 * comes.
 */
export function* atifPieces(document: TraceDocument): Generator<string> {
  const { id, sourceId, agent, model, tools, messages } = document
  const steps = toSteps((yield* readTurns(messages)).turns)
  const head = {
    schema_version: 'ATIF-v1.7',
    session_id: sourceId || id,
    trajectory_id: id,
    agent: {
      name: agent?.name ?? getHarnessName(document),
      version: agent?.version || 'unknown',
      model_name: model ?? undefined,
      tool_definitions: tools?.map(toFunction),
    },
  }
  yield `${formatJsonObject(head).slice(0, -1)},"steps":[`
  for (const [index, step] of steps.entries()) yield `${index > 0 ? ',' : ''}${stepText(step, index + 1)}`
  const { source, title, createdAt, parentTraceId, segmentIndex, contentHash, scrub } = document
  const { agent: _, tools: __, usage, ...details } = selectDetails(document)
  const extra = { source, title, createdAt, parentTraceId, segmentIndex, contentHash, scrub, ...details }
  yield `],${formatJsonObject({ final_metrics: finalMetrics(usage, steps.length), extra }).slice(1)}`
}

function finalMetrics(usage: TraceDocument['usage'] = {}, steps: number) {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd } = usage
  return {
    // The format counts tokens that were read from the cache as prompt tokens.
    total_prompt_tokens: inputTokens === undefined ? cacheReadTokens : Math.max(inputTokens, cacheReadTokens ?? 0),
    total_completion_tokens: outputTokens,
    total_cached_tokens: cacheReadTokens,
    total_cost_usd: costUsd,
    total_steps: steps,
    extra: cacheWriteTokens === undefined ? undefined : { cache_creation_input_tokens: cacheWriteTokens },
  }
}

const sources = { system: 'system', user: 'user', assistant: 'agent' } as const

/** Returns the steps of a conversation. Each result belongs to the step of its call, as the format demands. */
function toSteps(turns: readonly Turn[]): Step[] {
  const steps: Step[] = []
  const stepOfCall = new Map<ToolCall, Step>()
  let lastAgent: Step | null = null
  const add = (source: Step['source'], turn: Turn, isSaid: boolean): Step => {
    const step = { source, message: turn.message, turn: isSaid ? turn : null, results: [] }
    steps.push(step)
    if (source === 'agent') lastAgent = step
    for (const call of turn.calls) stepOfCall.set(call, step)
    return step
  }
  for (const turn of turns) {
    if (turn.isSpoken && turn.role !== 'tool') add(sources[turn.role], turn, true)
    // A tool result without a call goes to the agent's last step.
    const otherStep = (): Step => lastAgent ?? add('system', { ...turn, calls: [] }, false)
    if (turn.isSpoken && turn.role === 'tool') {
      otherStep().results.push(formatJsonObject({ content: turn.text, extra: selectTimes(turn.message) }))
    }
    for (const { callId, call, text } of turn.results) {
      const step = call ? stepOfCall.get(call)! : otherStep()
      const unknownCall = call || callId === null ? undefined : { tool_call_id: callId }
      const times = selectTimes(turn.message)
      const extra = times || unknownCall ? { ...times, ...unknownCall } : undefined
      step.results.push(formatJsonObject({ source_call_id: call?.id, content: text, extra }))
    }
  }
  return steps
}

/** Returns the fields of a tool result for which the format has no field. */
function selectTimes({ createdAt, truncated }: DocumentMessage): Readonly<Record<string, unknown>> | undefined {
  if (createdAt === null && !truncated) return undefined
  return { ...(createdAt !== null && { timestamp: createdAt }), ...(truncated && { truncated }) }
}

function stepText({ source, message, turn, results }: Step, stepId: number): string {
  const { text = '', thinking = '', calls = [] } = turn ?? {}
  return formatJsonObject({
    step_id: stepId,
    timestamp: message.createdAt ?? undefined,
    source,
    message: text,
    reasoning_content: thinking === '' ? undefined : thinking,
    tool_calls: calls.length === 0 ? undefined : listText(calls.map(callText)),
    observation: results.length === 0 ? undefined : new JsonText(formatJsonObject({ results: listText(results) })),
    metrics: source === 'agent' ? { completion_tokens: message.tokenCount } : undefined,
    extra: turn && message.truncated ? { truncated: true } : undefined,
  })
}

const callText = ({ id, name, arguments: json }: ToolCall): string =>
  formatJsonObject({
    tool_call_id: id,
    function_name: name,
    // The format accepts only objects.
    arguments: new JsonText(json.startsWith('{') ? json : `{"arguments":${json}}`),
  })
