import {
  createTestStores,
  fixture,
  makeId,
  makeTraces,
  seedTraces,
  type Fixture,
  type Signed,
} from '@tributary/test-kit'
import { beforeEach, describe, expect, test } from 'vitest'
import { openapi } from '../http/openapi.ts'
import { protocolVersions } from './contract.ts'
import { answerMessage } from './server.ts'
import { makeTools } from './tools.ts'

const adminToken = 'operator-of-the-test'
const operator = { authorization: `Bearer ${adminToken}` }
const anyone = ['get_feedback_receipt', 'get_policy', 'search_docs', 'submit_feedback']

let made: Fixture
let jane: Signed
beforeEach(async () => {
  const stores = createTestStores()
  made = fixture({ stores, adminToken, rates: {}, baseUrl: 'http://127.0.0.1:8787/base' })
  jane = await made.signIn()
  await seedTraces(stores.client, jane.userId, [...makeTraces(3, 'jane')])
})

const makeReport = (title: string) => ({
  reporter: { agent_vendor: 'v', agent_product: 'p' },
  subject: { surface: 'GET /api/traces' },
  content: { title },
})
const post = (json: unknown, headers: Record<string, string> = {}) => made.ask('POST', '/mcp', { json, headers })
const rpc = async (method: string, params?: object, headers: Record<string, string> = {}) =>
  (await post({ jsonrpc: '2.0', id: 7, method, ...(params && { params }) }, headers)).json
const listTools = async (headers?: Record<string, string>): Promise<string[]> =>
  (await rpc('tools/list', undefined, headers)).result.tools.map(({ name }: { name: string }) => name).toSorted()
const call = async (name: string, args: object = {}, headers?: Record<string, string>) =>
  (await rpc('tools/call', { name, arguments: args }, headers)).result
const refusal = ({ isError, content }: { isError?: boolean; content: { text: string }[] }) => [
  isError,
  JSON.parse(content[0]!.text),
]

