import { itemAt } from '../lists.ts'
import type { TraceDetails } from './detail-schemas.ts'

/**
 * Returns the details with `map` applied to each text that may contain personal data: values and, within a JSON Schema,
 * also keys and long numbers. The order of the texts depends only on the details.
 */
function mapDetailTexts<Details extends TraceDetails>(details: Details, map: (text: string) => string): Details {
  const { agent, tools: list, outcome } = details
  return {
    ...details,
    ...(agent && { agent: mapFields(agent, ['name', 'version'], map) }),
    ...(list && {
      tools: list.map((tool) => {
        const texts = mapFields(tool, ['name', 'description'], map)
        return { ...texts, ...(tool.parameters && { parameters: mapJson(tool.parameters, map) }) }
      }),
    }),
    ...(outcome && { outcome: mapFields(outcome, ['note'], map) }),
  }
}

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

/** Returns the texts of details, in the order of `mapDetailTexts`. */
export function detailTexts(details: TraceDetails): string[] {
  const texts: string[] = []
  mapDetailTexts(details, (text) => {
    texts.push(text)
    return text
  })
  return texts
}

/** Returns the details with the texts of `detailTexts` replaced. */
export function withDetailTexts(details: TraceDetails, texts: readonly string[]): TraceDetails {
  let at = 0
  return mapDetailTexts(details, () => itemAt(texts, at++))
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
