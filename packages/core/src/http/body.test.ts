import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { readBytes, readChunks, readEncoding } from './body.ts'
import { Failure } from './failures.ts'
import { buildRequest } from './fixture.ts'

async function* yieldParts(sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0
  for (const size of sizes) yield Uint8Array.from({ length: size }, () => at++ % 251)
}

const read = (sizes: readonly number[], declared: string | undefined, limit = 100) =>
  readBytes(
    {
      method: 'POST',
      path: '/',
      query: [],
      headers: { 'content-length': declared },
      address: null,
      body: () => yieldParts(sizes),
    },
    'plain',
    limit,
  )

test.each([
  ['as declared, in one piece', [10], '10'],
  ['as declared, in pieces', [4, 0, 5, 1], '10'],
  ['nothing first', [0, 10], '10'],
  ['less than declared', [4, 2], '10'],
  ['more than declared', [4, 8], '10'],
  ['much more than declared', [4, 3, 8, 1, 1], '5'],
  ['undeclared', [4, 6], undefined],
  ['declared as no number', [4, 6], 'x'],
  ['none', [], '10'],
  ['at the limit', [60, 40], '100'],
])('readBytes returns the whole body: %s', async (_, sizes, declared) => {
  const total = sizes.reduce((sum, size) => sum + size, 0)
  expect(await read(sizes, declared)).toEqual(Uint8Array.from({ length: total }, (_, i) => i % 251))
})

test.each([
  ['declared', [1], '101'],
  ['declared less', [60, 41], '50'],
  ['undeclared', [60, 41], undefined],
  ['in one piece', [101], undefined],
])('readBytes returns body_too_large for one byte past the limit: %s', async (_, sizes, declared) => {
  const answer = await read(sizes, declared)
  expect(answer).toBeInstanceOf(Failure)
  expect((answer as Failure).code).toBe('body_too_large')
})

test('readBytes stops reading after the limit', async () => {
  let read = 0
  const yieldForever = async function* (): AsyncGenerator<Uint8Array> {
    for (;;) {
      read++
      yield new Uint8Array(50)
    }
  }
  await readBytes(
    { method: 'POST', path: '/', query: [], headers: {}, address: null, body: yieldForever },
    'plain',
    100,
  )
  expect(read).toBe(3)
})

test('readBytes returns no bytes for a request without a body', async () => {
  expect(await readBytes(buildRequest('POST', '/'), 'plain', 100)).toHaveLength(0)
})

test('readBytes returns a body that arrived in one piece of the declared size without copying it', async () => {
  const bytes = Uint8Array.of(1, 2, 3)
  const readDeclared = (declared: string) =>
    readBytes(buildRequest('POST', '/', { bytes, headers: { 'content-length': declared } }), 'plain', 100)
  expect(await readDeclared('3')).toBe(bytes)
  expect(await readDeclared('4')).toEqual(bytes)
})

describe('readBytes of a gzip body', () => {
  const clear = Uint8Array.from({ length: 300_000 }, (_, at) => (at * 31) % 251)
  const packed = new Uint8Array(gzipSync(clear))
  const unpack = (limit: number, unpackedSize?: number, bytes = packed) =>
    readBytes(buildRequest('POST', '/', { bytes }), 'gzip', limit, unpackedSize)

  test.each([undefined, clear.length, clear.length - 1, clear.length + 1])(
    'returns the decoded bytes when %s are expected',
    async (expected) => {
      const read = await unpack(clear.length, expected)
      expect(Buffer.from(read as Uint8Array).equals(clear)).toBe(true)
    },
  )

  test('returns body_too_large for one decoded byte past the limit', async () => {
    expect(await unpack(clear.length - 1)).toMatchObject({ code: 'body_too_large' })
  })

  test('does not count the bytes that gzip adds to data that it cannot compress, but refuses a size that gzip never has', async () => {
    const stored = new Uint8Array(gzipSync(clear, { level: 0 }))
    const declare = (size: number) =>
      readBytes(
        buildRequest('POST', '/', { bytes: stored, headers: { 'content-length': `${size}` } }),
        'gzip',
        clear.length,
      )
    expect(stored.length).toBeGreaterThan(clear.length)
    expect(await declare(stored.length)).toHaveLength(clear.length)
    expect(await declare(2 * clear.length)).toMatchObject({ code: 'body_too_large' })
  })

  test('returns invalid_json for bytes that are not gzip, and rethrows the error of a body that ends early', async () => {
    expect(await unpack(100, undefined, Uint8Array.of(1, 2, 3))).toMatchObject({ code: 'invalid_json' })
    const breaking = {
      ...buildRequest('POST', '/'),
      async *body() {
        yield packed.subarray(0, 100)
        throw new Error('gone')
      },
    }
    await expect(readBytes(breaking, 'gzip', 1e6)).rejects.toThrow('gone')
  })
})

describe('readEncoding', () => {
  const read = (headers: Record<string, string>) =>
    readEncoding(buildRequest('POST', '/', { headers }), 'application/json')

  test.each([
    [{}, 'plain'],
    [{ 'content-encoding': '' }, 'plain'],
    [{ 'content-encoding': 'Identity' }, 'plain'],
    [{ 'content-encoding': ' GZIP ' }, 'gzip'],
    [{ 'content-encoding': 'x-gzip' }, 'gzip'],
  ])('maps the headers %j to %s', (headers, encoding) => {
    expect(read({ 'content-type': 'Application/JSON ; charset=utf-8; a=b', ...headers })).toBe(encoding)
  })

  test.each([
    [{ 'content-type': 'text/plain' }, ['accept', 'application/json']],
    [{}, ['accept', 'application/json']],
    [{ 'content-type': 'application/json', 'content-encoding': 'br' }, ['accept-encoding', 'gzip']],
  ])('refuses %j and names what is accepted', (headers, header) => {
    expect(read(headers as Record<string, string>)).toMatchObject({
      code: 'unsupported_content_type',
      headers: [header],
    })
  })
})

test('readChunks cancels a stream that is left early, but not a stream that ended', async () => {
  let cancelled = 0
  const make = (): ReadableStream<Uint8Array> =>
    new ReadableStream({
      pull: (controller) => controller.enqueue(Uint8Array.of(1)),
      cancel: () => void cancelled++,
    })
  for await (const chunk of readChunks(make())) if (chunk.length > 0) break
  expect(cancelled).toBe(1)
  const ending = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(Uint8Array.of(1))
      controller.close()
    },
  })
  const read = []
  for await (const chunk of readChunks(ending)) read.push(...chunk)
  expect(read).toEqual([1])
})