describe('POST /mcp', () => {
  test('initialize answers with the revision of the client, or with the newest revision that the service supports', async () => {
    for (const [sent, answered] of [
      ['2025-06-18', '2025-06-18'],
      ['2024-11-05', '2025-11-25'],
      ['2999-01-01', '2025-11-25'],
    ])
      expect(
        await rpc('initialize', { protocolVersion: sent, capabilities: {}, clientInfo: { name: 'c', version: '1' } }),
      ).toEqual({
        jsonrpc: '2.0',
        id: 7,
        result: {
          protocolVersion: answered,
          capabilities: { tools: {} },
          serverInfo: { name: 'tributary', title: 'Tributary', version: expect.any(String) },
          instructions: expect.any(String),
        },
      })
    expect((await rpc('initialize')).error.code).toBe(-32602)
    expect(await rpc('ping')).toEqual({ jsonrpc: '2.0', id: 7, result: {} })
    expect((await rpc('resources/list')).error.code).toBe(-32601)
  })

  test('returns 202 without a body for a notification and for a reply', async () => {
    for (const message of [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 1, result: {} },
    ]) {
      const { status, text } = await post(message)
      expect([status, text]).toEqual([202, ''])
    }
  })

  test('returns a JSON-RPC error for a body that is not a single message', async () => {
    const error = (code: number, message: string, data: object = {}) => ({
      jsonrpc: '2.0',
      id: null,
      error: { code, message, ...data },
    })
    const issues = { data: { issues: expect.any(Array) } }
    const send = async (body: string) => {
      const request = new Request('http://127.0.0.1:8787/base/mcp', {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      })
      const reply = await made.service.fetch(request)
      return [reply?.status, await reply?.json()]
    }
    for (const body of ['', '{', '"\u0000"x'])
      expect(await send(body)).toEqual([400, error(-32700, 'invalid_json', issues)])
    const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
    for (const body of [
      `[${ping}]`,
      '[]',
      'null',
      '1',
      '{}',
      '{"jsonrpc":"1.0","id":1,"method":"ping"}',
      '{"jsonrpc":"2.0","id":{},"method":"ping"}',
      '{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
      '{"jsonrpc":"2.0","id":1,"method":2}',
      '{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}',
      '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":1}}',
    ])
      expect(await send(body)).toEqual([400, error(-32600, 'invalid_body', issues)])
    expect(await send(ping.padEnd(64 * 1024 + 1))).toEqual([413, error(-32000, 'body_too_large')])
    const plain = await made.ask('POST', '/mcp', { headers: { 'content-type': 'text/plain' } })
    expect([plain.status, plain.json]).toEqual([415, error(-32000, 'unsupported_content_type')])
  })

  test('returns 405 with Allow for a stream and for the end of a session, because the server has no sessions', async () => {
    for (const method of ['GET', 'DELETE', 'PUT', 'HEAD']) {
      const { status, headers } = await made.ask(method, '/mcp', { headers: { accept: 'text/event-stream' } })
      expect([method, status, headers.get('allow')]).toEqual([method, 405, 'POST'])
    }
  })

  test('returns 403 to a page of another site, and 400 for a revision that the service does not support', async () => {
    for (const origin of ['https://evil.example', 'http://127.0.0.1:1', 'null', ''])
      expect((await post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { origin })).status).toBe(403)
    expect((await post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { origin: 'http://127.0.0.1:8787' })).status).toBe(
      200,
    )
    const other = await post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-protocol-version': '1.0' })
    expect([other.status, other.json.error]).toEqual([
      400,
      {
        code: -32022,
        message: 'unsupported_protocol_version',
        data: { supported: [...protocolVersions], requested: '1.0' },
      },
    ])
  })

  test('lists the tools of the caller, and refuses a credential that is not valid', async () => {
    expect(await listTools()).toEqual(anyone)
    expect(await listTools(jane.bearer)).toEqual(
      [
        ...anyone,
        'exclude_traces',
        'get_contributor_status',
        'get_job',
        'get_trace',
        'get_trace_stats',
        'get_upload_policy',
        'list_earnings',
        'list_job_outcomes',
        'list_jobs',
        'list_traces',
      ].toSorted(),
    )
    const ofOperator = await listTools(operator)
    expect(ofOperator.filter((name) => !name.startsWith('admin_'))).toEqual(anyone)
    for (const name of ['admin_list_jobs', 'admin_get_contributor', 'admin_list_audit'])
      expect(ofOperator).toContain(name)
    // A browser's session is not a credential here: a page of another site could use it.
    expect(await listTools(jane.cookie)).toEqual(anyone)
    const wrong = await post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { authorization: 'Bearer wrong' })
    expect([wrong.status, wrong.headers.get('www-authenticate'), wrong.json.error.message]).toEqual([
      401,
      expect.stringContaining('resource_metadata='),
      'unauthorized',
    ])
  })

  test('limits messages and wrong tokens by address', async () => {
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    for (let i = 0; i < 20; i++) await post(ping, { authorization: `Bearer wrong-${i}` })
    expect((await post(ping, { authorization: 'Bearer wrong' })).status).toBe(429)
    for (let i = 0; i < 600; i++) expect((await post(ping)).status).toBe(200)
    const limited = await post(ping)
    expect([limited.status, limited.json.error, limited.headers.get('retry-after')]).toEqual([
      429,
      { code: -32000, message: 'rate_limited' },
      expect.any(String),
    ])
  })

  test('counts unknown tokens of contributors and buyers as unknown bearers, not as wrong tokens of an operator', async () => {
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    const unknown = ['trb', 'trbb'].map((prefix) => ({ authorization: `Bearer ${prefix}_${'x'.repeat(36)}` }))
    for (let i = 0; i < 600; i++) expect((await post(ping, unknown[i % 2])).status).toBe(401)
    for (const headers of unknown) {
      const limited = await post(ping, headers)
      expect([limited.status, limited.headers.get('ratelimit-policy')]).toEqual([429, '"unknown_bearer";q=600;w=60'])
    }
    expect((await post(ping, operator)).status).toBe(200)
    expect((await made.ask('GET', '/api/admin/jobs', { headers: operator })).status).toBe(200)
  })

  test('does not exist when `capabilities.mcp` is false', async () => {
    const without = fixture({ stores: createTestStores(), capabilities: { mcp: false } })
    for (const path of ['/mcp', '/api/docs/search?q=a'])
      await expect(without.ask('POST', path, { json: {} })).rejects.toThrow('the service has no')
  })
})

