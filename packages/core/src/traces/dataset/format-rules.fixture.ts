import { parseMessageBlocks } from '../blocks.ts'
import type { TraceDocument } from '../trace-document.ts'
import { formatTraceDocument, type SessionMessage } from './formats.ts'

/**
 * Rules of formats whose validators exist only in Python or not at all. They follow the specifications: RFC 0001 of
 * Harbor, version 1.7, for ATIF; the Hub's documentation for the Session Trace Simple Format; TRL's documentation of
 * dataset formats ("Tool calling") and the chat templates of `transformers` for messages.
 */

/** The content of a conversation that a format must keep, each list sorted. */
export interface Inventory {
  readonly calls: readonly string[]
  readonly results: readonly string[]
  readonly thinking: readonly string[]
  readonly text: readonly string[]
}

const inventoryOf = (found: { [Name in keyof Inventory]: string[] }): Inventory => ({
  calls: found.calls.sort(),
  results: found.results.sort(),
  thinking: found.thinking.sort(),
  text: found.text.filter((text) => text !== '').sort(),
})
const empty = () => ({ calls: [] as string[], results: [] as string[], thinking: [] as string[], text: [] as string[] })
const canonical = (json: string): string => JSON.stringify(JSON.parse(json))
const joinTexts = (texts: readonly string[]): string => texts.join('\n\n')

/**
 * Lists the content of a trace's document. `hasIds` is false when calls were sent without ids, so that the formats had
 * to make the ids.
 */
export function documentInventory({ messages }: TraceDocument): Inventory {
  const found = empty()
  for (const message of messages) {
    const blocks = parseMessageBlocks(message)
    for (const block of blocks) {
      if (block.type === 'tool_call') found.calls.push(`${block.id} ${block.name} ${canonical(block.arguments)}`)
      if (block.type === 'tool_result') found.results.push(`${block.id} ${block.text}`)
    }
    const textsOf = (type: 'text' | 'thinking') => blocks.flatMap((block) => (block.type === type ? [block.text] : []))
    found.text.push(joinTexts(textsOf('text')))
    if (textsOf('thinking').length > 0) found.thinking.push(joinTexts(textsOf('thinking')))
  }
  return inventoryOf(found)
}

interface ChatMessage {
  readonly role: string
  readonly content: unknown
  readonly reasoning_content?: string
  readonly tool_calls?: readonly {
    readonly id: string
    readonly type: string
    readonly function: { readonly name: string; readonly arguments: unknown }
  }[]
  readonly tool_call_id?: string
  readonly name?: string
}

/** Returns which rules a line of `format=messages` breaks, and its content. */
export function readMessagesLine(line: string): { readonly faults: readonly string[]; readonly inventory: Inventory } {
  const {
    messages,
    tools = [],
    openToolCalls,
  } = JSON.parse(line) as {
    messages: ChatMessage[]
    tools?: { type: string; function: { name: string; parameters?: unknown } }[]
    openToolCalls: number
  }
  const [faults, found] = [[] as string[], empty()]
  const open = new Map<string, string[]>()
  const answered = new Map<string, string>()
  let results = 0
  if (messages.length === 0) faults.push('no messages')
  for (const [index, message] of messages.entries()) {
    const fault = (text: string): void => void faults.push(`messages[${index}]: ${text}`)
    const isResult = message.role === 'tool' && message.tool_call_id !== undefined
    if (!['user', 'assistant', 'system', 'tool'].includes(message.role)) fault(`role ${message.role}`)
    if (typeof message.content !== 'string') fault('content is not a text')
    if (message.role !== 'assistant' && (message.tool_calls || message.reasoning_content !== undefined))
      fault('only an assistant calls tools and thinks')
    for (const { id, type, function: called } of message.tool_calls ?? []) {
      if (type !== 'function' || called.name === '') fault('a call of no function')
      if (typeof called.arguments === 'object' && (called.arguments === null || Array.isArray(called.arguments)))
        fault('arguments are neither an object nor text')
      open.set(id, [...(open.get(id) ?? []), called.name])
      found.calls.push(`${id} ${called.name} ${JSON.stringify(called.arguments)}`)
    }
    if (isResult) {
      const id = message.tool_call_id!
      const next = open.get(id)?.shift()
      if (next !== undefined) answered.set(id, next)
      if (next !== undefined) results++
      if (message.name !== answered.get(id)) fault(`name ${message.name} of a call of ${answered.get(id)}`)
      found.results.push(`${message.tool_call_id} ${message.content as string}`)
    } else found.text.push(message.content as string)
    if (message.reasoning_content !== undefined) found.thinking.push(message.reasoning_content)
  }
  for (const { type, function: defined } of tools) {
    if (type !== 'function' || !defined.name) faults.push('tools: no function with a name')
    if (!['undefined', 'object'].includes(typeof defined.parameters)) faults.push('tools: parameters are not a schema')
  }
  if (openToolCalls !== found.calls.length - results)
    faults.push(`openToolCalls is ${openToolCalls}, not ${found.calls.length - results}`)
  return { faults, inventory: inventoryOf(found) }
}

