import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  createTestStores,
  findFreePort,
  fixture,
  makeId,
  makeTraces,
  seedTraces,
  type Fixture,
  type Signed,
} from '@tributary/test-kit'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as FormerTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { listen, type Listening } from './listen.ts'

const adminToken = 'operator-of-the-test'
let made: Fixture
let server: Listening
let jane: Signed
let address: URL

beforeAll(async () => {
  const port = await findFreePort()
  const stores = createTestStores()
  made = fixture({ stores, baseUrl: `http://127.0.0.1:${port}/tributary`, adminToken })
  server = await listen(made.service, { port })
  address = new URL(`http://127.0.0.1:${port}/tributary/mcp`)
  jane = await made.signIn()
  await seedTraces(stores.client, jane.userId, [...makeTraces(3, 'jane')])
})
afterAll(() => server.close())

const info = { name: 'test', version: '1.0.0' }
type Connect = (options: { requestInit: { headers: Record<string, string> } }) => Promise<Client>
const connectWith =
  (mode: 'auto' | 'legacy'): Connect =>
  async (options) => {
    const client = new Client(info, { versionNegotiation: { mode } })
    await client.connect(new StreamableHTTPClientTransport(address, options))
    return client
  }
/** The official clients. They validate each result with the schema of its tool. */
const connectors: readonly (readonly [name: string, revision: string, connect: Connect])[] = [
  ['version 2, which prefers the new revision', '2026-07-28', connectWith('auto')],
  ['version 2', '2025-11-25', connectWith('legacy')],
  [
    'version 1',
    '2025-11-25',
    async (options) => {
      const client = new FormerClient(info)
      await client.connect(new FormerTransport(address, options) as never)
      return client as never
    },
  ],
]

describe.each(connectors)('the client of the MCP SDK, %s', (_, revision, connectOnce) => {
  async function connect(token?: string): Promise<Client> {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const client = await connectOnce({ requestInit: { headers } as { headers: Record<string, string> } })
    await client.listTools()
    return client
  }

  test('connects without a credential, pings, reads the policy, submits feedback and gets its receipt', async () => {
    const client = await connect()
    expect(client.getServerVersion()).toMatchObject({ name: 'tributary' })
    // Version 1 has no method that returns the revision.
    expect(client.getNegotiatedProtocolVersion?.() ?? '2025-11-25').toBe(revision)
    expect(revision === '2025-11-25' ? await client.ping() : {}).toEqual({})
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name).toSorted()).toEqual([
      'get_feedback_receipt',
      'get_policy',
      'search_docs',
      'submit_feedback',
    ])
    const policy = await client.callTool({ name: 'get_policy' })
    const { examples } = policy.structuredContent as { examples: { feedback: Record<string, unknown>[] } }
    const submitted = await client.callTool({ name: 'submit_feedback', arguments: examples.feedback[0]! })
    const { receipt } = submitted.structuredContent as { receipt: { id: string } }
    const read = await client.callTool({ name: 'get_feedback_receipt', arguments: { id: receipt.id } })
    expect(read.structuredContent).toEqual(submitted.structuredContent)
    const found = await client.callTool({ name: 'search_docs', arguments: { q: 'backup the database' } })
    expect((found.structuredContent as { results: unknown[] }).results.length).toBeGreaterThan(0)
    await client.close()
  })

  test("reads with a contributor's token, and excludes traces", async () => {
    const client = await connect(jane.token)
    for (const name of ['list_traces', 'get_trace_stats', 'list_jobs', 'list_earnings', 'get_upload_policy'])
      expect([name, (await client.callTool({ name })).isError]).toEqual([name, undefined])
    const ids = [makeId('jane', 1)]
    const excluded = await client.callTool({ name: 'exclude_traces', arguments: { ids } })
    expect(excluded.structuredContent).toEqual({ ok: true, updatedIds: ids, updatedCount: 1, skippedCount: 0 })
    const refused = await client.callTool({ name: 'admin_list_jobs' })
    expect(refused.isError).toBe(true)
    await client.close()
  })

  test("reads with an operator's token from every tool that requires no id", async () => {
    const client = await connect(adminToken)
    const { tools } = await client.listTools()
    const reads = tools.filter(({ name, inputSchema }) => name.startsWith('admin_') && !inputSchema.required?.length)
    expect(reads.length).toBeGreaterThan(10)
    for (const { name } of reads) expect([name, (await client.callTool({ name })).isError]).toEqual([name, undefined])
    await client.close()
  })

  test('fails to connect with a token that is not valid', async () => {
    await expect(connect('wrong')).rejects.toThrow(/401|unauthorized/i)
  })
})

describe('docs/mcp.md', () => {
  const root = fileURLToPath(new URL('../../../../', import.meta.url))
  const readSnippet = async (language: string): Promise<string> => {
    const text = await readFile(join(root, 'docs/mcp.md'), 'utf8')
    return new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``)
      .exec(text)![1]!
      .replaceAll('https://tributary.example/mcp', address.href)
  }

  test('has a program that prints the titles of traces', async () => {
    const folder = await mkdtemp(join(root, 'packages/host-node/node_modules/.snippets-'))
    const log = vi.spyOn(console, 'log').mockImplementation(() => undefined)
    vi.stubEnv('TRIBUTARY_TOKEN', jane.token)
    try {
      await writeFile(join(folder, 'program.mjs'), await readSnippet('js'))
      await import(join(folder, 'program.mjs'))
      expect(log).toHaveBeenCalledExactlyOnceWith(['jane 2', 'jane 0'])
    } finally {
      log.mockRestore()
      vi.unstubAllEnvs()
      await rm(folder, { recursive: true })
    }
  })

  test("has a command that submits feedback, and a client's configuration file with the address of the service", async () => {
    const body = /-d '([^]*)'/.exec(await readSnippet('sh'))![1]!
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(address, { method: 'POST', headers, body })
    const { result } = (await reply.json()) as { result: { structuredContent: { receipt: { status: string } } } }
    expect(result.structuredContent.receipt.status).toBe('accepted')
    const file = JSON.parse(await readSnippet('json')) as { mcpServers: { tributary: { url: string } } }
    expect(file.mcpServers.tributary.url).toBe(address.href)
  })
})
