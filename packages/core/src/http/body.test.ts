import { expect, test } from 'vitest'
import { readBytes } from './body.ts'
import { Failure } from './failures.ts'

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
