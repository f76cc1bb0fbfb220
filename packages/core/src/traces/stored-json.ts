// The parts of a trace that are stored as JSON texts: its details, the reasons of its placeholders, and its messages.

import { itemAt } from '../lists.ts'
import type { PlaceholderUse } from '../scrubber/index.ts'
import type { TraceDetails } from './detail-schemas.ts'

type Detail<Name extends keyof TraceDetails> = NonNullable<TraceDetails[Name]>

/**
 * A function for each detail that applies `map` to the texts that may contain personal data: values and, within a JSON
 * Schema, also keys and long numbers. Details are stored in this order.
 */
const detailMaps: {
  readonly [Name in keyof Required<TraceDetails>]: (detail: Detail<Name>, map: (text: string) => string) => Detail<Name>
} = {
  agent: (agent, map) => mapFields(agent, ['name', 'version'], map),
  tools: (list, map) =>
    list.map((tool) => {
      const texts = mapFields(tool, ['name', 'description'], map)
      return { ...texts, ...(tool.parameters && { parameters: mapJson(tool.parameters, map) }) }
    }),
  usage: (usage) => usage,
  outcome: (outcome, map) => mapFields(outcome, ['note'], map),
}

const detailNames = Object.keys(detailMaps) as (keyof TraceDetails)[]

/** Returns the details of a trace, without its other fields, each as `map` returns it. */
const mapDetails = (trace: TraceDetails, map: (name: keyof TraceDetails, detail: unknown) => unknown): TraceDetails =>
  Object.fromEntries(detailNames.flatMap((name) => (trace[name] === undefined ? [] : [[name, map(name, trace[name])]])))

/** Returns the details of a trace or document without its other fields. */
export const selectDetails = (trace: TraceDetails): TraceDetails => mapDetails(trace, (_, detail) => detail)

/** Returns the details of a trace, without its other fields, with `map` applied to their texts. */
const mapDetailTexts = (trace: TraceDetails, map: (text: string) => string): TraceDetails =>
  mapDetails(trace, (name, detail) => detailMaps[name](detail as never, map))

function mapFields<T extends object>(value: T, names: readonly (keyof T)[], map: (text: string) => string): T {
  const mapped = { ...value }
  for (const name of names) {
    const text = value[name]
    if (typeof text === 'string') mapped[name] = map(text) as T[typeof name]
  }
  return mapped
}

/** The smallest number that may be a card or telephone number. */
const leastScrubbed = 1_000_000

function mapJson<T>(value: T, map: (text: string) => string): T
function mapJson(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value)
  if (typeof value === 'number' && Math.abs(value) >= leastScrubbed) {
    const text = map(String(value))
    return text === String(value) ? value : text
  }
  if (Array.isArray(value)) return value.map((item) => mapJson(item, map))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [map(key), mapJson(item, map)]))
}

/** Returns the texts of the details of a trace. Their order depends only on the details. */
export function detailTexts(trace: TraceDetails): string[] {
  const texts: string[] = []
  mapDetailTexts(trace, (text) => {
    texts.push(text)
    return text
  })
  return texts
}

/** Returns the details of a trace with the texts of `detailTexts` replaced. */
export function withDetailTexts(trace: TraceDetails, texts: readonly string[]): TraceDetails {
  let at = 0
  return mapDetailTexts(trace, () => itemAt(texts, at++))
}

/** The details of a trace as they are stored, as JSON texts. Tools are separate, because they may be long. */
export interface KeptDetails {
  /** An object of `TraceDetails` without `tools`. */
  readonly details: string
  /** A list of tools. Null if there are no tools. */
  readonly tools: string | null
}

export function keepDetails({ tools: list, ...details }: TraceDetails): KeptDetails {
  return { details: JSON.stringify(details), tools: list ? JSON.stringify(list) : null }
}