interface SessionLine {
  readonly type: string
  readonly harness?: unknown
  readonly id?: unknown
  readonly message?: SessionMessage
}

/** Returns which rules the lines of `format=sts` break, and their content. */
function readSession(lines: string): { readonly faults: readonly string[]; readonly inventory: Inventory } {
  const [session, ...messages] = lines.split('\n').map((line) => JSON.parse(line) as SessionLine)
  const [faults, found] = [[] as string[], empty()]
  if (session!.type !== 'session') faults.push('the first line is not a session')
  for (const name of ['harness', 'id'] as const)
    if (typeof session![name] !== 'string' || session![name] === '') faults.push(`session.${name} is required`)
  for (const [index, { type, message }] of messages.entries()) {
    const fault = (text: string): void => void faults.push(`line ${index + 2}: ${text}`)
    if (type !== 'message' || !message) {
      fault('no message')
      continue
    }
    const { role, content, reasoningContent, toolCalls, toolCallId, timestamp, model } = message
    if (!['user', 'assistant', 'system', 'tool'].includes(role)) fault(`role ${role}`)
    if (typeof content !== 'string') fault('content is not a text')
    if (role !== 'assistant' && (toolCalls || reasoningContent !== undefined)) fault('a call of no assistant')
    if (role !== 'tool' && toolCallId !== undefined) fault('toolCallId of no tool')
    if (timestamp !== undefined && !(Number.isInteger(timestamp) && timestamp > 1e11))
      fault('timestamp is not in milliseconds')
    if (model !== undefined && typeof model !== 'string') fault('model is not a text')
    for (const { id, function: called } of toolCalls ?? []) {
      if (typeof id !== 'string' || typeof called.name !== 'string') fault('a call without id and name')
      found.calls.push(`${id} ${called.name} ${canonical(called.arguments)}`)
    }
    if (toolCallId === undefined) found.text.push(content)
    else found.results.push(`${toolCallId} ${content}`)
    if (reasoningContent !== undefined) found.thinking.push(reasoningContent)
  }
  return { faults, inventory: inventoryOf(found) }
}

interface AtifStep {
  readonly step_id: number
  readonly timestamp?: string
  readonly source: string
  readonly message: unknown
  readonly tool_calls?: readonly { tool_call_id: string; function_name: string; arguments: unknown }[]
  readonly observation?: {
    readonly results: readonly { source_call_id?: string; content: string; extra?: { tool_call_id?: string } }[]
  }
  readonly metrics?: Readonly<Record<string, unknown>>
  readonly [name: string]: unknown
}

const stepFields =
  'step_id timestamp source model_name reasoning_effort message reasoning_content tool_calls observation metrics ' +
  'extra llm_call_count is_copied_context'
const rootFields =
  'schema_version session_id trajectory_id agent steps notes final_metrics continued_trajectory_ref extra subagent_trajectories'
const agentFields = 'name version model_name tool_definitions extra'
const metricFields = 'total_prompt_tokens total_completion_tokens total_cached_tokens total_cost_usd total_steps extra'
const callFields = 'tool_call_id function_name arguments extra'
const resultFields = 'source_call_id content subagent_trajectory_ref extra'
const agentOnly = ['model_name', 'reasoning_effort', 'reasoning_content', 'tool_calls', 'metrics']

/**
 * Returns the original arguments. Arguments that are not an object were stored in an object under the single key
 * `arguments`.
 */
const unwrap = (given: object): unknown => {
  const [[name, value] = [], ...others] = Object.entries(given)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return name === 'arguments' && others.length === 0 && !isObject ? value : given
}