const revision = '2026-07-28'
/** Returns the parameters that a message of revision 2026-07-28 has in place of a connection that was initialized. */
const makeMeta = (claimed = revision) => ({
  'io.modelcontextprotocol/protocolVersion': claimed,
  'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
})

describe('POST /mcp with revision 2026-07-28', () => {
  const send = (method: string, params: object = {}, headers: Record<string, string> = {}) =>
    post(
      { jsonrpc: '2.0', id: 7, method, params: { _meta: makeMeta(), ...params } },
      { 'mcp-protocol-version': revision, 'mcp-method': method, ...headers },
    )

  test('server/discover returns the revisions, and tools are listed and called without initialize', async () => {
    const { status, json } = await send('server/discover')
    expect([status, json.result]).toMatchObject([
      200,
      { supportedVersions: [revision], capabilities: { tools: {} }, instructions: expect.any(String) },
    ])
    const listed = await send('tools/list', {}, jane.bearer)
    expect(listed.json.result.tools).toEqual((await rpc('tools/list', undefined, jane.bearer)).result.tools)
    const called = await send(
      'tools/call',
      { name: 'list_traces', arguments: { limit: 2 } },
      { ...jane.bearer, 'mcp-name': 'list_traces' },
    )
    const { content, structuredContent } = await call('list_traces', { limit: 2 }, jane.bearer)
    expect(called.json.result).toMatchObject({ content, structuredContent, resultType: 'complete' })
    expect(
      (await post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { _meta: makeMeta() } })).status,
    ).toBe(202)
  })

  test.each([
    ['resources/list', {}, {}, 404, -32601],
    ['ping', {}, {}, 404, -32601],
    ['tools/list', { _meta: {} }, {}, 400, -32602],
    ['tools/list', {}, { 'mcp-method': 'tools/call' }, 400, -32020],
    ['tools/list', {}, { 'mcp-protocol-version': '2025-11-25' }, 400, -32020],
    ['tools/list', { _meta: makeMeta('2999-01-01') }, { 'mcp-protocol-version': '2999-01-01' }, 400, -32022],
    ['subscriptions/listen', { notifications: {} }, {}, 200, -32603],
    ['tools/call', { name: 'delete_traces' }, { 'mcp-name': 'delete_traces' }, 200, -32602],
  ] as const)('%s with %o and headers %o returns %i and %i', async (method, params, headers, status, code) => {
    const { status: seen, json } = await send(method, params, headers)
    expect([seen, json.error?.code]).toEqual([status, code])
  })
})

describe('answerMessage', () => {
  const bug = new Error('a statement with a secret')
  const answer = async (message: object, headers: Record<string, string> = {}) =>
    answerMessage(
      await import('@modelcontextprotocol/server'),
      { jsonrpc: '2.0', id: 1, ...message } as never,
      headers,
      {
        name: 'n',
        title: 't',
        version: '1',
        instructions: 'i',
        listTools: () => Promise.reject(bug),
        callTool: () => Promise.reject(bug),
      },
    )

  test('rejects with an error of a handler, whose text the SDK would send', async () => {
    for (const message of [{ method: 'tools/list' }, { method: 'tools/call', params: { name: 'n' } }])
      await expect(answer(message)).rejects.toBe(bug)
  })

  test('returns 400 for a value of a header that is not ASCII', async () => {
    const headers = { 'mcp-protocol-version': revision, 'mcp-method': 'tools\u2028list' }
    expect(await answer({ method: 'tools/list', params: { _meta: makeMeta() } }, headers)).toMatchObject({
      status: 400,
      message: { error: { code: -32020 } },
    })
  })
})

