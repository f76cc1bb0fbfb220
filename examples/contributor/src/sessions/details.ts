import { formatCount } from '../terminal.ts'
import {
  outcomeStatuses,
  toList,
  toObject,
  toText,
  usageFields,
  type Details,
  type Json,
  type Tool,
  type Trace,
  type Transcript,
  type Usage,
} from './trace.ts'

/**
 * A part of the token usage of a session, as stored in the session's file. Fields may be missing or of another type.
 */
export type UsagePart = Readonly<Partial<Record<keyof Usage, unknown>>>

/** Returns the details of a session: its agent, the tools that it declares or calls, and the sum of its usage. */
export function describeSession(
  name: string,
  version: unknown,
  { tools }: Transcript,
  parts: Iterable<UsagePart>,
): Details {
  const usage: Usage = {}
  for (const part of parts)
    for (const field of usageFields) if (isCount(part[field])) usage[field] = (usage[field] ?? 0) + part[field]
  return {
    agent: { name, ...(toText(version) && { version: toText(version) }) },
    ...(tools.size > 0 && { tools: [...tools.values()] }),
    ...(Object.keys(usage).length > 0 && { usage }),
  }
}

const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0

/** Limits of the service: characters of a text, tools of a trace, and bytes of their JSON. */
const limits = { agent: 64, tool: 128, description: 4096, note: 500, tools: 128, toolsBytes: 256 * 1024 }

/**
 * Returns a trace with details that the service accepts, because the service refuses a whole upload if one of them is
 * too long. Texts are cut. Tools beyond the limits and values of the wrong type are left out. `changes` describes what
 * was changed.
 */
export function fitDetails({ agent, tools, usage, outcome, ...rest }: Trace): { trace: Trace; changes: string[] } {
  const changes: string[] = []
  const cut = (text: string, limit: number, field: string): string => {
    const kept = cutText(text, limit)
    if (kept !== text) changes.push(`${field} cut to ${limit} characters`)
    return kept
  }
  const trace: Trace = rest
  const [name, version] = [toText(agent?.name), toText(agent?.version)]
  if (name)
    trace.agent = {
      name: cut(name, limits.agent, 'agent name'),
      ...(version && { version: cut(version, limits.agent, 'agent version') }),
    }
  const fitted = fitTools(toList(tools).map(toObject))
  if (fitted.tools.length > 0) trace.tools = fitted.tools
  changes.push(...fitted.changes)
  const used = usageFields.map((field) => [field, toObject(usage)[field]] as const)
  const counts = used.filter(([field, value]) => isCount(value) && (field === 'costUsd' || Number.isSafeInteger(value)))
  if (counts.length > 0) trace.usage = Object.fromEntries(counts)
  const status = outcomeStatuses.find((one) => one === outcome?.status)
  if (outcome && status) {
    const { testsPassed, testsFailed, note } = outcome
    trace.outcome = {
      status,
      ...(Number.isSafeInteger(testsPassed) && isCount(testsPassed) && { testsPassed }),
      ...(Number.isSafeInteger(testsFailed) && isCount(testsFailed) && { testsFailed }),
      ...(toText(note) && { note: cut(toText(note), limits.note, 'note') }),
    }
  }
  return { trace, changes }
}

function fitTools(sent: readonly Json[]): { tools: Tool[]; changes: string[] } {
  const tools: Tool[] = []
  let [bytes, descriptions, schemas] = [2, 0, 0]
  for (const tool of sent) {
    const [name, text] = [toText(tool['name']), toText(tool['description'])]
    const description = cutText(text, limits.description)
    const parameters = toObject(tool['parameters'])
    const isAccepted = isAcceptedJson(parameters)
    const kept: Tool = {
      name,
      ...(description && { description }),
      ...(isAccepted && Object.keys(parameters).length > 0 && { parameters }),
    }
    const size = Buffer.byteLength(JSON.stringify(kept)) + 1
    const isTooLong = name === '' || cutText(name, limits.tool) !== name
    if (isTooLong || tools.length === limits.tools || bytes + size > limits.toolsBytes) continue
    if (description !== text) descriptions++
    if (!isAccepted) schemas++
    bytes += size
    tools.push(kept)
  }
  const changes: string[] = []
  const leftOut = sent.length - tools.length
  if (leftOut > 0) changes.push(`${leftOut} of ${formatCount(sent.length, 'tool')} left out`)
  if (descriptions > 0) changes.push(`description of ${formatCount(descriptions, 'tool')} cut`)
  if (schemas > 0) changes.push(`parameters of ${formatCount(schemas, 'tool')} left out`)
  return { tools, changes }
}

/** Returns the first `limit` characters. A pair of surrogates counts as one character, as in the service. */
const cutText = (text: string, limit: number): string =>
  text.length <= limit ? text : [...text].slice(0, limit).join('')

/**
 * Returns whether the service accepts a JSON value: it must not contain a forbidden key or be nested deeper than a body
 * may be.
 */
function isAcceptedJson(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (depth > 50) return false
  return Object.entries(value).every(
    ([key, inner]) => !['__proto__', 'constructor', 'prototype'].includes(key) && isAcceptedJson(inner, depth + 1),
  )
}
