import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createTestStores, fixture, gateways, hostility, startGateway, type Gateway } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { lambdaPlatform, toLambdaHandler } from './index.ts'

const logger = { info() {}, warn() {}, error() {} }

const modes = ['auto', 'legacy'] as const
const places = (Object.keys(gateways) as Gateway[]).flatMap((gateway) => modes.map((mode) => [gateway, mode] as const))

describe.each(places)('the client of the MCP SDK behind %s, with %s negotiation', (gateway, mode) => {
  test("lists the tools of a contributor, calls tools that submit and read, and refuses an operator's tool", async () => {
    const made = fixture({ stores: createTestStores(), ...lambdaPlatform(), logger })
    const jane = await made.signIn()
    const handler = toLambdaHandler(made.service)
    const { url, close } = await startGateway((event) => handler(event as never), { gateway, hostile: hostility })
    try {
      const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
      const options = { requestInit: { headers: jane.bearer } }
      await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), options))
      expect(client.getNegotiatedProtocolVersion()).toBe(mode === 'auto' ? '2026-07-28' : '2025-11-25')
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['submit_feedback', 'exclude_traces']))
      const report = {
        reporter: { agent_vendor: 'v', agent_product: 'p' },
        subject: { surface: 's' },
        content: { title: 'words' },
      }
      const submitted = await client.callTool({ name: 'submit_feedback', arguments: report })
      expect(submitted.structuredContent).toMatchObject({ receipt: { status: 'accepted' } })
      expect((await client.callTool({ name: 'list_traces' })).structuredContent).toMatchObject({ traces: [] })
      const found = await client.callTool({ name: 'search_docs', arguments: { q: 'lambda', limit: 1 } })
      expect(found.structuredContent).toMatchObject({ results: [{}] })
      expect((await client.callTool({ name: 'admin_list_jobs' })).isError).toBe(true)
      await client.close()
    } finally {
      await close()
    }
  })
})
