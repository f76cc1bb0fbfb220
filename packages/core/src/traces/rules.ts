import { parseMessages, parseReplacements, readDetails, type KeptDetails } from './stored-json.ts'
import type { RescrubProgress } from './rescrub/store.ts'
import { timestamp } from '../ids.ts'
import type {
  ExportedTrace,
  ListedTrace,
  SaleState,
  StoredTrace,
  TraceFilter,
  TraceRecord,
  TraceState,
} from './store.ts'

/** A trace whose messages exist and can be read. */
export type ReadableTrace = StoredTrace & { readonly messages: string }

/** Returns the sale state of a trace as `GET` and `PATCH /api/traces/:id` and the list return it. */
export function saleState({ id, sellExcluded, saleCount }: SaleState) {
  return { id, sellExcluded, saleCount, locked: saleCount > 0 }
}

/** Returns the state of a trace. Each trace has exactly one state. */
export function traceState({ sellExcluded, saleCount }: SaleState): TraceState {
  if (saleCount > 0) return 'sold'
  return sellExcluded ? 'excluded' : 'for_sale'
}

/** Returns the ids of the traces in one state. A withdrawn trace stays excluded when its contributor includes it. */
export const idsInState = (traces: readonly SaleState[], sellExcluded: boolean): string[] =>
  traces.filter((trace) => trace.sellExcluded === sellExcluded).map(({ id }) => id)

/** Returns the counts of redactions by category. Returns no counts if the stored counts are damaged. */
export function redactionCounts({ redactions }: Pick<TraceRecord, 'redactions'>): Record<string, number> {
  if (redactions === '{}') return {}
  try {
    const counts = Object.entries(JSON.parse(redactions) as object).filter(([, count]) => Number.isSafeInteger(count))
    return Object.fromEntries(counts)
  } catch {
    return {}
  }
}

/** Returns the number of all redactions of a trace. */
export function totalRedactions(trace: Pick<TraceRecord, 'redactions'>): number {
  return Object.values(redactionCounts(trace)).reduce((sum, count) => sum + count, 0)
}

/** Returns the filter that a query asks for. */
export function toFilter({
  q,
  ...fields
}: Omit<TraceFilter, 'words'> & { readonly q?: string | undefined }): TraceFilter {
  return { ...fields, words: q?.split(/\s+/).filter((word) => word !== '') }
}

/** Returns a trace as the list returns it. */
export function listedTrace(trace: ListedTrace) {
  const { source, title, model, createdAt, storedAt, tokenCount, estimatedUsd } = trace
  return {
    ...saleState(trace),
    source,
    title,
    model,
    createdAt,
    uploadedAt: timestamp(storedAt),
    tokenCount,
    estimatedUsd,
    redactions: totalRedactions(trace),
  }
}

/**
 * Returns the trace if it can be sent, otherwise null. A trace can be sent if its messages exist, and its messages,
 * details and counts of redactions are JSON. Long messages are parsed in parts; the event loop runs between them.
 */
export async function toReadable(
  trace: StoredTrace,
  yieldToEventLoop: () => Promise<void>,
): Promise<ReadableTrace | null> {
  const { messages } = trace
  if (messages === null) return null
  try {
    const counts: unknown = JSON.parse(trace.redactions)
    if (typeof counts !== 'object' || counts === null) return null
    readDetails(trace)
    for await (const _ of parseMessages(messages, yieldToEventLoop));
    return trace as ReadableTrace
  } catch {
    return null
  }
}

/**
 * Returns the document of `GET /api/traces/:id/download` as JSON text, keys in the order of the interface. Messages,
 * details and redaction counts are JSON already and are not parsed again.
 */
export function documentText(trace: TraceRecord & KeptDetails, messages: string): string {
  const { id, source, sourceId, title, model, createdAt, parentTraceId, segmentIndex, contentHash } = trace
  const names = { id, source, sourceId, title, model, createdAt, parentTraceId, segmentIndex, contentHash }
  const head = JSON.stringify(names)
  const scrub = `{"version":${JSON.stringify(trace.scrubVersion)},"redactions":${trace.redactions}}`
  const tools = trace.tools === null ? '' : `"tools":${trace.tools},`
  const details = trace.details === '{}' ? '' : `${trace.details.slice(1, -1)},`
  return `${head.slice(0, -1)},"scrub":${scrub},${details}${tools}"messages":${messages}}`
}

/**
 * Returns the entry of an export for a trace that it skips: the document of a downloaded trace without its messages,
 * details and counts, and the reason.
 */
export function skippedText(trace: TraceRecord & KeptDetails, skipped: string): string {
  const document = documentText({ ...trace, redactions: '{}', details: '{}', tools: null }, 'null')
  return `${document.slice(0, -1)},"skipped":${JSON.stringify(skipped)}}`
}

/**
 * Adds to a document the data that only its contributor may see: value, sale state, and the sales that contained the
 * trace.
 */
export function addTraceState(document: string, trace: ExportedTrace): string {
  const { tokenCount, estimatedUsd, storedAt, termsVersion, country, sales } = trace
  const { id: _, ...state } = saleState(trace)
  const more = JSON.stringify({
    tokenCount,
    estimatedUsd,
    storedAt: timestamp(storedAt),
    termsVersion,
    country,
    replacements: Object.fromEntries(parseReplacements(trace.replacements)),
    ...state,
    sales: sales.map((sale) => ({ ...sale, soldAt: timestamp(sale.soldAt) })),
  })
  return `${document.slice(0, -1)},${more.slice(1)}`
}

/** Returns the ids of `sent` that are not in `done`, each once, in the order of `sent`. */
export function listRemainingIds(sent: readonly string[], done: readonly string[]): string[] {
  const taken = new Set(done)
  return [...new Set(sent)].filter((id) => !taken.has(id))
}

/** Returns the numbers of people and of stored traces that the worker of background re-scrubbing still has to check. */
export function remainingRescrub(
  { version, cursor, last, people }: RescrubProgress,
  scrubVersion: string,
): { readonly people: number; readonly traces: number } {
  return { people, traces: Math.max(0, last - (version === scrubVersion ? cursor : 0)) }
}

const versionOfDay = /^(\d{4}-\d{2}-\d{2})\.(\d+)/

/**
 * Returns whether a scrub version is newer than another. A version is a date and a number within that day. Versions of
 * another form have no order.
 */
export function isNewerVersion(version: string, than: string): boolean {
  const [one, other] = [versionOfDay.exec(version), versionOfDay.exec(than)]
  if (!one || !other) return false
  return one[1] === other[1] ? Number(one[2]) > Number(other[2]) : one[1]! > other[1]!
}