describe('tools/call', () => {
  test('returns the reply of the endpoint, as text and as data', async () => {
    const { status, json, text } = await made.ask('GET', '/api/traces?limit=2', { headers: jane.bearer })
    expect(status).toBe(200)
    expect(await call('list_traces', { limit: 2, cursor: null }, jane.bearer)).toEqual({
      content: [{ type: 'text', text }],
      structuredContent: json,
    })
    const [{ id }] = json.traces
    expect((await call('get_trace', { id }, jane.bearer)).structuredContent.trace.id).toBe(id)
    const overview = await call('admin_get_overview', { days: 1 }, operator)
    expect(overview.structuredContent).toEqual(
      (await made.ask('GET', '/api/admin/overview?days=1', { headers: operator })).json,
    )
  })

  test('submit_feedback returns the sanitized receipt that HTTP returns for the same key and report', async () => {
    const report = makeReport('mail \u001b[31mann@acme-mail.com')
    const key = '5f2c6f0e-7d0b-4a55-9a3c-0d6c1b8e9f21'
    const byTool = await call('submit_feedback', { ...report, idempotency_key: key })
    const byHttp = await made.ask('POST', '/api/v1/feedback', { json: report, headers: { 'idempotency-key': key } })
    expect([byHttp.status, byHttp.json]).toEqual([200, byTool.structuredContent])
    const { id, feedback_id: feedback } = byHttp.json.receipt
    expect((await call('get_feedback_receipt', { id })).structuredContent).toEqual(byHttp.json)
    const stored = await call('admin_get_report', { id: feedback }, operator)
    expect(stored.structuredContent.report.content.title).toBe('mail [[EMAIL_1]')
    const mismatch = await call('submit_feedback', { ...makeReport('another'), idempotency_key: key })
    expect(refusal(mismatch)).toEqual([true, expect.objectContaining({ status: 422, error: 'idempotency_mismatch' })])
  })

  test('submit_feedback and HTTP share one limit', async () => {
    for (let i = 0; i < 50; i++) {
      const report = makeReport(`number ${i}`)
      expect((await call('submit_feedback', report)).isError).toBeUndefined()
      expect((await made.ask('POST', '/api/v1/feedback', { json: report })).status).toBe(202)
    }
    expect((await made.ask('POST', '/api/v1/feedback', { json: makeReport('another') })).status).toBe(429)
    expect(refusal(await call('submit_feedback', makeReport('another')))).toEqual([
      true,
      expect.objectContaining({ 'status': 429, 'error': 'rate_limited', 'retry-after': expect.any(String) }),
    ])
  })

  test('exclude_traces can exclude traces, but cannot include them', async () => {
    const ids = [makeId('jane', 1)]
    const isExcluded = async () =>
      (await made.ask('GET', `/api/traces/${ids[0]}`, { headers: jane.bearer })).json.trace.sellExcluded
    expect((await call('exclude_traces', { ids }, jane.bearer)).structuredContent).toMatchObject({ updatedIds: ids })
    expect(await isExcluded()).toBe(true)
    expect(refusal(await call('exclude_traces', { ids, action: 'include' }, jane.bearer))).toEqual([
      true,
      {
        status: 400,
        error: 'invalid_arguments',
        issues: [{ path: ['action'], code: 'invalid_value', message: 'this tool accepts only exclude' }],
      },
    ])
    expect(await isExcluded()).toBe(true)
    expect((await call('exclude_traces', { ids, action: 'exclude' }, jane.bearer)).isError).toBeUndefined()
  })

  test('every tool refuses an argument that it does not have, and lists the refusal in its schema', async () => {
    const headers = { ...operator }
    const listed = [jane.bearer, headers].map(async (as) => (await rpc('tools/list', undefined, as)).result.tools)
    const all = (await Promise.all(listed)).flat()
    expect(all.length).toBeGreaterThan(10)
    for (const { name, inputSchema } of all) {
      expect([name, inputSchema.additionalProperties]).toEqual([name, false])
      const [isError, failure] = refusal(await call(name, { foo: 1, bar: null }, headers))
      expect([name, isError, failure]).toEqual([
        name,
        true,
        {
          status: 400,
          error: 'invalid_arguments',
          issues: [{ path: ['foo'], code: 'unknown_argument', message: expect.stringMatching(/^unknown argument; /) }],
        },
      ])
    }
    const misspelt = await call('list_traces', { limits: 1 }, jane.bearer)
    expect(refusal(misspelt)[1]).toMatchObject({ issues: [{ message: 'unknown argument; did you mean limit?' }] })
  })

  test('returns failures as results with isError', async () => {
    const cases: [name: string, args: object, headers: Record<string, string>, failure: object][] = [
      ['list_traces', {}, {}, { status: 401, error: 'unauthorized' }],
      ['list_traces', {}, operator, { status: 401, error: 'unauthorized' }],
      ['admin_list_jobs', {}, jane.bearer, { status: 401, error: 'unauthorized' }],
      ['list_traces', { limit: 'x' }, jane.bearer, { status: 400, error: 'invalid_query' }],
      ['list_traces', { q: 'a\0' }, jane.bearer, { status: 400, error: 'invalid_query' }],
      ['list_traces', { q: 'a\ud800' }, jane.bearer, { status: 400, error: 'invalid_query' }],
      [
        'get_trace',
        {},
        jane.bearer,
        { error: 'invalid_arguments', issues: [expect.objectContaining({ path: ['id'] })] },
      ],
      ['get_trace', { id: 'stats' }, jane.bearer, { status: 400, error: 'invalid_arguments' }],
      ['get_trace', { id: makeId('joe', 1) }, jane.bearer, { status: 404, error: 'not_found' }],
      ['submit_feedback', {}, {}, { status: 400, error: 'invalid_body', issues: expect.any(Array) }],
      ['submit_feedback', { content: { title: 'x'.repeat(33_000) } }, {}, { 'status': 413, 'x-body-limit': '32768' }],
      ['submit_feedback', { ...makeReport('another'), idempotency_key: 'x' }, {}, { error: 'invalid_idempotency_key' }],
    ]
    for (const [name, args, headers, failure] of cases)
      expect([name, ...refusal(await call(name, args, headers))]).toEqual([
        name,
        true,
        expect.objectContaining(failure),
      ])
  })

  test('returns invalid_params for an unknown tool and arguments that are not an object', async () => {
    for (const params of [{}, { name: 'delete_traces' }, { name: 1 }, { name: 'get_policy', arguments: [] }])
      expect((await rpc('tools/call', params)).error.code).toBe(-32602)
  })
})