/** Returns which rules a line of `format=atif` breaks, and its content. */
export function readTrajectory(line: string): { readonly faults: readonly string[]; readonly inventory: Inventory } {
  const trajectory = JSON.parse(line) as {
    schema_version: string
    agent: { name: string; version: string; tool_definitions?: { type: string; function: { name: string } }[] }
    steps: AtifStep[]
    final_metrics: { total_prompt_tokens?: number; total_cached_tokens?: number; total_steps: number }
  }
  const { agent, steps, final_metrics: metrics } = trajectory
  const [faults, found] = [[] as string[], empty()]
  const checkFields = (place: string, value: object, known: string): void => {
    for (const name of Object.keys(value))
      if (!known.split(' ').includes(name)) faults.push(`${place}.${name}: unknown`)
  }
  checkFields('trajectory', trajectory, rootFields)
  checkFields('agent', agent, agentFields)
  checkFields('final_metrics', metrics, metricFields)
  if (trajectory.schema_version !== 'ATIF-v1.7') faults.push(`schema_version ${trajectory.schema_version}`)
  if (!agent.name || !agent.version) faults.push('agent without name or version')
  for (const { type, function: defined } of agent.tool_definitions ?? [])
    if (type !== 'function' || !defined.name) faults.push('agent.tool_definitions: no function with a name')
  if (steps.length === 0) faults.push('no steps')
  if (metrics.total_steps !== steps.length) faults.push('total_steps')
  if ((metrics.total_cached_tokens ?? 0) > (metrics.total_prompt_tokens ?? 0))
    faults.push('more cached than prompt tokens')
  for (const [name, value] of Object.entries(metrics))
    if (/_(?:tokens|steps)$/.test(name) && !Number.isInteger(value))
      faults.push(`final_metrics.${name} is not an integer`)
  for (const [index, step] of steps.entries()) {
    const fault = (text: string): void => void faults.push(`steps[${index}]: ${text}`)
    checkFields(`steps[${index}]`, step, stepFields)
    if (step.step_id !== index + 1) fault(`step_id ${step.step_id}`)
    if (!['system', 'user', 'agent'].includes(step.source)) fault(`source ${step.source}`)
    if (typeof step.message !== 'string') fault('message is not a text')
    if (step.timestamp !== undefined && Number.isNaN(Date.parse(step.timestamp))) fault('timestamp')
    if (step.source !== 'agent')
      for (const name of agentOnly) if (name in step) fault(`${name} belongs to an agent's step`)
    if (step.source === 'user' && step.observation) fault('observation of a user')
    for (const [name, value] of Object.entries(step.metrics ?? {}))
      if (name !== 'completion_tokens' || !Number.isInteger(value)) fault(`metrics.${name}`)
    const ids = new Set(step.tool_calls?.map(({ tool_call_id: id }) => id))
    for (const call of step.tool_calls ?? []) {
      checkFields(`steps[${index}].tool_calls`, call, callFields)
      const { tool_call_id: id, function_name: name, arguments: given } = call
      if (!id || !name) fault('a call without id and name')
      if (typeof given !== 'object' || given === null || Array.isArray(given)) fault('arguments are not an object')
      found.calls.push(`${id} ${name} ${JSON.stringify(unwrap(given as object))}`)
    }
    for (const result of step.observation?.results ?? []) {
      checkFields(`steps[${index}].observation.results`, result, resultFields)
      const { source_call_id: id, content, extra } = result
      if (id !== undefined && !ids.has(id)) fault(`source_call_id ${id} is not of this step`)
      const known = id ?? extra?.tool_call_id
      if (known === undefined) found.text.push(content)
      else found.results.push(`${known} ${content}`)
    }
    found.text.push(step.message as string)
    if (step['reasoning_content'] !== undefined) found.thinking.push(step['reasoning_content'] as string)
  }
  return { faults, inventory: inventoryOf(found) }
}

/** Returns the content of a trace as it is read back from each format. */
export const readEveryFormat = (document: TraceDocument) => ({
  messages: readMessagesLine(formatTraceDocument(document, 'messages')),
  sts: readSession(formatTraceDocument(document, 'sts')),
  atif: readTrajectory(formatTraceDocument(document, 'atif')),
})
