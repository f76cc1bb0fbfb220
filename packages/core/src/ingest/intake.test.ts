import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { Blobs } from '../ports.ts'
import { inlineIntake, type Receipt } from './intake.ts'

const MiB = 1024 * 1024
const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)
const makeTrace = (sourceId: string, more: object = {}): object => ({
  sourceId,
  createdAt: '2026-01-02T03:04:05Z',
  messages: [{ role: 'user', content: `hello ${sourceId}` }],
  ...more,
})

function openIntake(): {
  blobs: Map<string, Uint8Array>
  receive(body: string | Uint8Array, options?: { limit?: number; packed?: 'gzip' }): Promise<Receipt>
  turns(): number
} {
  const blobs = new Map<string, Uint8Array>()
  let turns = 0
  const port = {
    put: async (key: string, bytes: Uint8Array) => void blobs.set(key, bytes),
    get: async (key: string) => blobs.get(key) ?? null,
  } as unknown as Blobs
  const intake = inlineIntake({ blobs: port, yieldToEventLoop: async () => void turns++ })
  return {
    blobs,
    turns: () => turns,
    receive: (body, { limit = 64 * MiB, packed } = {}) =>
      intake.receive(
        {
          bytes: typeof body === 'string' ? encode(body) : (body as Uint8Array<ArrayBuffer>),
          packed: packed ?? 'plain',
        },
        limit,
        'upload/x',
      ),
  }
}

function listStored(blobs: Map<string, Uint8Array>): unknown[] {
  return [...blobs.keys()]
    .sort((a, b) => Number(a.split('/').at(-1)) - Number(b.split('/').at(-1)))
    .flatMap((key) => JSON.parse(new TextDecoder().decode(blobs.get(key))) as unknown[])
}

