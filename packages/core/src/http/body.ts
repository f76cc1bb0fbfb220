import { fail, invalid, type Failure } from './failures.ts'
import { firstOf } from '../lists.ts'
import type { PlainRequest } from './message.ts'
import type { Logger } from '../ports.ts'
import { limitHeaders } from './rate-limit.ts'

/**
 * Returns the encoding of the body by `content-type` and `content-encoding`, or the failure that
 * refuses it.
 */
export function readEncoding(
  request: PlainRequest,
  type: string,
): 'plain' | 'gzip' | Failure<'unsupported_content_type'> {
  // No test can notice a change of `1`: only the first part is read.
  const sent = firstOf((request.headers['content-type'] ?? '').split(';', 1))
    .trim()
    .toLowerCase()
  if (sent !== type) return fail('unsupported_content_type', {}, [['accept', type]])
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding === 'identity' || encoding === '') return 'plain'
  if (encoding === 'gzip' || encoding === 'x-gzip') return 'gzip'
  return fail('unsupported_content_type', {}, [['accept-encoding', 'gzip']])
}

/** Creates the failure for a body over its limit, in decoded bytes. */
export function bodyTooLarge(limit: number): Failure<'body_too_large'> {
  return fail('body_too_large', {}, [['x-body-limit', String(limit)]])
}

/**
 * Returns the largest size after gzip of data that cannot be compressed: 5 bytes for each block of 16 KiB or more, and
 * the frame (RFC 1951, 3.2.4).
 */
export const maxCompressedSize = (limit: number): number => limit + Math.ceil(limit / 2048) + 1024

/**
 * Reads and decodes the body into one array of at most `limit` bytes. Stops at the first byte past the limit, so that a
 * gzip bomb costs no more memory than the limit. `unpackedSize` is the decoded size of a gzip body, if known.
 */
export async function readBytes(
  request: PlainRequest,
  packed: 'plain' | 'gzip',
  limit: number,
  unpackedSize = Number.NaN,
): Promise<Uint8Array<ArrayBuffer> | Failure<'body_too_large' | 'invalid_json'>> {
  const declared = Number(request.headers['content-length'] ?? Number.NaN)
  if (declared > (packed === 'gzip' ? maxCompressedSize(limit) : limit)) return bodyTooLarge(limit)
  if (!request.body) return new Uint8Array(0)
  if (packed === 'plain') return joinChunks(request.body(), limit, declared)
  // An error of the source is rethrown; an error of zlib is a body that is not valid gzip.
  let broken: unknown
  const source = watchErrors(request.body(), (error) => (broken = error))
  const unpacked = toReadableStream(source).pipeThrough(
    new DecompressionStream('gzip') as ReadableWritablePair<Uint8Array, Uint8Array>,
  )
  try {
    return await joinChunks(readChunks(unpacked), limit, unpackedSize)
  } catch {
    if (broken) throw broken
    return invalid('invalid_json', { path: [], code: 'invalid_gzip', message: 'the body is not valid gzip' })
  }
}

async function joinChunks(
  source: AsyncIterable<Uint8Array>,
  limit: number,
  declared: number,
): Promise<Uint8Array<ArrayBuffer> | Failure<'body_too_large'>> {
  const parts: Uint8Array[] = []
  // A body with a declared size is written into one array as it arrives, so that it is in memory once.
  let room: Uint8Array<ArrayBuffer> | null = null
  let size = 0
  for await (const part of source) {
    if (size + part.byteLength > limit) return bodyTooLarge(limit)
    // No test can notice a change of `0` or `<=`, which only decide whether bytes are copied.
    if (size === 0 && part.byteLength < declared && declared <= limit) room = new Uint8Array(declared)
    // No test can notice a change of `<=`, which only decides whether bytes are copied.
    if (room && size + part.byteLength <= room.byteLength) room.set(part, size)
    else {
      // The body is longer than declared: the host does not check the length, or gzip has several members.
      if (room) parts.push(room.subarray(0, size))
      room = null
      parts.push(part)
    }
    size += part.byteLength
  }
  if (room) return size === room.byteLength ? room : room.slice(0, size)
  const [only] = parts
  if (parts.length === 1 && size === declared && only?.buffer instanceof ArrayBuffer)
    return only as Uint8Array<ArrayBuffer>
  return joinBytes(parts, size)
}