describe('tools', () => {
  interface Parameter {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly schema: object
    readonly description?: string
  }
  interface Operation {
    readonly 'x-mcp-tool'?: string
    readonly 'summary': string
    readonly 'description'?: string
    readonly 'parameters'?: readonly Parameter[]
    readonly 'requestBody'?: { content: Record<string, { schema: object }> }
    readonly 'responses': Record<string, { content?: Record<string, { schema: object }> }>
  }

  test('have the names, descriptions and schemas of their operations in the OpenAPI document', async () => {
    const routes = await made.service.routes()
    const document = openapi(routes, { baseUrl: 'https://example.com' }) as unknown as {
      paths: Record<string, Record<string, Operation>>
      components: Record<string, Record<string, object>>
    }
    const resolve = (schema: unknown): unknown => {
      if (Array.isArray(schema)) return schema.map(resolve)
      if (typeof schema !== 'object' || schema === null) return schema
      const { $ref, ...rest } = schema as { $ref?: string }
      const [kind = '', name = ''] = $ref?.split('/').slice(2) ?? []
      const target = $ref === undefined ? {} : resolve(document.components[kind]![name])
      return { ...(target as object), ...Object.fromEntries(Object.entries(rest).map(([k, v]) => [k, resolve(v)])) }
    }
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
    const tools = makeTools(routes)
    expect(operations.flatMap((one) => one['x-mcp-tool'] ?? []).toSorted()).toEqual(
      tools.map(({ listed }) => listed.name).toSorted(),
    )
    for (const { listed, route } of tools) {
      const own = operations.find((one) => one['x-mcp-tool'] === listed.name)!
      expect([listed.title, listed.description]).toEqual([
        own.summary,
        own.description === undefined ? `${own.summary}.` : `${own.summary}. ${own.description}`,
      ])
      const parameters = (resolve(own.parameters ?? []) as Parameter[]).filter(
        (one) => one.in === 'path' || one.in === 'query',
      )
      const body = resolve(own.requestBody?.content['application/json']!.schema ?? {}) as {
        properties?: object
        required?: string[]
      }
      const fixed = Object.keys(route.toolArguments ?? {})
      const given = Object.entries(listed.inputSchema['properties'] as object).filter(
        ([name]) => name !== 'idempotency_key' && !fixed.includes(name),
      )
      const described = [
        ...parameters.map(({ name, schema, description }) => [
          name,
          resolve({ ...(description && { description }), ...schema }),
        ]),
        ...Object.entries(body.properties ?? {}).filter(([name]) => !fixed.includes(name)),
      ]
      expect(Object.fromEntries(given)).toEqual(Object.fromEntries(described))
      expect(listed.inputSchema['required']).toEqual([
        ...parameters.filter(({ required }) => required).map(({ name }) => name),
        ...(body.required ?? []).filter((name) => !fixed.includes(name)),
      ])
      const success = Object.entries(own.responses).find(([status]) => status.startsWith('2'))![1]
      expect(listed.outputSchema).toEqual(resolve(success.content!['application/json']!.schema))
    }
  })

  test('consist of all operator routes that read and return JSON, and of two tools that change data', async () => {
    const routes = (await made.service.routes()).map(({ route }) => route)
    const tools = routes.filter(({ tool }) => tool !== undefined)
    const reads = routes.filter(({ auth, method, sends }) => auth === 'admin' && method === 'GET' && sends === 'json')
    expect(reads.filter(({ tool }) => tool === undefined).map(({ path }) => path)).toEqual([])
    expect(tools.filter(({ method }) => method !== 'GET').map(({ tool }) => tool)).toEqual([
      'exclude_traces',
      'submit_feedback',
    ])
    expect(tools.filter(({ hasSideEffects }) => hasSideEffects)).toEqual([])
  })
})

describe('GET /api/docs/search', () => {
  test.each([
    ['revoke a token oauth', 'docs/oauth.md'],
    ['rate limits unknown bearer', 'docs/'],
    ['postgres connection pool', 'docs/stores.md'],
  ])('finds %s in %s', async (words, source) => {
    const { json } = await made.ask('GET', `/api/docs/search?q=${encodeURIComponent(words)}&limit=3`)
    expect(json.results.map((result: { source: string }) => result.source).join()).toContain(source)
    expect(json.results.length).toBeLessThanOrEqual(3)
  })

  test('returns nothing for words that no section has', async () => {
    expect((await made.ask('GET', '/api/docs/search?q=cuckoo')).json).toEqual({ ok: true, results: [] })
  })
})
