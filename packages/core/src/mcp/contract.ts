import * as z from 'zod'
import { Count, True } from '../http/fields.ts'
import { route } from '../http/route.ts'

/** The revisions of the Model Context Protocol that the service supports, newest first. */
export const protocolVersions = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'] as const

/** The maximum size of a message in bytes, enough for the largest agent report or 500 ids. */
const maxMessageBytes = 64 * 1024

const Id = z.union([z.string(), z.int()])

export const mcpContract = {
  sendMessage: route({
    method: 'POST',
    path: '/mcp',
    auth: 'any',
    envelope: 'rpc',
    summary: 'Send a message of the Model Context Protocol',
    description:
      'Streamable HTTP without sessions: `server/discover` or `initialize`, `ping`, `tools/list` and `tools/call`, one ' +
      'JSON-RPC message a request. Tools are operations of this document, named by `x-mcp-tool`; the list depends on the ' +
      'credential. A call counts towards the limits of its operation. 202: a notification.',
    headers: {
      'mcp-protocol-version': { description: 'The negotiated revision.', example: protocolVersions[0] },
    },
    rates: ['mcp'],
    body: z
      .looseObject({
        jsonrpc: z.literal('2.0'),
        id: Id.optional(),
        method: z.string().optional(),
        params: z.looseObject({}).optional(),
      })
      .meta({ examples: [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }] }),
    bodyLimit: maxMessageBytes,
    reply: z
      .object({
        jsonrpc: z.literal('2.0'),
        id: Id,
        result: z.looseObject({}).optional(),
        error: z.object({ code: z.int(), message: z.string() }).optional(),
      })
      .meta({ id: 'McpReply' }),
    success: [200, 202],
    failures: {
      header_mismatch: 400,
      invalid_params: 400,
      unsupported_protocol_version: 400,
      cross_site_request: 403,
      method_not_found: 404,
      mcp_not_installed: 501,
    },
  }),
  searchDocs: route({
    method: 'GET',
    path: '/api/docs/search',
    auth: 'none',
    envelope: 'ok',
    tool: 'search_docs',
    summary: 'Search the documentation',
    description: 'Returns the sections of the documentation that fit the words best.',
    query: z.object({
      q: z
        .string()
        .trim()
        .min(1)
        .max(200)
        .describe('words to look for')
        .meta({ examples: ['revoke a token'] }),
      limit: Count(1, 20, 5),
    }),
    rates: ['mcp'],
    reply: z.object({
      ok: True,
      results: z.array(
        z.object({
          source: z.string().describe('file and heading: `docs/oauth.md#revoke`'),
          title: z.string(),
          text: z.string().describe('Markdown'),
        }),
      ),
    }),
    failures: {},
  }),
}