/** Reads details in the form in which they are stored. Throws when they are damaged. */
export function readDetails({ details, tools: list }: KeptDetails): TraceDetails {
  const said: unknown = JSON.parse(details)
  const parsed: unknown = list === null ? undefined : JSON.parse(list)
  if (typeof said !== 'object' || said === null || Array.isArray(said))
    throw new SyntaxError('details are not an object')
  if (list !== null && !Array.isArray(parsed)) throw new SyntaxError('tools are not a list')
  return { ...said, ...(parsed !== undefined && { tools: parsed as NonNullable<TraceDetails['tools']> }) }
}

/**
 * The reason why a placeholder is in a trace: its rule, its kind of evidence and its score, without the replaced value.
 */
export interface ReplacementReason extends Omit<PlaceholderUse, 'placeholder' | 'value'> {
  /** Whether the contributor reported that the replaced text is not personal. */
  readonly isReported?: boolean
}

/** The maximum number of placeholders of a trace whose reasons are stored. */
const maxKept = 1_000

/** Collects the reasons of placeholders while a trace is scrubbed. */
export class ReplacementCollector {
  readonly #reasons: Map<string, ReplacementReason>

  /** @param stored the reasons that the trace already has, as JSON text. */
  constructor(stored = '{}') {
    this.#reasons = parseReplacements(stored)
  }

  readonly onPlaceholder = ({ placeholder, value: _, ...reason }: PlaceholderUse): void => {
    const key = placeholder.slice(1, -1)
    if (this.#reasons.size < maxKept && !this.#reasons.has(key)) this.#reasons.set(key, reason)
  }

  /** Returns the reasons as JSON text, an object by placeholder: `{"EMAIL_1":{"category":"email","rule":"email","score":1}}`. */
  toJson(): string {
    return JSON.stringify(Object.fromEntries(this.#reasons))
  }
}

/**
 * Reads the reasons of a trace's placeholders by name, such as `EMAIL_1` for `[EMAIL_1]`. Returns no reasons when the
 * text is damaged.
 */
export function parseReplacements(stored: string): Map<string, ReplacementReason> {
  try {
    const reasons: unknown = JSON.parse(stored)
    if (typeof reasons !== 'object' || reasons === null) return new Map()
    return new Map(
      Object.entries(reasons as Record<string, ReplacementReason>).filter(([, reason]) => isReason(reason)),
    )
  } catch {
    return new Map()
  }
}

const isReason = (reason: Partial<ReplacementReason> | null): boolean =>
  typeof reason?.rule === 'string' && typeof reason.category === 'string' && typeof reason.score === 'number'

/**
 * The number of characters of messages that are parsed between two yields to the event loop. Parsing them takes about a
 * millisecond.
 */
const parsedAtOnce = 256 * 1024

/**
 * The characters between two stored messages. Inside a JSON string, quotation marks are escaped with a backslash, so
 * these characters occur only between messages.
 */
const messageBorder = '},{"position":'

/**
 * Parses stored messages. Parses long texts in parts, and yields to the event loop between two parts. Throws the errors
 * of `JSON.parse`, and `SyntaxError` for a text that is not a list.
 */
export async function* parseMessages(
  messages: string,
  yieldToEventLoop: () => Promise<void>,
): AsyncGenerator<readonly unknown[]> {
  if (messages.length <= parsedAtOnce) {
    const parsed: unknown = JSON.parse(messages)
    if (!Array.isArray(parsed)) throw new SyntaxError('messages are not a list')
    yield parsed
    return
  }
  if (!messages.startsWith('[') || !messages.endsWith(']')) throw new SyntaxError('messages are not a list')
  for (let start = 1; start < messages.length;) {
    const border = messages.indexOf(messageBorder, start + parsedAtOnce)
    const end = border < 0 ? messages.length - 1 : border + 1
    yield JSON.parse(`[${messages.slice(start, end)}]`) as unknown[]
    start = end + 1
    await yieldToEventLoop()
  }
}
