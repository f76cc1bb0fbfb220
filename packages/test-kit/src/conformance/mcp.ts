import { randomUUID } from 'node:crypto'
import type { PendingAnswer } from './answer.ts'
import { check, type Check } from './check.ts'
import type { Context } from './context.ts'
import { routes } from './contract.ts'
import { listOf, makeMatcher, matchItems, text } from './matchers.ts'
import type { Headers } from './run-state.ts'

const path = '/mcp'
const id = 7
const message = (method: string, params?: object) => ({ jsonrpc: '2.0', id, method, ...(params ? { params } : {}) })
const modernRevision = '2026-07-28'
/** The parameters that a message of revision 2026-07-28 has in place of a connection that was initialized. */
const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': modernRevision,
  'io.modelcontextprotocol/clientInfo': { name: 'conformance', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const makeResult = (result: unknown) => ({ jsonrpc: '2.0', id, result })
const makeError = (code: number, data: object = {}) => ({
  jsonrpc: '2.0',
  id: null,
  error: { code, message: text, ...data },
})
const send = ({ ask }: Pick<Context, 'ask'>, method: string, params?: object, as: Headers = {}): PendingAnswer =>
  ask('POST', path, { as, json: message(method, params) })

/** Calls a tool and returns its data. A failure is also a result. */
export async function callTool(context: Pick<Context, 'ask'>, name: string, args: object, as?: Headers) {
  const reply = await send(context, 'tools/call', { name, arguments: args }, as).is(200)
  const { isError = false, content, structuredContent } = reply.json.result
  return { reply, isError: isError as boolean, data: structuredContent ?? JSON.parse(content[0].text) }
}

/**
 * Returns the names of the tools for a caller without a credential, or with the credential of a person or an operator.
 */
const listNames = (auths: readonly string[]): string[] =>
  routes.filter(({ auth }) => auths.includes(auth)).flatMap(({ tool }) => tool ?? [])
const ofAnyone = listNames(['none'])
const matchTools = (names: readonly string[]) =>
  makeMatcher(`the tools ${names.join(', ')}`, (value) => {
    const listed = (value as readonly { readonly name: string }[]).map(({ name }) => name)
    return matchItems(names)(listed)
  })
const makeReport = ({ stage }: Context, title: string) => {
  stage.leftovers.add('agent reports named "Conformance", and a mail to the contact for each, where there is one')
  return {
    reporter: { agent_vendor: 'tributary', agent_product: 'conformance' },
    subject: { surface: 'tool submit_feedback' },
    content: { title: `Conformance ${stage.run}: ${title}` },
  }
}

/** Checks of the Model Context Protocol. */
export const mcp: readonly Check[] = [
  check('mcp', 'initialize negotiates the revision, and ping answers', [], async (context) => {
    for (const [sent, negotiated] of [
      ['2025-06-18', '2025-06-18'],
      ['1999-01-01', '2025-11-25'],
    ])
      await send(context, 'initialize', {
        protocolVersion: sent,
        capabilities: {},
        clientInfo: { name: 'c', version: '1' },
      }).is(
        200,
        makeResult({
          protocolVersion: negotiated,
          capabilities: { tools: {} },
          serverInfo: { name: text, title: text, version: text },
          instructions: text,
        }),
      )
    await send(context, 'ping').is(200, makeResult({}))
    const { status, text: body } = await context.ask('POST', path, {
      json: { jsonrpc: '2.0', method: 'notifications/initialized' },
    })
    ;(await send(context, 'ping')).must(status === 202 && body === '', '202 without a body for a notification')
  }),
  check(
    'mcp',
    'revision 2026-07-28 needs no initialize, and its errors have their own statuses',
    [],
    async (context) => {
      const sendModern = (method: string, params: object = {}, headers: Headers = {}) =>
        context.ask('POST', path, {
          json: message(method, { _meta: modernMeta, ...params }),
          headers: { 'mcp-protocol-version': modernRevision, 'mcp-method': method, ...headers },
        })
      const found = await sendModern('server/discover').is(200)
      found.must(found.json.result.supportedVersions.includes(modernRevision), `the revision ${modernRevision}`)
      const listed = await sendModern('tools/list').is(200)
      const same = await send(context, 'tools/list').is(200)
      listed.must(
        JSON.stringify(listed.json.result.tools) === JSON.stringify(same.json.result.tools),
        'the tools of earlier revisions',
      )
      const called = await sendModern('tools/call', { name: 'get_policy' }, { 'mcp-name': 'get_policy' }).is(200)
      called.must(called.json.result.structuredContent !== undefined, 'the policy')
      for (const [method, params, headers, status, code] of [
        ['resources/list', {}, {}, 404, -32601],
        ['tools/list', { _meta: {} }, {}, 400, -32602],
        ['tools/list', {}, { 'mcp-method': 'tools/call' }, 400, -32020],
      ] as const) {
        const refused = await sendModern(method, params, headers).is(status)
        refused.must(refused.json.error.code === code, `the error ${code}`)
      }
    },
  ),
  check('mcp', 'the tools for everybody are listed without a credential', [], async (context) => {
    await send(context, 'tools/list').is(200, makeResult({ tools: matchTools(ofAnyone) }))
  }),
  check('mcp', "a contributor's tools are listed and read with the user's token", ['person'], async (context) => {
    const { bearer } = await context.person()
    const names = [...ofAnyone, ...listNames(['bearer', 'bearer-or-cookie'])]
    await send(context, 'tools/list', undefined, bearer).is(200, makeResult({ tools: matchTools(names) }))
    // Other checks store traces of this person at the same time.
    await context.eventually(async () => {
      const { reply, data } = await callTool(context, 'list_traces', { limit: 1 }, bearer)
      const same = await context.ask('GET', '/api/traces?limit=1', { as: bearer }).is(200)
      reply.must(JSON.stringify(data) === same.text, 'what GET /api/traces answers')
    })
  }),
  check('mcp', "an operator's tools are listed and read with the operator's token", ['operator'], async (context) => {
    const as = context.operator()
    await send(context, 'tools/list', undefined, as).is(
      200,
      makeResult({ tools: matchTools([...ofAnyone, ...listNames(['admin'])]) }),
    )
    const { reply, isError } = await callTool(context, 'admin_get_overview', { days: 1 }, as)
    reply.must(!isError, 'the overview')
  }),
  check('mcp', 'a report by a tool and a report by HTTP with the same key have one receipt', [], async (context) => {
    const [json, key] = [makeReport(context, 'by a tool'), randomUUID()]
    const { reply, data, isError } = await callTool(context, 'submit_feedback', { ...json, idempotency_key: key })
    reply.must(!isError, 'a receipt')
    await context.ask('POST', '/api/v1/feedback', { json, headers: { 'idempotency-key': key } }).is(200, data)
    const read = await callTool(context, 'get_feedback_receipt', { id: data.receipt.id })
    read.reply.must(JSON.stringify(read.data) === JSON.stringify(data), 'the same receipt')
  }),
  check('mcp', 'a failure is a result with isError and the error code of the endpoint', [], async (context) => {
    for (const [name, args, failure] of [
      ['list_traces', {}, { status: 401, error: 'unauthorized' }],
      ['get_feedback_receipt', { id: 'no-id' }, { status: 400, error: 'invalid_arguments' }],
      ['get_feedback_receipt', { id: randomUUID() }, { status: 404, error: 'not_found' }],
      ['submit_feedback', {}, { status: 400, error: 'invalid_body' }],
      ['submit_feedback', { unknown: 1 }, { status: 400, error: 'invalid_arguments' }],
    ] as const) {
      const { reply, isError, data } = await callTool(context, name, args)
      reply.must(
        isError && data.status === failure.status && data.error === failure.error,
        `isError with ${failure.status} ${failure.error}`,
      )
    }
  }),
  check('mcp', 'an invalid message returns an error of JSON-RPC', [], async (context) => {
    const { ask } = context
    const issues = { data: { issues: listOf(makeMatcher('an issue', (value) => typeof value === 'object')) } }
    await ask('POST', path, { body: '{' }).is(400, makeError(-32700, issues))
    for (const json of [[message('ping')], { ...message('ping'), jsonrpc: '1.0' }, 1])
      await ask('POST', path, { json }).is(400, makeError(-32600, issues))
    for (const [method, params, code] of [
      ['resources/list', {}, -32601],
      ['tools/call', { name: 'delete_account' }, -32602],
      ['initialize', {}, -32602],
    ] as const)
      await send(context, method, params).is(200, { jsonrpc: '2.0', id, error: { code, message: text } })
    await ask('POST', path, { body: 'x', type: 'text/plain' }).is(415, makeError(-32000))
    ;(await ask('POST', path, { body: ' '.repeat(64 * 1024 + 1), gzip: true }).is(413, makeError(-32000))).has(
      'x-body-limit',
      String(64 * 1024),
    )
  }),
  check('mcp', 'GET and DELETE return 405, because there are no streams and no sessions', [], async ({ ask }) => {
    for (const method of ['GET', 'DELETE']) (await ask(method, path).is(405, makeError(-32000))).has('allow', 'POST')
  }),
  check('mcp', 'another revision, a page of another site and a wrong token are refused', [], async ({ ask }) => {
    const json = message('ping')
    await ask('POST', path, { json, headers: { 'mcp-protocol-version': '1.0' } }).is(
      400,
      makeError(-32022, { data: { supported: listOf(text), requested: '1.0' } }),
    )
    await ask('POST', path, { json, headers: { origin: 'https://evil.example' } }).is(403, makeError(-32000))
    await ask('POST', path, { json, as: { authorization: `Bearer trb_${'nobody'.repeat(6)}` } }).is(
      401,
      makeError(-32000),
    )
  }),
  check('mcp', 'a search of the documentation returns sections', [], async ({ ask }) => {
    await ask('GET', '/api/docs/search?q=tokens&limit=2').is(200, {
      ok: true,
      results: makeMatcher('two sections', (value) => Array.isArray(value) && value.length === 2),
    })
    await ask('GET', '/api/docs/search?q=').is(400, { ok: false, error: 'invalid_query' })
  }),
]
