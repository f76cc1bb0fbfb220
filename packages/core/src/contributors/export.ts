import { joinBytes } from '../http/body.ts'
import { timestamp } from '../ids.ts'
import type { Logger } from '../ports.ts'
import { JsonText, type AccountPart } from './store.ts'

const encoder = new TextEncoder()

/** The headers that make a browser save an export as a file. */
export const exportHeaders: readonly (readonly [string, string])[] = [
  ['content-type', 'application/json'],
  ['content-disposition', 'attachment; filename="tributary-account.json"'],
  ['cache-control', 'private, no-store'],
]

/** The keys of JSON that a client sent, which is exported unchanged. */
const sentKeys: ReadonlySet<string> = new Set(['diagnostics', 'events'])

/** Returns a value with timestamps in place of the milliseconds under keys that end in `At`, as in every reply. */
function formatTimes(value: unknown, key = ''): unknown {
  if (typeof value === 'number') return key.endsWith('At') ? timestamp(value) : value
  if (typeof value !== 'object' || value === null || sentKeys.has(key)) return value
  if (Array.isArray(value)) return value.map((item) => formatTimes(item))
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, formatTimes(inner, name)]))
}

/** Returns a value as JSON. */
const toJson = (value: unknown): string =>
  value instanceof JsonText ? value.text : (JSON.stringify(formatTimes(value)) ?? 'null')

function isPieces(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

async function* text(parts: readonly AccountPart[], ownerId: string, now: number): AsyncGenerator<string> {
  yield `{"ok":true,"exportedAt":"${timestamp(now)}","userId":${JSON.stringify(ownerId)},"account":{`
  let first = true
  for (const part of parts) {
    yield `${first ? '' : ','}${JSON.stringify(part.name)}:`
    first = false
    const held = part.export(ownerId)
    if (!isPieces(held)) {
      yield toJson(await held)
      continue
    }
    let comma = '['
    for await (const piece of held) {
      yield comma + toJson(piece)
      comma = ','
    }
    yield comma === '[' ? '[]' : ']'
  }
  yield '}}'
}

/**
 * Pieces are joined to about this many characters before they are sent. Smaller pieces cost more writes, and larger
 * pieces block the event loop for a longer time.
 */
const enough = 8 * 1024

export interface ExportDeps {
  readonly parts: readonly AccountPart[]
  /** Yields to the event loop, because neither a local store nor a fast client does. */
  readonly yieldToEventLoop: () => Promise<void>
  readonly logger: Logger
}

/**
 * Returns everything held about a person as the bytes of one JSON document, which are read from the store while they
 * are consumed. The first piece is read before this function resolves, so that a store that does not answer causes a
 * 503 and not a truncated document. A later failure is logged and thrown to the reader: the part that was sent until
 * then is not valid JSON.
 */
export async function exportParts(
  { parts, yieldToEventLoop, logger }: ExportDeps,
  ownerId: string,
  now: number,
): Promise<AsyncIterable<Uint8Array>> {
  const source = text(parts, ownerId, now)
  const stretch = async (): Promise<string> => {
    await yieldToEventLoop()
    let waiting = ''
    while (waiting.length < enough) {
      const next = await source.next()
      if (next.done) break
      waiting += next.value
    }
    return waiting
  }
  let waiting = await stretch()
  return (async function* () {
    try {
      for (; waiting !== ''; waiting = await stretch()) yield encoder.encode(waiting)
    } catch (error) {
      logger.error({ err: error }, 'account.export.failed')
      throw error
    } finally {
      await source.return(undefined)
    }
  })()
}

/** Reads a document into one array. Returns null, and stops reading, when the document has more than `limit` bytes. */
export async function readUpTo(document: AsyncIterable<Uint8Array>, limit: number): Promise<Uint8Array | null> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of document) {
    size += piece.length
    if (size > limit) return null
    pieces.push(piece)
  }
  return joinBytes(pieces, size)
}
