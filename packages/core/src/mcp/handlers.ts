import { fail } from '../http/failures.ts'
import { replyHeader, type PlainReply, type PlainRequest } from '../http/message.ts'
import { reply, mount, type Handlers, type Input, type Mounted, type NamedRoute } from '../http/route.ts'
import { lazy, type Lazy } from '../lazy.ts'
import type { Logger } from '../ports.ts'
import type { ResolvedBrand } from '../ui/brand.ts'
import { version } from '../version.ts'
import { mcpContract, protocolVersions } from './contract.ts'
import type { createSearch } from './search.ts'
import { answerMessage, createSdkLoader, sdkPackage, type Sdk } from './server.ts'
import { makeTools, toolRequest, type Tool, type ToolRequest } from './tools.ts'

export interface McpDeps {
  readonly logger: Logger
  readonly brand: ResolvedBrand
  /** The path prefix of incoming requests. */
  readonly requestPrefix: string
  /** The origins whose pages may send messages. Programs send no origin. */
  readonly origins: readonly string[]
  /** Loads every capability and returns its routes. */
  readonly routes: () => Promise<readonly NamedRoute[]>
  /** Answers a request to the service itself. */
  readonly handle: (request: PlainRequest) => Promise<PlainReply | null>
}

interface Deps extends McpDeps {
  /** The tools by name. */
  readonly tools: Lazy<ReadonlyMap<string, Tool>>
  readonly sdk: Lazy<Sdk | null>
  readonly search: Lazy<ReturnType<typeof createSearch>>
}

type Message = Input<typeof mcpContract.sendMessage>

const mcpHandlers: Handlers<typeof mcpContract, Deps> = {
  async sendMessage(input, deps) {
    const { body, request } = input
    // Other sites are refused, because a page of another site may reach a service in a private network (DNS rebinding).
    const { origin, 'mcp-protocol-version': revision } = request.headers
    if (origin !== undefined && !deps.origins.includes(origin)) return fail('cross_site_request')
    if (revision !== undefined && !protocolVersions.some((supported) => supported === revision))
      return fail('unsupported_protocol_version', { supported: protocolVersions, requested: revision })
    const sdk = await deps.sdk()
    if (!sdk) return fail('mcp_not_installed', { package: sdkPackage })
    const { status, message } = await answerMessage(sdk, body, request.headers, {
      name: 'tributary',
      title: deps.brand.name,
      version,
      instructions,
      listTools: () => listTools(input, deps),
      callTool: (params) => callTool(params, input, deps),
    })
    return reply(status, message as never)
  },

  async searchDocs({ query }, { search }) {
    return { ok: true, results: (await search())(query.q, query.limit) }
  },
}

const instructions =
  'Contribute AI conversation traces and report problems. More tools are listed with `Authorization: Bearer`: ' +
  "a contributor's token or an operator's."

async function listTools({ user, audit }: Message, { tools }: Deps) {
  const callers = ['anyone', ...(user ? ['contributor'] : []), ...(audit ? ['operator'] : [])]
  return [...(await tools()).values()].filter(({ caller }) => callers.includes(caller)).map(({ listed }) => listed)
}

/** Returns the result of a call. Returns the message of an error if no tool has this name. */
async function callTool(
  { name, arguments: args = {} }: { readonly name: string; readonly arguments?: object | undefined },
  { request }: Message,
  deps: Deps,
): Promise<Result | string> {
  const tool = (await deps.tools()).get(name)
  if (!tool) return 'no tool has this name: see tools/list'
  const call = toolRequest(tool, args as Readonly<Record<string, unknown>>)
  if ('issues' in call) return refuse({ status: 400, error: 'invalid_arguments', issues: call.issues })
  return toResult(await deps.handle(makeRequest(tool, call, request, deps)))
}

/** Headers that belong to the message itself and are not copied to the request of the call. */
const ownHeaders =
  /^(?:accept|connection|content-.*|cookie|expect|idempotency-key|mcp-.*|origin|sec-fetch-.*|transfer-encoding)$/

/** Makes the request of a call: from the same address, with the same credential and request id. */
function makeRequest(
  { route }: Tool,
  { path, query, headers, body }: ToolRequest,
  request: PlainRequest,
  { requestPrefix }: Deps,
): PlainRequest {
  const kept = Object.entries(request.headers).filter(([name]) => !ownHeaders.test(name))
  const bytes = body === null ? null : new TextEncoder().encode(body)
  return {
    method: route.method,
    path: requestPrefix + path,
    query,
    headers: {
      ...Object.fromEntries(kept),
      ...headers,
      ...(bytes ? { 'content-type': 'application/json', 'content-length': String(bytes.byteLength) } : {}),
    },
    address: request.address,
    body:
      bytes &&
      async function* () {
        yield bytes
      },
  }
}

interface Result {
  readonly content: readonly [{ readonly type: 'text'; readonly text: string }]
  readonly structuredContent?: Readonly<Record<string, unknown>>
  readonly isError?: true
}
const refuse = (failure: Readonly<Record<string, unknown>>): Result => ({
  content: [{ type: 'text', text: JSON.stringify(failure) }],
  isError: true,
})

/** Headers of a failure with information that its body does not have. */
const failureHeaders = ['retry-after', 'x-body-limit', 'x-error-detail', 'x-request-id']

/** Returns the result of a call: the JSON of the reply, as data and as text. */
function toResult(answered: PlainReply | null): Result {
  const text = typeof answered?.body === 'string' ? answered.body : '{}'
  const json = JSON.parse(text) as Readonly<Record<string, unknown>>
  if (answered === null || answered.status >= 400) {
    const headers = failureHeaders.flatMap((name) => {
      const value = answered ? replyHeader(answered, name) : undefined
      return value === undefined ? [] : [[name, value] as const]
    })
    return refuse({ status: answered?.status ?? 404, ...json, ...Object.fromEntries(headers) })
  }
  return { content: [{ type: 'text', text }], structuredContent: json }
}

/** Binds the routes to their handlers. Tools and the search are made when a request first needs them. */
export function mountMcp(deps: McpDeps): Mounted[] {
  return mount(mcpContract, mcpHandlers, {
    ...deps,
    sdk: createSdkLoader(deps),
    tools: lazy(async () => new Map(makeTools(await deps.routes()).map((tool) => [tool.listed.name, tool]))),
    search: lazy(async () => {
      const [{ createSearch }, { sections }] = await Promise.all([import('./search.ts'), import('#docs-index')])
      return createSearch(sections)
    }),
  })
}