describe('receive', () => {
  it('returns every trace in order and the common source, with any white space', async () => {
    const { receive, blobs } = openIntake()
    const traces = [makeTrace('a "quoted" \\ {[', { source: 'codex_jsonl' }), makeTrace('b', { source: 'codex_jsonl' })]
    expect(await receive(`\n{ "note" : [1,{"a":"]}"}] , "traces" :\t${JSON.stringify(traces, null, 2)} }\r\n`)).toEqual(
      { kind: 'kept', total: 2, parts: 1, bytes: expect.any(Number), source: 'codex_jsonl' },
    )
    expect(listStored(blobs)).toEqual(traces)
  })

  it('reads at most two uploads at a time from the blob store, and continues after a failure', async () => {
    let [reading, most] = [0, 0]
    const get = async (key: string): Promise<Uint8Array> => {
      most = Math.max(most, ++reading)
      await new Promise((resolve) => setTimeout(resolve, 2))
      reading--
      if (key === 'put/3') throw new Error('broken')
      return encode(JSON.stringify({ traces: [makeTrace(key)] }))
    }
    const intake = inlineIntake({
      blobs: { get, put: async () => undefined } as unknown as Blobs,
      yieldToEventLoop: async () => undefined,
    })
    const receipts = await Promise.allSettled(
      Array.from({ length: 10 }, (_, n) => intake.receive({ blob: `put/${n}` }, MiB, `upload/${n}`)),
    )
    expect(receipts.map(({ status }) => status)).toEqual(
      Array.from({ length: 10 }, (_, n) => (n === 3 ? 'rejected' : 'fulfilled')),
    )
    expect(most).toBe(2)
  })

  it('returns the source mixed when sources differ, and unknown when no trace has a source', async () => {
    expect(
      await openIntake().receive(
        JSON.stringify({ traces: [makeTrace('a'), makeTrace('b', { source: 'gemini_cli' })] }),
      ),
    ).toMatchObject({ source: 'mixed' })
    expect(await openIntake().receive(JSON.stringify({ traces: [makeTrace('a')] }))).toMatchObject({
      source: 'unknown',
    })
  })

  it('accepts an unknown key that is sent twice, and refuses a second `traces` or `uploadId`', async () => {
    const [text, id] = [JSON.stringify([makeTrace('a')]), '"018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71"']
    expect(await openIntake().receive(`{"note":1,"traces":${text},"note":2}`)).toMatchObject({ kind: 'kept', total: 1 })
    for (const body of [`{"traces":${text},"tr\\u0061ces":[]}`, `{"uploadId":${id},"uploadId":${id}}`])
      expect(await openIntake().receive(body)).toMatchObject({ kind: 'refused', code: 'invalid_json' })
  })

  it('drops unknown keys', async () => {
    const { receive, blobs } = openIntake()
    const sent = {
      ...makeTrace('a', { secret: 'hunter2', deep: { er: [1] } }),
      messages: [{ content: 'x', secret: 'hunter3' }],
    }
    expect(await receive(JSON.stringify({ traces: [sent, makeTrace('b')] }))).toMatchObject({ kind: 'kept', total: 2 })
    expect(listStored(blobs)).toEqual([{ ...makeTrace('a'), messages: [{ content: 'x' }] }, makeTrace('b')])
  })

  it('closes a part at one megabyte, keeps a larger trace in one part, and yields to the event loop', async () => {
    const { receive, blobs, turns } = openIntake()
    const traces = [0.4, 0.4, 0.4, 2.5, 0.1].map((size, i) =>
      makeTrace(`t${i}`, { messages: [{ content: 'x'.repeat(size * MiB) }] }),
    )
    expect(await receive(JSON.stringify({ traces }))).toMatchObject({ total: 5, parts: 4 })
    expect(listStored(blobs)).toEqual(traces)
    expect(turns()).toBeGreaterThan(2)
  })

  it('accepts 0 to 1,000 traces', async () => {
    const makeBatch = (count: number): string =>
      JSON.stringify({ traces: Array.from({ length: count }, (_, i) => makeTrace(`t${i}`)) })
    expect(await openIntake().receive(makeBatch(1000))).toMatchObject({ kind: 'kept', total: 1000 })
    const { receive, blobs } = openIntake()
    expect(await receive(makeBatch(1001))).toEqual({
      kind: 'refused',
      code: 'invalid_body',
      issues: [{ path: ['traces'], code: 'too_big', message: expect.any(String) }],
    })
    expect(await receive('{"traces":[]}')).toEqual({ kind: 'kept', total: 0, parts: 0, bytes: 0, source: 'unknown' })
    expect(blobs.size).toBe(0)
  })

  it('returns up to 100 issues, without the sent values', async () => {
    const makeInvalidBatch = (count: number): string =>
      JSON.stringify({ traces: Array.from({ length: count }, () => ({ ...makeTrace('a'), model: 7, sourceId: '' })) })
    const three = await openIntake().receive(
      JSON.stringify({
        traces: [makeTrace('ok'), { sourceId: 'hunter2', messages: [{ content: 5 }] }, { createdAt: 'yesterday' }],
      }),
    )
    expect(three).toMatchObject({ kind: 'refused', code: 'invalid_body' })
    const { issues } = three as Extract<Receipt, { kind: 'refused' }>
    expect(issues.map(({ path }) => path.join('.')).sort()).toEqual([
      'traces.1.createdAt',
      'traces.1.messages.0.content',
      'traces.2.createdAt',
      'traces.2.messages',
      'traces.2.sourceId',
    ])
    expect(JSON.stringify(issues)).not.toMatch(/hunter2|yesterday/)
    expect(await openIntake().receive(makeInvalidBatch(80))).toSatisfy(
      (receipt: Receipt) => receipt.kind === 'refused' && receipt.issues.length === 100,
    )
    expect(await openIntake().receive(makeInvalidBatch(80).slice(0, -1))).toMatchObject({ code: 'invalid_json' })
  })

  it.each([
    ['an empty body', ''],
    ['a cut one', '{"traces":[{"sourceId":"a"'],
    ['text after the end', '{"traces":[]} x'],
    ['a trailing comma', '{"traces":[{}],}'],
    ['no comma', '{"traces":[{}{}]}'],
    ['a comma too much', '{"traces":[{},]}'],
    ['single quotes', "{'traces':[]}"],
    ['two lists', '{"traces":[],"traces":[]}'],
    ['bad brackets', '{"traces":[{"a":[}]]}'],
    ['no braces', '"traces":[]'],
    ['a bad literal', '{"traces":[],"a":nul}'],
    ['an open string', '{"traces":["a]}'],
    ['a bad key escape', '{"tr\\xaces":[]}'],
    ['NUL between', '{"traces":\0[]}'],
  ])('returns invalid_json for %s', async (_, body) => {
    expect(await openIntake().receive(body)).toEqual({ kind: 'refused', code: 'invalid_json', issues: [] })
  })

  it.each([
    ['null'],
    ['[]'],
    ['5'],
    ['{}'],
    ['{"traces":5}'],
    ['{"traces":{}}'],
    ['{"uploadId":"x"}'],
    ['{"traces":[null]}'],
    ['{"traces":[[]]}'],
    ['\ufeff[]'],
  ])('returns invalid_body for %s', async (body) => {
    const receipt = await openIntake().receive(body)
    expect(receipt).toMatchObject({ kind: 'refused', code: 'invalid_body' })
    expect((receipt as Extract<Receipt, { kind: 'refused' }>).issues.length).toBeGreaterThan(0)
  })

  it.each([
    ['null', 'null'],
    ['[]', 'array'],
    ['"text"', 'string'],
  ])('names the type of the body %s, which is not an object', async (body, type) => {
    const message = `Invalid input: expected object, received ${type}`
    const issues = [{ path: [], code: 'invalid_type', message }]
    expect(await openIntake().receive(body)).toEqual({ kind: 'refused', code: 'invalid_body', issues })
  })

  it('returns invalid_json for invalid UTF-8, in a text and between texts', async () => {
    const inside = encode(JSON.stringify({ traces: [makeTrace('aXb')] }))
    inside[inside.indexOf(0x58)] = 0xff
    expect(await openIntake().receive(inside)).toMatchObject({ code: 'invalid_json' })
    expect(await openIntake().receive(new Uint8Array([...encode('{"traces":[]'), 0xc3, 0x7d]))).toMatchObject({
      code: 'invalid_json',
    })
  })

  it.each([
    ['around', (deep: string) => deep],
    ['in an unknown member', (deep: string) => `{"traces":[${JSON.stringify(makeTrace('a'))}],"x":${deep}}`],
    ['as a trace', (deep: string) => `{"traces":[${deep}]}`],
    ['in a trace', (deep: string) => `{"traces":[{"x":${deep}}]}`],
  ])('refuses 100,000 nested brackets %s', async (_, wrap) => {
    const deep = '['.repeat(100_000)
    expect(await openIntake().receive(wrap(deep))).toMatchObject({ code: 'invalid_json' })
    expect(await openIntake().receive(wrap(deep + ']'.repeat(100_000)))).toMatchObject({
      kind: 'refused',
      code: 'invalid_body',
    })
  })

  it('stops at the first trace that is nested too deeply or exceeds the maximum number, and does not parse the rest', async () => {
    const deep = '['.repeat(20_000) + ']'.repeat(20_000)
    for (const [body, path] of [
      [`{"traces":[${JSON.stringify(makeTrace('a'))},{"x":${deep}} no JSON`, ['traces', 1]],
      [`{"x":${deep} no JSON`, ['x']],
      [`${deep} no JSON`, []],
    ] as const) {
      expect(await openIntake().receive(body)).toEqual({
        kind: 'refused',
        code: 'invalid_body',
        issues: [{ path, code: 'too_deep', message: expect.any(String) }],
      })
    }
    expect(await openIntake().receive(`{"traces":[${'{},'.repeat(100_001)} no JSON`)).toMatchObject({
      code: 'invalid_body',
      issues: [{ path: ['traces'], code: 'too_big' }],
    })
    expect(await openIntake().receive(`{"traces":[${'{},'.repeat(50_000)} no JSON`)).toMatchObject({
      code: 'invalid_json',
    })
  })

  it.each(['__proto__', 'constructor', 'prototype'])('refuses the key %s at any depth', async (key) => {
    const text = JSON.stringify(makeTrace('a'))
    for (const body of [
      `{"traces":[${text}],"${key}":{}}`,
      `{"traces":[${text.slice(0, -1)},"${key}":1}]}`,
      `{"traces":[${text.replace('{"role"', `{"${key}":[],"role"`)}]}`,
    ]) {
      expect(await openIntake().receive(body)).toMatchObject({
        kind: 'refused',
        code: 'invalid_body',
        issues: [{ code: 'forbidden_key' }],
      })
    }
  })

  it(
    'applies the limit to the unpacked body: accepts a body at the limit, refuses one byte more, and stops a gzip bomb',
    { tags: 'long' },
    async () => {
      const body = JSON.stringify({ traces: [makeTrace('a')] })
      for (const packed of [undefined, 'gzip'] as const) {
        const bytes = packed ? gzipSync(body) : body
        expect(await openIntake().receive(bytes, { limit: body.length, ...(packed && { packed }) })).toMatchObject({
          kind: 'kept',
        })
        expect(await openIntake().receive(bytes, { limit: body.length - 1, ...(packed && { packed }) })).toMatchObject({
          code: 'body_too_large',
        })
      }
      const bomb = gzipSync(Buffer.alloc(200 * MiB, 0x20), { level: 9 })
      const before = process.memoryUsage().arrayBuffers
      expect(await openIntake().receive(bomb, { limit: MiB, packed: 'gzip' })).toMatchObject({ code: 'body_too_large' })
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20 * MiB)
      expect(await openIntake().receive(body, { packed: 'gzip' })).toMatchObject({ code: 'invalid_json' })
    },
  )

  it('reads an upload from its blob, compressed or not, and returns an error for a missing blob', async () => {
    const blobs = new Map<string, Uint8Array>([
      ['put/a', encode(JSON.stringify({ traces: [makeTrace('a')] }))],
      ['put/b', gzipSync(JSON.stringify({ traces: [makeTrace('b')] }))],
    ])
    const port = {
      put: async (key: string, bytes: Uint8Array) => void blobs.set(key, bytes),
      get: async (key: string) => blobs.get(key) ?? null,
    } as unknown as Blobs
    const intake = inlineIntake({ blobs: port, yieldToEventLoop: async () => {} })
    for (const key of ['a', 'b'])
      expect(await intake.receive({ blob: `put/${key}` }, MiB, `upload/${key}`)).toMatchObject({
        kind: 'kept',
        total: 1,
      })
    expect(await intake.receive({ blob: 'put/c' }, MiB, 'upload/c')).toEqual({ kind: 'missing' })
    expect(await openIntake().receive('{"uploadId":"0198A1B2-0000-7000-8000-000000000000","x":1}')).toEqual({
      kind: 'upload',
      uploadId: '0198a1b2-0000-7000-8000-000000000000',
    })
  })
})
