import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { createClient as createWebClient } from '@libsql/client/web'
import { startFaultyServer, startHrana, type Fault } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { Unavailable } from '../../unavailable.ts'
import { openDatabase, raw } from './database.ts'
import { remoteConfig } from './remote.ts'

const clients = { node: createClient, web: createWebClient }

describe.each(Object.entries(clients))('remoteConfig with the %s client', (_, create) => {
  test.each<Fault>(['silent', 'half', 'truncated', 'page 200', 'page 403', 'page 502'])(
    'rejects with Unavailable when the database answers "%s"',
    async (fault) => {
      const faulty = await startFaultyServer(fault)
      const client = create(remoteConfig({ url: faulty.url, fetch, deadlineMs: 300 }))
      const database = openDatabase(client)
      const calls = [
        database.read(raw('select 1')),
        database.write([raw('delete from t')]),
        database.readAll([raw('select 1'), raw('select 2')]),
      ]
      const errors = await Promise.all(
        calls.map((call) =>
          call.then(
            () => null,
            (error: unknown) => error,
          ),
        ),
      )
      expect(errors.map((error) => Unavailable.is(error))).toEqual([true, true, true])
      client.close()
      await faulty.close()
    },
  )
})

describe('remoteConfig', () => {
  test('includes the time in the queue in the deadline', async () => {
    const faulty = await startFaultyServer('silent')
    const client = createClient(remoteConfig({ url: faulty.url, fetch, deadlineMs: 500 }))
    const database = openDatabase(client)
    const calls = Array.from({ length: 100 }, () =>
      database.read(raw('select 1')).catch((error: unknown) => Unavailable.is(error)),
    )
    expect(new Set(await Promise.all(calls))).toEqual(new Set([true]))
    // Twenty requests run at a time. The other requests reach their deadline in the queue, except a few that start just
    // before it. If the time in the queue did not count, all requests would be sent.
    expect(faulty.connections()).toBeLessThan(100)
    client.close()
    await faulty.close()
  })

  test('runs more statements than it has connections, and each gets its own result', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tributary-remote-'))
    const remote = await startHrana({ path: join(folder, 'a.db') })
    remote.delay(5)
    const client = createClient(remoteConfig({ url: remote.url.replace('http', 'ws'), fetch }))
    const rows = await Promise.all(
      Array.from({ length: 70 }, (_, at) => openDatabase(client).read(raw('select ? as at', [at]))),
    )
    expect(rows.map(([row]) => row!['at'])).toEqual(Array.from({ length: 70 }, (_, at) => at))
    client.close()
    await remote.close()
    await rm(folder, { recursive: true })
  })

  describe('with a database that answers 429', () => {
    const refusal = { status: 429, retryAfterSeconds: 0 }
    const open = async (options: { refusals: number; retryAfterSeconds?: number; deadlineMs?: number }) => {
      const folder = await mkdtemp(join(tmpdir(), 'tributary-remote-'))
      let left = options.refusals
      const remote = await startHrana({
        path: join(folder, 'a.db'),
        disturb: () => (left-- > 0 ? { ...refusal, ...options } : null),
      })
      const { deadlineMs = 2_000 } = options
      const client = createClient(remoteConfig({ url: remote.url, fetch, deadlineMs }))
      return {
        remote,
        database: openDatabase(client),
        async close() {
          client.close()
          await remote.close()
          await rm(folder, { recursive: true })
        },
      }
    }

    test('retries reads and writes until they succeed, and runs each once', async () => {
      const { remote, database, close } = await open({ refusals: 2 })
      await database.write([raw('create table t (id integer primary key)')])
      expect(remote.requests).toBe(3)
      await database.write([raw('insert into t default values')])
      expect((await database.read(raw('select count(*) as rows from t')))[0]!['rows']).toBe(1)
      await close()
    })

    test('waits as long as retry-after asks', async () => {
      const { database, close } = await open({ refusals: 1, retryAfterSeconds: 1 })
      const start = performance.now()
      await database.read(raw('select 1'))
      expect(performance.now() - start).toBeGreaterThan(990)
      await close()
    })

    test('rejects with Unavailable when no retry fits into the deadline, even if the reply contains an error code', async () => {
      const { remote, database, close } = await open({ refusals: 9, deadlineMs: 1_400 })
      await expect(database.read(raw('select 1'))).rejects.toMatchObject({ name: 'Unavailable' })
      expect(remote.requests).toBe(4)
      await close()
    })
  })
})
