import type { Server } from '@modelcontextprotocol/server'
import { lazy, type Lazy } from '../lazy.ts'
import type { PlainRequest } from '../http/message.ts'
import type { Logger } from '../ports.ts'
import { protocolVersions } from './contract.ts'

export type Sdk = typeof import('@modelcontextprotocol/server')

/** The optional peer that speaks the protocol. */
export const sdkPackage = '@modelcontextprotocol/server'

/**
 * Returns a function that loads the official SDK. An app that embeds the service may not have installed it, which is
 * logged once. The function then returns null.
 */
export const createSdkLoader = ({ logger }: { readonly logger: Logger }): Lazy<Sdk | null> =>
  lazy(async () => {
    try {
      return await import('@modelcontextprotocol/server')
    } catch (error) {
      const fix = `npm install ${sdkPackage}, or leave out /mcp with the option capabilities: { mcp: false }`
      logger.error({ err: error, fix }, 'mcp.sdk.not_loaded')
      return null
    }
  })

/** The parts of a server that the service defines. */
export interface Answers {
  readonly name: string
  readonly title: string
  readonly version: string
  readonly instructions: string
  readonly listTools: () => Promise<readonly object[]>
  /** Returns the result of a call, or the message of an error if the parameters are not valid. */
  readonly callTool: (params: {
    readonly name: string
    readonly arguments?: object | undefined
  }) => Promise<object | string>
}

interface Message {
  readonly id?: string | number | undefined
  readonly method?: string | undefined
}

/** A reply of the protocol: a message of JSON-RPC, or null for a notification. */
export interface ProtocolReply {
  readonly status: number
  readonly message: object | null
}

/**
 * Answers one message, with a server that exists only for this message. Revisions until 2025-11-25 begin with
 * `initialize`; later revisions repeat the revision and the client in each message. Throws what `answers` throw.
 */
export async function answerMessage(
  sdk: Sdk,
  message: Message,
  headers: PlainRequest['headers'],
  answers: Answers,
): Promise<ProtocolReply> {
  // The SDK would answer with the code of a bug.
  if (message.method === 'initialize' && message.id !== undefined && !sdk.isSpecType.InitializeRequest(message)) {
    const error = { code: sdk.INVALID_PARAMS, message: 'expected protocolVersion, capabilities and clientInfo' }
    return { status: 200, message: { jsonrpc: '2.0', id: message.id, error } }
  }
  const thrown: unknown[] = []
  const createServer = (): Server => makeServer(sdk, answers, thrown)
  const request = new Request('http://localhost/mcp', { method: 'POST', headers: makeHeaders(headers) })
  const options = { parsedBody: message }
  const { fetch: answerModern } = sdk.createMcpHandler(createServer, { legacy: 'reject', maxSubscriptions: 0 })
  const isLegacy = await sdk.isLegacyRequest(request, message)
  const response = await (isLegacy
    ? answerLegacy(sdk, createServer(), request, options)
    : answerModern(request, options))
  if (thrown.length > 0) throw thrown[0]
  const text = await response.text()
  return { status: response.status, message: text === '' ? null : (JSON.parse(text) as object) }
}

/**
 * Returns the headers for the SDK. It insists that the client accepts two types, but every reply is JSON, so `accept` of
 * the client is not used. A value that cannot be a header is left out, and the SDK then refuses the message.
 */
function makeHeaders(headers: PlainRequest['headers']): Headers {
  const sent = ['mcp-protocol-version', 'mcp-method', 'mcp-name'].flatMap((name): [string, string][] => {
    const value = headers[name]
    return value !== undefined && /^[ -~]*$/.test(value) ? [[name, value]] : []
  })
  return new Headers([['accept', 'application/json, text/event-stream'], ['content-type', 'application/json'], ...sent])
}

async function answerLegacy(
  sdk: Sdk,
  server: Server,
  request: Request,
  options: { readonly parsedBody: object },
): Promise<Response> {
  const transport = new sdk.WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    return await transport.handleRequest(request, options)
  } finally {
    await server.close()
  }
}

function makeServer(sdk: Sdk, { listTools, callTool, instructions, ...info }: Answers, thrown: unknown[]): Server {
  const server = new sdk.Server(info, {
    capabilities: { tools: {} },
    instructions,
    supportedProtocolVersions: [...protocolVersions],
  })
  /** The SDK would send the text of an error to the client. */
  const keepError = (error: unknown): never => {
    thrown.push(error)
    throw new sdk.ProtocolError(sdk.INTERNAL_ERROR, 'internal_error')
  }
  server.setRequestHandler('tools/list', async () => ({ tools: (await listTools().catch(keepError)) as never }))
  server.setRequestHandler('tools/call', async ({ params }) => {
    const result = await callTool(params).catch(keepError)
    if (typeof result === 'string') throw new sdk.ProtocolError(sdk.INVALID_PARAMS, result)
    return result as { content: [] }
  })
  return server
}
