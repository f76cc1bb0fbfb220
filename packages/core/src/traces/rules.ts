import type { SaleState, TraceRecord } from './store.ts'

/** The trace sale state as E8, E9 and the list give it. */
export function saleState({ id, sellExcluded, saleCount }: SaleState) {
  return { id, sellExcluded, saleCount, locked: saleCount > 0 }
}

/** Whether stored messages are there and whole enough to send: a JSON array from its first to its last character. */
export function isReadable(messages: string | null): messages is string {
  return messages !== null && messages.startsWith('[') && messages.endsWith(']')
}

/**
 * E10's document as JSON text, keys in the order of decisions section 7. The messages and the redaction counts are JSON
 * already and are not parsed again.
 */
export function documentText(trace: TraceRecord, messages: string): string {
  const { id, source, sourceId, model, createdAt, parentTraceId, segmentIndex, contentHash } = trace
  const head = JSON.stringify({ id, source, sourceId, model, createdAt, parentTraceId, segmentIndex, contentHash })
  return `${head.slice(0, -1)},"scrub":{"version":${JSON.stringify(trace.scrubVersion)},"redactions":${trace.redactions}},"messages":${messages}}`
}

/** A place in a list as it goes out, base 36; null when the list ends. */
export function cursorText(place: number | null): string | null {
  return place === null ? null : place.toString(36)
}

/** The place that a cursor names; the contract has checked its shape. An empty one starts. */
export function cursorPlace(cursor: string | undefined): number | null {
  return cursor ? Number.parseInt(cursor, 36) : null
}

/** The ids of `sent`, once each and in that order, that are not in `done`. */
export function left(sent: readonly string[], done: readonly string[]): string[] {
  const taken = new Set(done)
  return [...new Set(sent)].filter((id) => !taken.has(id))
}
