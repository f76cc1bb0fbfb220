import { gunzipSync } from 'node:zlib'
import type { PlainReply, PlainRequest, Service } from '@tributary/core'
import type { Context } from 'aws-lambda'
import {
  createTestStores,
  invokeWithEvent,
  echoService,
  fixture,
  parseResult,
  gateways,
  lambdaHost,
  toEvent,
  type Gateway,
} from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { jsonLogger, lambdaPlatform, toLambdaHandler, UnsupportedEvent, type LambdaHandler } from './index.ts'

const every = Object.keys(gateways) as Gateway[]
const invoke =
  (handler: LambdaHandler) =>
  (event: unknown): Promise<unknown> =>
    handler(event as never)

/** Creates a service that answers every request with the given reply, and records the requests. */
function createReplyingService(reply: Partial<PlainReply>): Service & { asked: PlainRequest[] } {
  const asked: PlainRequest[] = []
  return {
    ...echoService(),
    asked,
    async handle(request) {
      asked.push(request)
      return { status: 200, headers: [['content-type', 'text/plain']], body: null, ...reply }
    },
  }
}

const call = { method: 'GET', target: '/a', headers: [], body: null } as const

describe('toLambdaHandler: events', () => {
  test.each([
    [{ Records: [{ eventSource: 'aws:sqs', body: 'secret' }] }, 'toQueueHandler'],
    [{ 'source': 'aws.events', 'detail-type': 'Scheduled Event' }, 'toScheduleHandler'],
    [{ requestContext: { connectionId: 'x', routeKey: '$connect' }, headers: {} }, 'WebSocket'],
    [{ hello: 'secret' }, 'its fields are hello'],
    [{}, 'none'],
    [null, 'not an object'],
    ['secret', 'not an object'],
    [[], 'not an object'],
    [{ version: '2.0', requestContext: {}, rawPath: '/' }, 'its fields are'],
  ])('refuses %j with an error that describes its kind and contains none of its values', async (event, says) => {
    const refused = await toLambdaHandler(echoService())(event as never).then(
      () => null,
      (error: unknown) => error,
    )
    expect(refused).toBeInstanceOf(UnsupportedEvent)
    expect((refused as Error).message).toContain(says)
    expect((refused as Error).message).not.toContain('secret')
  })

  test('uses the id of the invocation as the id of a request without one', async () => {
    const service = createReplyingService({})
    const handler = toLambdaHandler(service)
    const context = { awsRequestId: '8476a536-e9f4-11e8-9739-2dfe598c3fcd' } as Context
    await handler(toEvent(call, { gateway: 'http' }) as never, context)
    await handler(toEvent({ ...call, headers: [['X-Request-Id', 'mine']] }, { gateway: 'http' }) as never, context)
    expect(service.asked.map(({ headers }) => headers['x-request-id'])).toEqual([context.awsRequestId, 'mine'])
  })

  test('declares two parameters, as the Lambda runtime requires', () => {
    expect(toLambdaHandler(echoService())).toHaveLength(2)
  })

  test.each(every)('returns the matching reply to each of many concurrent calls of %s', async (gateway) => {
    const host = lambdaHost(invoke(toLambdaHandler(echoService())), { gateway })
    const words = Array.from({ length: 40 }, (_, i) => `word-${i}`)
    const replies = await Promise.all(
      words.map((word) => host.request('POST', `/echo/${word}`, [['x-own', word]], [Buffer.from(word)])),
    )
    for (const [at, { body }] of replies.entries()) {
      const said = JSON.parse(Buffer.from(body).toString()) as {
        word: string
        headers: Record<string, string>
        bytes: number[]
      }
      expect([said.word, said.headers['x-own'], Buffer.from(said.bytes).toString()]).toEqual([
        words[at],
        words[at],
        words[at],
      ])
    }
  })

  test.each(every)('%s: uses the peer address of the platform, not the headers of the client', async (gateway) => {
    const service = createReplyingService({})
    await lambdaHost(invoke(toLambdaHandler(service)), { gateway }).request('GET', '/a', [
      ['x-forwarded-for', '198.51.100.7'],
    ])
    expect(service.asked[0]!.address).toBe('203.0.113.9')
  })

  test.each([
    ['203.0.113.9:4711', '203.0.113.9'],
    ['2001:db8::1', '2001:db8::1'],
    ['[2001:db8::1]:99', '2001:db8::1'],
    ['<script>', null],
  ])("reads the load balancer's address %s as %s", async (forwarded, address) => {
    const service = createReplyingService({})
    await toLambdaHandler(service)({
      requestContext: { elb: {} },
      httpMethod: 'get',
      path: '/a',
      headers: { 'X-Forwarded-For': `1.2.3.4, ${forwarded}` },
      body: '',
      isBase64Encoded: false,
    } as never)
    expect([service.asked[0]!.address, service.asked[0]!.method]).toEqual([address, 'GET'])
  })

  test('returns 404 for a path outside the base path and for a path that only starts with the same letters', async () => {
    const host = lambdaHost(invoke(toLambdaHandler(echoService({ prefix: '/v1' }))), { gateway: 'url' })
    for (const path of ['/echo/a', '/v10/echo/a', '/']) expect((await host.request('GET', path)).status).toBe(404)
    expect((await host.request('GET', '/v1/echo/a')).status).toBe(200)
  })

  test("replaces the base path by the service's prefix", async () => {
    const service = echoService({ prefix: '/tributary' })
    const host = lambdaHost(invoke(toLambdaHandler(service, { basePath: '/live/x' })), { gateway: 'url' })
    const { body } = await host.request('GET', '/live/x/echo/a')
    expect((JSON.parse(Buffer.from(body).toString()) as { path: string }).path).toBe('/tributary/echo/a')
    expect(() => toLambdaHandler(service, { basePath: 'live' })).toThrow('slash')
  })
})