/** Joins pieces with `size` bytes in total. */
export function joinBytes(pieces: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(size)
  let offset = 0
  for (const piece of pieces) {
    joined.set(piece, offset)
    offset += piece.byteLength
  }
  return joined
}

async function* watchErrors(
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

function toReadableStream(source: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
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

/** Yields the chunks of a web stream. Leaving the loop early cancels the stream. */
export async function* readChunks(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  let done = false
  try {
    for (;;) {
      const next = await reader.read()
      if (next.done) {
        // No test can notice a change of `true`: cancelling a stream that ended has no effect.
        done = true
        return
      }
      yield next.value
    }
  } finally {
    if (!done) await reader.cancel().catch(() => undefined)
  }
}

/**
 * The maximum number of bytes of request bodies that may be received at the same time, for one person and for the
 * process. Null means that there is no limit.
 */
export interface BodyLimits {
  readonly personBodyBytes: number | null
  readonly processBodyBytes: number | null
}

/** Thrown when a limit on open bodies is reached; `failure` is the reply. */
class BodyRefused extends Error {
  override readonly name = 'BodyRefused'
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.code)
    this.failure = failure
  }
}

function refuseBody(code: 'rate_limited' | 'unavailable', name: string, limit: number, left: number): BodyRefused {
  const named = { name, limit, remaining: Math.max(0, left), retrySeconds: 10, unit: 'content-bytes' } as const
  return new BodyRefused(fail(code, {}, limitHeaders(named)))
}

/** Bodies up to this size may use the last eighth of the process's bytes, so that larger bodies do not block them. */
const smallBody = 1024 * 1024

/**
 * Limits the bytes of request bodies that this process receives at the same time. A body counts with its declared size,
 * or with the bytes received so far.
 */
export interface BodyBudget {
  /**
   * Runs a function that reads the request's body. The body counts for the person and the process until the function
   * ends. Returns what the function returns, or the failure when a limit is reached.
   */
  run<T>(request: PlainRequest, personKey: string, run: (counted: PlainRequest) => Promise<T>): Promise<T | Failure>
}

/** Creates the body budget of a process. */
export function createBodyBudget({ personBodyBytes, processBodyBytes }: BodyLimits, logger: Logger): BodyBudget {
  const persons = new Map<string, number>()
  let total = 0

  function add(personKey: string, bytes: number, size: number): void {
    const held = persons.get(personKey) ?? 0
    if (personBodyBytes !== null && held + bytes > personBodyBytes)
      throw refuseBody('rate_limited', 'person_body_bytes', personBodyBytes, personBodyBytes - held)
    const limit = processBodyBytes ?? Infinity
    const most = Math.floor(limit * (size > smallBody ? 7 / 8 : 1))
    if (total + bytes > most) {
      logger.warn({ bytes: total, limit }, 'body.process_limit')
      throw refuseBody('unavailable', 'process_body_bytes', limit, most - total)
    }
    persons.set(personKey, held + bytes)
    total += bytes
  }

  function remove(personKey: string, bytes: number): void {
    const left = (persons.get(personKey) ?? 0) - bytes
    // No test can notice a change of `>`: a count of 0 means the same as no count.
    if (left > 0) persons.set(personKey, left)
    else persons.delete(personKey)
    total -= bytes
  }

  return {
    async run(request, personKey, run) {
      const { body } = request
      if (!body || (personBodyBytes === null && processBodyBytes === null)) return run(request)
      let counted = 0
      const grow = (bytes: number): void => {
        if (bytes <= 0) return
        add(personKey, bytes, counted + bytes)
        counted += bytes
      }
      const read = async function* (): AsyncGenerator<Uint8Array> {
        let received = 0
        for await (const chunk of body()) {
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
        // No test can notice a change of `>`: a removal of 0 bytes has no effect.
        if (counted > 0) remove(personKey, counted)
      }
    },
  }
}
