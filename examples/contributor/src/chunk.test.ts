import { describe, expect, test } from 'vitest'
import { packChunks, splitTrace } from './chunk.ts'
import type { Trace } from './sessions/trace.ts'

const makeTrace = (sourceId: string, ...contents: string[]): Trace => ({
  source: 'unknown',
  sourceId,
  createdAt: '2026-01-01T00:00:00Z',
  messages: contents.map((content) => ({ role: 'user', content })),
})

describe('packChunks', () => {
  test('packs traces in order into chunks of at most the given number of traces and bytes; a body is the JSON of its traces', () => {
    const every = Array.from({ length: 25 }, (_, i) => makeTrace(`t${i}`, 'x'.repeat(100)))
    const packed = packChunks(every, 1000, 4)
    expect(packed.flatMap((chunk) => (JSON.parse(chunk.body) as { traces: Trace[] }).traces)).toEqual(every)
    for (const { traces, body } of packed) {
      expect(traces.length).toBeLessThanOrEqual(4)
      expect(body.length).toBeLessThanOrEqual(1000 + '{"traces":[]}'.length + traces.length)
    }
  })

  test('returns one chunk for 1,000 traces, two chunks for 1,001, no chunk for 0, and a separate chunk for a long trace', () => {
    const many = Array.from({ length: 1001 }, (_, i) => makeTrace(`t${i}`, 'x'))
    expect(packChunks(many.slice(0, 1000)).map(({ traces }) => traces.length)).toEqual([1000])
    expect(packChunks(many).map(({ traces }) => traces.length)).toEqual([1000, 1])
    expect(packChunks([])).toEqual([])
    expect(
      packChunks([makeTrace('a', 'x'), makeTrace('b', 'x'.repeat(500)), makeTrace('c', 'x')], 200).map(
        ({ traces }) => traces.length,
      ),
    ).toEqual([1, 1, 1])
  })
})

describe('splitTrace', () => {
  test('returns a conversation within the limit unchanged, without an index', () => {
    expect(splitTrace(makeTrace('a', 'x'), 500)).toEqual([makeTrace('a', 'x')])
  })

  test('cuts a longer conversation between messages into numbered pieces that together contain all messages', () => {
    const long = makeTrace('a', ...Array.from({ length: 40 }, (_, i) => `${i} ${'x'.repeat(60)}`))
    const pieces = splitTrace(long, 500)
    expect(pieces.map(({ segmentIndex }) => segmentIndex)).toEqual(pieces.map((_, i) => i))
    expect(pieces.flatMap(({ messages }) => messages)).toEqual(long.messages)
    for (const piece of pieces) expect(JSON.stringify(piece.messages).length).toBeLessThanOrEqual(600)
  })

  test('cuts a single message that is too long, and marks it as truncated', () => {
    const [piece] = splitTrace(makeTrace('a', 'x'.repeat(5000)), 1000)
    expect(piece!.messages).toEqual([{ role: 'user', content: 'x'.repeat(500), truncated: true }])
  })
})
