import { createTestStores, fixture } from '@tributary/test-kit'
import { expect, test, vi } from 'vitest'

vi.mock('@modelcontextprotocol/server', () => {
  throw Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' })
})

test('POST /mcp without the SDK returns 501 with the package to install, and logs the fix once', async () => {
  const logged: unknown[] = []
  const record = (fields: { readonly fix?: unknown }, event: string): void => void logged.push([event, fields.fix])
  const logger = { info() {}, warn: record, error: record }
  const made = fixture({ stores: createTestStores(), logger })
  logged.length = 0
  for (let i = 0; i < 2; i++) {
    const { status, json } = await made.ask('POST', '/mcp', { json: { jsonrpc: '2.0', id: 1, method: 'ping' } })
    const data = { package: '@modelcontextprotocol/server' }
    expect([status, json]).toEqual([
      501,
      { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'mcp_not_installed', data } },
    ])
  }
  expect(logged).toEqual([['mcp.sdk.not_loaded', expect.stringContaining('npm install @modelcontextprotocol/server')]])
  expect((await made.ask('GET', '/api/docs/search?q=token')).status).toBe(200)
})