describe('toLambdaHandler: replies', () => {
  const text = 'ä€😀\u0000"\n'.repeat(10)

  test.each(every)(
    '%s: returns text as text, from a string, bytes or a stream, and other bytes as base64',
    async (gateway) => {
      async function* yieldText(): AsyncGenerator<Uint8Array> {
        const bytes = Buffer.from(text)
        for (let at = 0; at < bytes.length; at += 3) yield bytes.subarray(at, at + 3)
      }
      for (const body of [text, Buffer.from(text), yieldText()]) {
        const result = await toLambdaHandler(
          createReplyingService({ headers: [['content-type', 'application/jsonl']], body }),
        )(toEvent(call, { gateway }) as never)
        expect(result).toMatchObject({ statusCode: 200, body: text, isBase64Encoded: false })
      }
      for (const [type, body] of [
        ['text/plain', Buffer.of(0xff)],
        ['image/png', Buffer.from('abc')],
      ] as const) {
        const result = await toLambdaHandler(createReplyingService({ headers: [['content-type', type]], body }))(
          toEvent(call, { gateway }) as never,
        )
        expect(result).toMatchObject({ isBase64Encoded: true, body: body.toString('base64') })
      }
    },
  )

  test.each(every)(
    '%s: returns a reply at the size limit, returns 500 with the limit for one byte more, and compresses a larger reply',
    { tags: 'long' },
    async (gateway) => {
      const limit = gateway.startsWith('alb') ? 1_048_576 : 6_291_556
      const createHandler = (body: string): LambdaHandler =>
        toLambdaHandler(
          createReplyingService({
            headers: [
              ['content-type', 'text/plain'],
              ['x-request-id', 'mine'],
              ['content-length', String(body.length)],
            ],
            body,
          }),
        )
      const ask = (body: string, headers: [string, string][] = []) =>
        invokeWithEvent(invoke(createHandler(body)), toEvent({ ...call, headers }, { gateway })!, { gateway }, 'GET')
      expect((await ask('x'.repeat(limit - 2_000))).status).toBe(200)
      expect((await ask('\u0001'.repeat(Math.floor(limit / 6) - 400))).status).toBe(200)
      // Each of these characters becomes six characters in JSON.
      expect((await ask('\u0001'.repeat(Math.floor(limit / 3)))).status).toBe(500)
      for (const headers of [[], [['accept-encoding', 'br']], [['accept-encoding', 'gzip;q=0']]] as [
        string,
        string,
      ][][]) {
        const refused = await ask('x'.repeat(limit), headers)
        expect([refused.status, Buffer.from(refused.body).toString()]).toEqual([
          500,
          '{"ok":false,"error":"reply_too_large"}',
        ])
        expect(refused.headers).toContainEqual(['x-reply-limit', String(limit)])
        expect(refused.headers).toContainEqual(['x-request-id', 'mine'])
      }
      const packed = await ask('x'.repeat(limit), [['accept-encoding', 'br, gzip']])
      expect(packed.headers.filter(([name]) => name === 'content-length')).toEqual([])
      expect(packed.headers).toContainEqual(['content-encoding', 'gzip'])
      expect(gunzipSync(packed.body)).toHaveLength(limit)
    },
  )

  test('stops reading an endless stream, and returns 500 for a stream that breaks', async () => {
    let given = 0
    let ended = false
    async function* yieldForever(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield Buffer.alloc((given++, 1024 * 1024))
      } finally {
        ended = true
      }
    }
    const over = await toLambdaHandler(createReplyingService({ body: yieldForever() }))(
      toEvent(call, { gateway: 'url' }) as never,
    )
    expect(over).toMatchObject({ statusCode: 500 })
    expect([given < 100, ended]).toEqual([true, true])
    const lines: string[] = []
    async function* yieldThenFail(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half')
      throw new Error('the store went away')
    }
    const failed = await toLambdaHandler(createReplyingService({ body: yieldThenFail() }), {
      logger: jsonLogger((line) => lines.push(line)),
    })(toEvent(call, { gateway: 'url' }) as never)
    expect(failed).toMatchObject({ statusCode: 500, body: '{"ok":false,"error":"internal_error"}' })
    expect(JSON.parse(lines[0]!)).toMatchObject({ level: 'error', err: { message: 'the store went away' } })
  })

  test('returns three cookies as three separate cookies through every gateway', async () => {
    const set = ['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'b=2', 'c=3']
    const service = createReplyingService({
      headers: [...set.map((value): [string, string] => ['set-cookie', value]), ['vary', 'a'], ['vary', 'b']],
    })
    for (const gateway of every) {
      const { headers } = parseResult(await toLambdaHandler(service)(toEvent(call, { gateway }) as never), gateway)
      expect(headers.filter(([name]) => name === 'set-cookie').map(([, value]) => value)).toEqual(set)
      expect(
        headers
          .filter(([name]) => name === 'vary')
          .map(([, value]) => value)
          .join(', '),
      ).toBe('a, b')
    }
  })
})

