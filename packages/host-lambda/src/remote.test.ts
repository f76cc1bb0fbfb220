import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type Client } from '@libsql/client/http'
import { openDatabase, raw, type SqlClient, type SqlStatement } from '@tributary/core/libsql'
import { startHrana, type Hrana } from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { remoteClient } from './remote.ts'

const statement = (sql: string, ...args: SqlStatement['args']): SqlStatement => ({ sql, args })
const values = ['text é \u{1f600}', '', 7, -1.5, 0, 9_007_199_254_740_991, 12n, null, new Uint8Array([0, 255, 128]), new Uint8Array([]).buffer]

/** A server that answers by hand; each request's body as it came. */
async function startDoor(answer: (request: IncomingMessage, reply: ServerResponse, body: string) => void) {
  const bodies: { path: string; auth: string | undefined; body: Record<string, unknown> }[] = []
  const server: Server = createServer(async (request, reply) => {
    let text = ''
    for await (const part of request) text += String(part)
    bodies.push({ path: request.url!, auth: request.headers['authorization'], body: JSON.parse(text) })
    answer(request, reply, text)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { bodies, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, close: () => (server.closeAllConnections(), server.close()) }
}

describe('against a server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-remote-'))
  let hrana: Hrana
  let ours: SqlClient
  let theirs: Client
  beforeAll(async () => {
    hrana = await startHrana({ path: join(folder, 'a.db'), token: 'secret' })
    ours = remoteClient({ url: hrana.url, authToken: 'secret' })
    theirs = createClient({ url: hrana.url, authToken: 'secret' })
    await ours.batch([statement('create table t (a, b)'), statement('create unique index u on t (a)')], 'write')
  })
  afterAll(async () => {
    ours.close()
    theirs.close()
    await hrana.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test.each(values.map((value) => [value]))('%s goes there and back as with libSQL\'s own client', async (value) => {
    const ask = statement('select ? as v, typeof(?) as kind', value, value)
    const [mine, other] = [await ours.execute(ask), await theirs.execute({ sql: ask.sql, args: ask.args as never })]
    expect({ ...mine.rows[0] }).toEqual({ ...other.rows[0] })
    expect([mine.columns, mine.rowsAffected]).toEqual([other.columns, other.rowsAffected])
    expect(Array.from(mine.rows[0] as unknown as ArrayLike<unknown>)).toEqual(Object.values(mine.rows[0]!))
  })

  test('an integer that no number holds, and numbers that SQL has not, are refused', async () => {
    await expect(ours.execute(statement('select 9007199254740993'))).rejects.toThrow(RangeError)
    await expect(ours.execute(statement('select ?', Number.NaN))).rejects.toThrow(RangeError)
  })

  test('a batch is one request, all or nothing, and says why not', async () => {
    const before = hrana.requests
    const done = await ours.batch([statement('insert into t values (?, ?) returning b', 'x', 1), statement('update t set b = 2'), statement('select * from t')], 'write')
    expect(hrana.requests - before).toBe(1)
    expect(done.map(({ rows, rowsAffected }) => [rows.map((row) => ({ ...row })), rowsAffected])).toEqual([[[{ b: 1 }], expect.any(Number)], [[], 1], [[{ a: 'x', b: 2 }], expect.any(Number)]])
    const failed = ours.batch([statement('delete from t'), statement("insert into t values ('y', 0), ('y', 0)"), statement('select 1')], 'write')
    await expect(failed).rejects.toMatchObject({ name: 'RemoteError', code: expect.stringMatching(/^SQLITE_CONSTRAINT/) })
    expect((await ours.execute(statement('select count(*) as n from t'))).rows[0]).toMatchObject({ n: 1 })
    await expect(ours.execute(statement('select nope'))).rejects.toMatchObject({ code: 'SQLITE_ERROR' })
    expect((await ours.batch([statement('select 1 as one'), statement('select 2 as two')], 'read')).map(({ rows }) => ({ ...rows[0] }))).toEqual([{ one: 1 }, { two: 2 }])
  })

  test('a token that is not the server\'s is no outage, one that throttles or breaks is', async () => {
    const stranger = remoteClient({ url: hrana.url, authToken: 'wrong' })
    await expect(stranger.execute(statement('select 1'))).rejects.toMatchObject({ name: 'RemoteError', status: 401 })
    stranger.close()
    for (const status of [429, 503]) {
      hrana.fail(1, status)
      await expect(openDatabase(ours).read(raw('select 1'))).rejects.toMatchObject({ name: 'Unavailable' })
    }
    expect(await openDatabase(ours).read(raw('select 1 as one'))).toMatchObject([{ one: 1 }])
  })

  test('thirty at once are all answered', async () => {
    const all = await Promise.all(Array.from({ length: 30 }, (_, at) => ours.execute(statement('select ? as v', at))))
    expect(all.map(({ rows }) => rows[0]!['v'])).toEqual(Array.from({ length: 30 }, (_, at) => at))
  })
})

test('on the wire it says what libSQL\'s own client says', async () => {
  const door = await startDoor((_, reply) => reply.writeHead(500).end())
  try {
    for (const client of [remoteClient({ url: `${door.url}/base/`, authToken: 't' }), createClient({ url: `${door.url}/base/`, authToken: 't' }) as unknown as SqlClient]) {
      await client.execute(statement('select ?', ...values.slice(0, 1))).catch(() => null)
      await client.execute({ sql: 'select ?, ?, ?, ?', args: values.slice(4, 8) }).catch(() => null)
      for (const mode of ['write', 'read', 'deferred'] as const) await client.batch([statement('insert into t values (?)', 'a'), statement('delete from t')], mode).catch(() => null)
      client.close()
    }
    // Theirs stores the texts of a batch first, to say each once; that is left to the server.
    const plain = ({ path, auth, body }: (typeof door.bodies)[number]) => {
      const requests = body['requests'] as { type: string; sql_id?: number; sql?: string }[]
      const texts = new Map(requests.filter(({ type }) => type === 'store_sql').map(({ sql_id: id, sql }) => [id, sql]))
      const told = (_: string, value: unknown): unknown => {
        const stored = value as { sql_id?: number }
        if (typeof value !== 'object' || value === null || stored.sql_id === undefined) return value
        const { sql_id: id, ...rest } = stored
        return { sql: texts.get(id), ...rest }
      }
      const kept = requests.filter(({ type }) => !/^(?:store|close)_sql$/.test(type))
      return { path, auth, requests: JSON.parse(JSON.stringify(kept, told)) }
    }
    const said = door.bodies.map(plain)
    expect(said).toHaveLength(10)
    expect(said.slice(0, 5)).toEqual(said.slice(5))
    expect(said[0]).toMatchObject({ path: '/base/v2/pipeline', auth: 'Bearer t' })
  } finally {
    door.close()
  }
})

const ok = JSON.stringify({ results: [{ type: 'ok', response: { type: 'execute', result: { cols: [{ name: 'a' }], rows: [[{ type: 'integer', value: '1' }]], affected_row_count: 0 } } }] })

test('a connection that died while nobody looked is followed by another for a read; what changes something is sent once', async () => {
  let asked = 0
  const door = await startDoor((request, reply) => {
    // Every second request finds its connection cut.
    if (++asked % 2 === 0) request.socket.destroy()
    else reply.writeHead(200, { 'content-type': 'application/json' }).end(ok)
  })
  const client = remoteClient({ url: door.url })
  try {
    await client.execute(statement('select 1'))
    expect((await client.execute(statement('select 1'))).rows).toHaveLength(1)
    expect(asked).toBe(3)
    await expect(openDatabase(client).write([raw('delete from t')])).rejects.toMatchObject({ name: 'Unavailable' })
    expect(asked).toBe(4)
  } finally {
    client.close()
    door.close()
  }
})

test('an answer that does not come, does not end or makes no sense, nobody listening and a closed client are outages', async () => {
  const replies = [
    (_: ServerResponse) => undefined,
    (reply: ServerResponse) => reply.writeHead(200, { 'content-length': '100' }).write('{'),
    (reply: ServerResponse) => reply.writeHead(200).end('<html>'),
  ]
  for (const answer of replies) {
    const door = await startDoor((_, reply) => void answer(reply))
    const client = remoteClient({ url: door.url, timeoutMs: 60 })
    await expect(openDatabase(client).read(raw('select 1'))).rejects.toMatchObject({ name: 'Unavailable' })
    door.close()
    client.close()
    await expect(openDatabase(client).read(raw('select 1'))).rejects.toMatchObject({ name: 'Unavailable' })
  }
  const nobody = remoteClient({ url: 'http://127.0.0.1:1' })
  await expect(openDatabase(nobody).read(raw('select 1'))).rejects.toMatchObject({ name: 'Unavailable' })
  expect(() => remoteClient({ url: 'file:a.db' })).toThrow('libsql:')
  expect(() => remoteClient({ url: 'nothing' })).toThrow()
})
