import { fail, type Failure } from './failures.ts'
import type { PlainRequest } from './message.ts'
import type { Logger } from '../ports.ts'
import { limitHeaders } from './rate-limit.ts'

/** How the body is packed, from `content-type` and `content-encoding` (decisions section 1), or why it is refused. */
export function packing(request: PlainRequest, type: string): 'plain' | 'gzip' | Failure<'unsupported_content_type'> {
  const sent = (request.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase()
  if (sent !== type) return fail('unsupported_content_type', {}, [['accept', type]])
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding === 'identity' || encoding === '') return 'plain'
  if (encoding === 'gzip' || encoding === 'x-gzip') return 'gzip'
  return fail('unsupported_content_type', {}, [['accept-encoding', 'gzip']])
}

/** The answer to a body over its limit, which is in bytes after unpacking. */
export function tooLarge(limit: number): Failure<'body_too_large'> {
  return fail('body_too_large', {}, [['x-body-limit', String(limit)]])
}

/**
 * Reads the body into one array of at most `limit` bytes, unpacked. Stops reading at the first byte past the limit,
 * so a gzip bomb costs no more memory than the limit. `unpackedSize`: what a packed body says that it unpacks to, where that is known.
 */
export async function readBytes(
  request: PlainRequest,
  packed: 'plain' | 'gzip',
  limit: number,
  unpackedSize = Number.NaN,
): Promise<Uint8Array<ArrayBuffer> | Failure<'body_too_large' | 'invalid_json'>> {
  const declared = Number(request.headers['content-length'] ?? Number.NaN)
  if (declared > limit) return tooLarge(limit)
  if (!request.body) return new Uint8Array(0)
  if (packed === 'plain') return gather(request.body(), limit, declared)
  // A failing source must fail the read, not the unpacking: its error is kept apart from zlib's.
  let broken: unknown
  const source = watch(request.body(), (error) => (broken = error))
  const unpacked = readable(source).pipeThrough(
    new DecompressionStream('gzip') as ReadableWritablePair<Uint8Array, Uint8Array>,
  )
  try {
    return await gather(chunks(unpacked), limit, unpackedSize)
  } catch {
    if (broken) throw broken
    return fail('invalid_json')
  }
}

async function gather(
  source: AsyncIterable<Uint8Array>,
  limit: number,
  declared: number,
): Promise<Uint8Array<ArrayBuffer> | Failure<'body_too_large'>> {
  const parts: Uint8Array[] = []
  // A declared size is filled as it comes: kept apart until the end, a large body would be in memory twice.
  let room: Uint8Array<ArrayBuffer> | null = null
  let size = 0
  for await (const part of source) {
    if (size + part.byteLength > limit) return tooLarge(limit)
    if (size === 0 && part.byteLength < declared && declared <= limit) room = new Uint8Array(declared)
    if (room && size + part.byteLength <= room.byteLength) room.set(part, size)
    else {
      // More than declared: from a host that does not count, or packed in several members.
      if (room) parts.push(room.subarray(0, size))
      room = null
      parts.push(part)
    }
    size += part.byteLength
  }
  if (room) return size === room.byteLength ? room : room.slice(0, size)
  if (parts.length === 1 && size === declared && parts[0]!.buffer instanceof ArrayBuffer)
    return parts[0] as Uint8Array<ArrayBuffer>
  return joinBytes(parts, size)
}

/** Joins pieces that have `size` bytes in all. */
export function joinBytes(pieces: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(size)
  let offset = 0
  for (const piece of pieces) {
    joined.set(piece, offset)
    offset += piece.byteLength
  }
  return joined
}

async function* watch(
  source: AsyncIterable<Uint8Array>,
  onError: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* source
  } catch (error) {
    onError(error)
    throw error
  }
}

function readable(source: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await iterator.next()
      if (next.done) controller.close()
      else controller.enqueue(next.value)
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}

/** The chunks of a web stream; leaving the loop early cancels it. */
export async function* chunks(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  let done = false
  try {
    for (;;) {
      const next = await reader.read()
      if (next.done) {
        done = true
        return
      }
      yield next.value
    }
  } finally {
    if (!done) await reader.cancel().catch(() => undefined)
  }
}

/** How many bytes of request bodies may be under way at a time; null: any number. */
export interface BodyLimits {
  readonly personBodyBytes: number | null
  readonly processBodyBytes: number | null
}

/** Thrown where a body may not be read now; `failure` is the reply. */
class BodyRefused extends Error {
  override readonly name = 'BodyRefused'
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.code)
    this.failure = failure
  }
}

const retrySeconds = 10
/** Bodies up to this size have the last eighth of the process's bytes for themselves, so that large ones do not keep them out. */
const smallBody = 1024 * 1024

/** Counts the bytes of request bodies that are under way in this process: what a body declares, or what came of one that does not. */
export interface OpenBodies {
  /**
   * Runs what reads the request's body, which counts from then until `run` ends, for the person and for the process. Returns what
   * `run` returns, or the refusal where a limit is reached.
   */
  during<T>(request: PlainRequest, personKey: string, run: (counted: PlainRequest) => Promise<T>): Promise<T | Failure>
}

/** Makes the counter of a process. */
export function openBodies({ personBodyBytes, processBodyBytes }: BodyLimits, logger: Logger): OpenBodies {
  const persons = new Map<string, number>()
  let total = 0

  function add(personKey: string, bytes: number, size: number): void {
    const held = persons.get(personKey) ?? 0
    if (personBodyBytes !== null && held + bytes > personBodyBytes) {
      throw new BodyRefused(
        fail(
          'rate_limited',
          {},
          limitHeaders({
            name: 'person_body_bytes',
            limit: personBodyBytes,
            remaining: Math.max(0, personBodyBytes - held),
            retrySeconds,
            unit: 'content-bytes',
          }),
        ),
      )
    }
    const most = processBodyBytes === null ? Infinity : Math.floor(processBodyBytes * (size > smallBody ? 7 / 8 : 1))
    if (total + bytes > most) {
      logger.warn(
        { event: 'body.process_limit', bytes: total, limit: processBodyBytes },
        'a body was refused: too many are under way',
      )
      throw new BodyRefused(
        fail(
          'unavailable',
          {},
          limitHeaders({
            name: 'process_body_bytes',
            limit: processBodyBytes!,
            remaining: Math.max(0, most - total),
            retrySeconds,
            unit: 'content-bytes',
          }),
        ),
      )
    }
    persons.set(personKey, held + bytes)
    total += bytes
  }

  function remove(personKey: string, bytes: number): void {
    const left = persons.get(personKey)! - bytes
    if (left > 0) persons.set(personKey, left)
    else persons.delete(personKey)
    total -= bytes
  }

  return {
    async during(request, personKey, run) {
      const { body } = request
      if (!body || (personBodyBytes === null && processBodyBytes === null)) return run(request)
      let counted = 0
      const grow = (bytes: number): void => {
        if (bytes <= 0) return
        add(personKey, bytes, counted + bytes)
        counted += bytes
      }
      async function* read(): AsyncGenerator<Uint8Array> {
        let received = 0
        for await (const chunk of body!()) {
          received += chunk.byteLength
          grow(received - counted)
          yield chunk
        }
      }
      const open = (): AsyncIterable<Uint8Array> => {
        grow(Number(request.headers['content-length'] ?? 0))
        return read()
      }
      try {
        return await run({ ...request, body: open })
      } catch (error) {
        if (error instanceof BodyRefused) return error.failure
        throw error
      } finally {
        if (counted > 0) remove(personKey, counted)
      }
    },
  }
}
