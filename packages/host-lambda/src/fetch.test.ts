import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@libsql/client/web'
import { remoteConfig } from '@tributary/core/libsql-lazy'
import { startFaultyServer, startHrana, type Fault } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createNodeFetch, Headers, Request, Response } from './fetch.ts'

const openClient = (url: string, deadlineMs = 2_000) =>
  createClient(remoteConfig({ url, authToken: 'turso', fetch: createNodeFetch(), deadlineMs }))

describe.each(['the classes of a bundle', 'the global classes'])(
  "createNodeFetch, libSQL's client and %s",
  (classes) => {
    beforeEach(() => {
      if (classes === 'the global classes') return
      for (const [name, value] of Object.entries({ Headers, Request, Response })) vi.stubGlobal(name, value)
      vi.stubGlobal('fetch', () => {
        throw new Error('the global fetch was called')
      })
    })
    afterEach(() => void vi.unstubAllGlobals())

    test('sends statements and batches, with the token, and returns rows of every type', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'tributary-fetch-'))
      const database = await startHrana({ path: join(folder, 'a.db'), token: 'turso' })
      const client = openClient(database.url)
      try {
        await client.batch(['create table t (a, b, c)', "insert into t values (1, 'é', x'00ff')"], 'write')
        const { rows } = await client.execute({ sql: 'select a, b, c from t where a = ?', args: [1] })
        expect(rows.map(({ a, b, c }) => [a, b, [...new Uint8Array(c as ArrayBuffer)]])).toEqual([[1, 'é', [0, 255]]])
        await expect(client.execute('select missing')).rejects.toThrow(/no such column/)
        await expect(
          client.batch(['insert into t values (2, 3, 4)', 'insert into nowhere values (1)'], 'write'),
        ).rejects.toThrow(/no such table/)
        expect((await client.execute('select count(*) as count from t')).rows[0]!['count']).toBe(1)
        database.fail(2, 429)
        expect((await client.execute('select 1 as one')).rows[0]!['one']).toBe(1)
      } finally {
        client.close()
        await database.close()
        rmSync(folder, { recursive: true, force: true })
      }
    })

    test.each<Fault>(['silent', 'half', 'truncated', 'page 502'])(
      'rejects when the database fails with "%s"',
      async (fault) => {
        const faulty = await startFaultyServer(fault)
        const client = openClient(faulty.url, 300)
        await expect(client.execute('select 1')).rejects.toThrow()
        client.close()
        await faulty.close()
      },
    )
  },
)

describe('createNodeFetch', () => {
  test('reuses a connection for the next request, and opens another after an idle time of four seconds', async () => {
    let connections = 0
    const server = createServer((_, res) => res.writeHead(200, { 'x-a': 'b' }).end('{"ok":true}'))
    server.on('connection', () => connections++)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const time = { now: 0 }
    const nodeFetch = createNodeFetch(() => time.now) as unknown as (request: Request) => Promise<Response>
    const request = new Request(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    const reply = await nodeFetch(request)
    expect([reply.ok, reply.headers.get('X-A'), await reply.json(), await reply.text()]).toEqual([
      true,
      'b',
      { ok: true },
      '{"ok":true}',
    ])
    await nodeFetch(request)
    expect(connections).toBe(1)
    time.now = 4_001
    await nodeFetch(request)
    expect(connections).toBe(2)
    server.closeAllConnections()
    server.close()
    time.now = 9_000
    await expect(nodeFetch(request)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })
})
