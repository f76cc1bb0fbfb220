import { readBytes } from '../http/body.ts'
import { itemAt } from '../lists.ts'
import { Failure, type Issue } from '../http/failures.ts'
import { check, maxIssues, parseJson, findForbiddenKey } from '../http/parse.ts'
import type { Blobs } from '../ports.ts'
import { IngestBody, maxTraces, type TraceSent } from './contract.ts'
import { validateTrace, parseSpan, walk } from './validate.ts'

/** The source of a batch: the body of the request, or a blob that was uploaded separately. */
export type Batch =
  | { readonly bytes: Uint8Array<ArrayBuffer>; readonly packed: 'plain' | 'gzip' }
  | { readonly blob: string }

/** The result of reading a batch. It is plain data, so that one thread can send it to another. */
export type Receipt =
  /**
   * Every trace is valid and durably stored. `bytes` is the total size. `parts` is the number of blobs: `<key>/0`,
   * `<key>/1` and so on, each a JSON array of whole traces.
   */
  | {
      readonly kind: 'kept'
      readonly total: number
      readonly parts: number
      readonly bytes: number
      readonly source: string
    }
  /** The body contains the id of an upload and no traces. Nothing was stored. */
  | { readonly kind: 'upload'; readonly uploadId: string }
  /** The traces were refused, and nothing was stored. */
  | {
      readonly kind: 'refused'
      readonly code: 'invalid_json' | 'invalid_body' | 'body_too_large'
      readonly issues: Issue[]
    }
  /** The blob does not exist. */
  | { readonly kind: 'missing' }

/**
 * Receives the batch of a `POST /api/ingest`: decompresses a batch of at most `limit` decoded bytes, validates every
 * trace, and stores the batch durably under `key`. It is a port, so that a host can run `inlineIntake` in another
 * thread and exchange messages with it.
 */
export interface Intake {
  receive(batch: Batch, limit: number, key: string): Promise<Receipt>
}

export interface IntakeDeps {
  readonly blobs: Blobs
  /** Yields to the event loop. */
  readonly yieldToEventLoop: () => Promise<void>
}

/** The size in bytes at which a part is closed, so that a worker needs little memory even for a large batch. */
const partBytes = 1024 * 1024
/**
 * The number of parts that are written at a time. A local store writes them in one transaction, which holds the write
 * lock for about 10 ms.
 */
const partsAtOnce = 5
/** The number of bytes that are read before the intake yields to the event loop. */
const stride = 512 * 1024

/**
 * The number of batches that are read from the blobs or decompressed at a time. Each batch may be as large as the
 * limit, even if its request was small.
 */
const growingAtOnce = 2

/** Creates an intake in this thread. It yields to the event loop after every half megabyte. */
export function inlineIntake({ blobs, yieldToEventLoop }: IntakeDeps): Intake {
  const limited = concurrencyLimit(growingAtOnce)
  return {
    receive(batch, limit, key) {
      const run = (): Promise<Receipt> => receive(batch, limit, key)
      return 'blob' in batch || batch.packed === 'gzip' ? limited(run) : run()
    },
  }

  async function receive(batch: Batch, limit: number, key: string): Promise<Receipt> {
    const packed = 'blob' in batch ? await blobs.get(batch.blob) : batch.bytes
    if (!packed) return { kind: 'missing' }
    const bytes = await unpack(
      packed as Uint8Array<ArrayBuffer>,
      'blob' in batch ? detectEncoding(packed) : batch.packed,
      limit,
    )
    if (bytes instanceof Failure) return { kind: 'refused', code: bytes.code, issues: [] }
    const read = await examineAll(bytes, yieldToEventLoop)
    if ('kind' in read) return read
    const parts = await storeParts(blobs, key, bytes, read.kept, yieldToEventLoop)
    const size = read.kept.reduce((sum, one) => sum + measureSize(one), 0)
    return { kind: 'kept', total: read.kept.length, parts, bytes: size, source: read.source }
  }
}