test("answers without using the platform's Request, Response, Headers and fetch, whose first use costs 20 ms", async () => {
  const made = fixture({ stores: createTestStores(), ...lambdaPlatform() })
  const { bearer } = await made.signIn()
  const handler = toLambdaHandler(made.service)
  const names = ['Request', 'Response', 'Headers', 'fetch', 'FormData'] as const
  const kept = names.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)!] as const)
  const touched: string[] = []
  for (const name of names)
    Object.defineProperty(globalThis, name, { configurable: true, get: () => void touched.push(name) })
  try {
    for (const gateway of every) {
      const asked = toEvent(
        { method: 'GET', target: '/api/cli/session', headers: [['authorization', bearer.authorization]], body: null },
        { gateway },
      )
      expect(await handler(asked as never)).toMatchObject({ statusCode: 200 })
      const sent = toEvent(
        {
          method: 'POST',
          target: '/api/cli/device/start',
          headers: [['content-type', 'application/json']],
          body: Buffer.from('{"machine":"m"}'),
        },
        { gateway },
      )
      expect(await handler(sent as never)).toMatchObject({ statusCode: 200 })
    }
    expect(touched).toEqual([])
  } finally {
    for (const [name, descriptor] of kept) Object.defineProperty(globalThis, name, descriptor)
  }
})
