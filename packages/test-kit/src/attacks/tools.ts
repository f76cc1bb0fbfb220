import { check, type Check } from '../conformance/check.ts'
import { routes } from '../conformance/contract.ts'
import { callTool } from '../conformance/mcp.ts'
import { actors, makeHeaders, makeVictim, readState } from './victim.ts'

const tools = routes.flatMap(({ tool, auth }) => (tool === undefined ? [] : [{ tool, auth }]))
const needs = ['mailbox', 'contributor', 'operator'] as const

/** Calls each tool as each actor, with ids of the victim. */
export const toolAttacks: readonly Check[] = [
  ...tools.flatMap(({ tool, auth }) =>
    actors
      .filter((actor) => !(auth === 'admin' && actor === 'operator'))
      .map((actor) =>
        check('API1', `tool ${tool} by ${actor}`, needs, async (context) => {
          const victim = await makeVictim(context.stage)
          const before = await readState(context)
          const as = await makeHeaders(context, actor, null)
          const reply = await context.ask('POST', '/mcp', {
            as,
            json: {
              jsonrpc: '2.0',
              id: 1,
              method: 'tools/call',
              params: {
                name: tool,
                arguments: {
                  id: victim.traceId,
                  jobId: victim.jobId,
                  userId: victim.userId,
                  ids: [victim.traceId],
                  action: 'exclude',
                },
              },
            },
          })
          const leaked = victim.secrets.find((secret) => reply.text.includes(secret))
          reply.must(leaked === undefined, "nothing of the victim's", "a text of the victim's is in it")
          reply.must(reply.status === 200 || reply.status === 401, 'a result, or 401')
          if (auth === 'admin') reply.must(reply.status === 401 || reply.json.result.isError === true, 'a refusal')
          reply.must((await readState(context)) === before, "the victim's data as it was", 'it was changed')
        }),
      ),
  ),
  check('API5', 'no tool deletes, sells, pays or approves, under any name', needs, async (context) => {
    const { ask, operator, stage } = context
    const { traceId, bearer } = await makeVictim(stage)
    const before = await readState(context)
    const names = routes.filter(({ tool }) => tool === undefined).map(({ method, path }) => `${method} ${path}`)
    for (const name of [
      'bulkDeleteTraces',
      'delete_traces',
      'recordSale',
      'erase_account',
      '__proto__',
      ...names.slice(0, 20),
    ])
      for (const as of [bearer, operator()]) {
        const reply = await ask('POST', '/mcp', {
          as,
          json: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: { ids: [traceId] } } },
        })
        reply.must(reply.json.error?.code === -32602, 'an unknown tool')
      }
    const { reply, isError } = await callTool(context, 'exclude_traces', { ids: [traceId], action: 'include' }, bearer)
    reply.must(isError, 'a refusal to put up for sale')
    reply.must((await readState(context)) === before, "the victim's data as it was", 'it was changed')
  }),
  check('API5', 'a path as the argument of a tool reaches no other endpoint', needs, async (context) => {
    const { bearer, traceId } = await makeVictim(context.stage)
    for (const id of [
      'stats',
      '../account',
      `${traceId}/download`,
      '%2e%2e/account',
      `${traceId}?x=1`,
      `${traceId}#`,
    ]) {
      const { reply, isError, data } = await callTool(context, 'get_trace', { id }, bearer)
      reply.must(isError && data.error === 'invalid_arguments', 'invalid_arguments')
    }
  }),
  check('V3', "a page of another site cannot use a browser's session for tools", ['mailbox'], async ({ ask, own }) => {
    const { cookie } = await own('main')
    const json = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_traces' } }
    const sent = { cookie: cookie['cookie']! }
    await ask('POST', '/mcp', { as: sent, headers: { origin: 'https://evil.example' }, json }).is(403)
    const reply = await ask('POST', '/mcp', { as: sent, json }).is(200)
    reply.must(reply.json.result.isError === true, 'a refusal')
  }),
]