/** Returns a function that runs functions in the order of its calls, at most `most` at a time. */
function concurrencyLimit(most: number): <T>(run: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (run) => {
    if (running === most) await new Promise<void>((resolve) => waiting.push(resolve))
    else running++
    try {
      return await run()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}

/** Detects gzip, because an upload has no headers. JSON never starts like gzip (RFC 1952, section 2.3.1). */
const detectEncoding = (bytes: Uint8Array): 'plain' | 'gzip' =>
  bytes[0] === 0x1f && bytes[1] === 0x8b ? 'gzip' : 'plain'

async function unpack(
  bytes: Uint8Array<ArrayBuffer>,
  packed: 'plain' | 'gzip',
  limit: number,
): Promise<Uint8Array | Failure<'body_too_large' | 'invalid_json'>> {
  const body = async function* (): AsyncGenerator<Uint8Array> {
    if (packed === 'plain') yield bytes
    else for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
  }
  const headers = packed === 'plain' ? { 'content-length': String(bytes.length) } : {}
  // The last four bytes of a gzip body are its unpacked size (ISIZE, RFC 1952, section 2.3.1).
  const unpackedSize =
    packed === 'gzip' && bytes.length > 4
      ? new DataView(bytes.buffer, bytes.byteOffset).getUint32(bytes.length - 4, true)
      : Number.NaN
  return readBytes({ method: 'POST', path: '', query: [], headers, address: null, body }, packed, limit, unpackedSize)
}

/** A trace as it will be stored: its start and end in the body, or its bytes if unknown keys were removed. */
type Kept = { readonly start: number; readonly end: number } | Uint8Array

const tooMany: Issue[] = [
  { path: ['traces'], code: 'too_big', message: `Too big: expected array to have <=${maxTraces} items` },
]
const reportTooDeep = (path: (string | number)[]): Issue[] => [{ path, code: 'too_deep', message: 'nested too deep' }]
const hostileTraces = 100 * maxTraces

async function examineAll(
  bytes: Uint8Array,
  yieldToEventLoop: () => Promise<void>,
): Promise<{ kept: Kept[]; source: string } | Receipt> {
  const kept: Kept[] = []
  const issues: Issue[] = []
  // Without a prototype, `__proto__` is an ordinary key.
  const rest = Object.create(null) as Record<string, unknown>
  let [source, count, turned] = ['', 0, 0]
  const refuse = (code: 'invalid_json' | 'invalid_body', why: Issue[] = []): Receipt => ({
    kind: 'refused',
    code,
    issues: why.slice(0, maxIssues),
  })
  const steps = walk(bytes)
  let step = steps.next()
  for (; !step.done; step = steps.next()) {
    const span = step.value
    // Only an attacker would send such a body. The rest of it is not read, because that would delay other batches.
    if (span.deep) return refuse('invalid_body', reportTooDeep(span.key === null ? ['traces', count] : [span.key]))
    if (count > hostileTraces) return refuse('invalid_body', tooMany)
    const value = parseValue(bytes, span)
    if (value === undefined) return refuse('invalid_json')
    if (span.key !== null) rest[span.key] = value
    // After a limit is reached no issue is added, but the rest must still be JSON.
    else if (count++ < maxTraces && issues.length < maxIssues) {
      const wrong = validateTrace(value, count - 1)
      if (wrong && 'issues' in wrong) issues.push(...wrong.issues)
      else kept.push(wrong ? encode(wrong.keep) : { start: span.start, end: span.end })
      const from = (value as TraceSent | null)?.source ?? 'unknown'
      source = count === 1 || source === from ? from : 'mixed'
    }
    if (span.end - turned > stride) {
      turned = span.end
      await yieldToEventLoop()
    }
  }
  if (step.value === 'broken') return refuse('invalid_json')
  if (step.value === 'deep') return refuse('invalid_body', reportTooDeep([]))
  if (step.value === 'other') {
    const body = parseJson(bytes)
    return body instanceof Failure ? refuse('invalid_json') : refuse('invalid_body', listShapeIssues(body.value))
  }
  const place = findForbiddenKey(rest)
  if (place) issues.unshift(place)
  if (count > maxTraces) return refuse('invalid_body', tooMany)
  if (issues.length > 0) return refuse('invalid_body', issues)
  if (count > 0) return { kept, source }
  // The interface sets no minimum: a client without new traces gets a job that is already done.
  if (Array.isArray(rest['traces']) && rest['traces'].length === 0) return { kept: [], source: 'unknown' }
  if (!('traces' in rest)) {
    const named = check(IngestBody.options[1], rest)
    if ('value' in named) return { kind: 'upload', uploadId: named.value.uploadId }
    if ('uploadId' in rest) return refuse('invalid_body', named.issues)
  }
  return refuse('invalid_body', listShapeIssues(rest))
}

function listShapeIssues(value: unknown): Issue[] {
  const checked = check(IngestBody.options[0], value)
  return 'issues' in checked ? checked.issues : []
}

/** Parses JSON. Returns undefined for invalid JSON, because undefined is not a JSON value. */
function parseValue(bytes: Uint8Array, span: { start: number; end: number }): unknown {
  try {
    return parseSpan(bytes, span)
  } catch {
    return undefined
  }
}

const utf8 = new TextEncoder()
const encode = (value: unknown): Uint8Array => utf8.encode(JSON.stringify(value))

/** Writes the parts, a few at a time. If all were written at once, a slow store would keep all of them in memory. */
async function storeParts(
  blobs: Blobs,
  key: string,
  bytes: Uint8Array,
  kept: readonly Kept[],
  yieldToEventLoop: () => Promise<void>,
): Promise<number> {
  let [part, from] = [0, 0]
  while (from < kept.length) {
    const under: Promise<void>[] = []
    for (; under.length < partsAtOnce && from < kept.length; part++) {
      const to = findPartEnd(kept, from)
      under.push(blobs.put(`${key}/${part}`, joinTraces(bytes, kept.slice(from, to))))
      from = to
    }
    await Promise.all(under)
    // A local store answers without yielding to the event loop.
    await yieldToEventLoop()
  }
  return part
}

/**
 * Returns the end of the part that starts at `from`. A part ends when it is full, or before a trace that is larger than
 * a part.
 */
function findPartEnd(kept: readonly Kept[], from: number): number {
  let size = 0
  for (let at = from; at < kept.length; at++) {
    size += measureSize(itemAt(kept, at)) + 1
    if (size > partBytes && at > from) return at
  }
  return kept.length
}

/** Joins traces to one JSON array. */
function joinTraces(bytes: Uint8Array, kept: readonly Kept[]): Uint8Array {
  const whole = new Uint8Array(kept.reduce((size, one) => size + measureSize(one) + 1, 1))
  let at = 0
  for (const one of kept) {
    whole[at] = at === 0 ? 0x5b : 0x2c
    whole.set(one instanceof Uint8Array ? one : bytes.subarray(one.start, one.end), at + 1)
    at += measureSize(one) + 1
  }
  whole[at] = 0x5d
  return whole
}

const measureSize = (one: Kept): number => (one instanceof Uint8Array ? one.length : one.end - one.start)
