import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { limiterLaws, sessionStoreLaws, startHrana, temporaryDatabase } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { openLocal } from '../../../../host-node/src/sqlite/local.ts'
import type { SqlClient } from './client.ts'
import { openDatabase } from './database.ts'
import { libsqlLimiter } from './limiter.ts'
import { migrate } from './migrate.ts'
import { libsqlSessions } from './sessions.ts'

interface Opened {
  readonly clients: readonly [SqlClient, SqlClient]
  close(): Promise<void>
}

const folder = (): Promise<string> => mkdtemp(join(tmpdir(), 'tributary-sessions-'))

async function opened(clients: readonly [SqlClient, SqlClient], close: () => Promise<unknown>): Promise<Opened> {
  await migrate(clients[0])
  return {
    clients,
    async close() {
      for (const client of clients) client.close()
      await close()
    },
  }
}

const places = {
  async 'a local file'() {
    const home = await folder()
    const path = join(home, 'a.db')
    return opened([openLocal(path), openLocal(path)], () => rm(home, { recursive: true }))
  },
  async 'a remote libSQL'() {
    const home = await folder()
    const remote = await startHrana({ path: join(home, 'a.db') })
    return opened([createClient({ url: remote.url }), createClient({ url: remote.url })], async () => {
      await remote.close()
      await rm(home, { recursive: true })
    })
  },
}

for (const [name, open] of Object.entries(places)) {
  sessionStoreLaws(name, async () => {
    const { clients, close } = await open()
    return { stores: [libsqlSessions(openDatabase(clients[0])), libsqlSessions(openDatabase(clients[1]))], close }
  })
  limiterLaws(name, async () => {
    const { clients, close } = await open()
    return { host: (n) => libsqlLimiter(openDatabase(clients[n % 2]!)), close }
  })
}

test('a big rate writes once for a block of calls, a full one not at all, and old windows are swept', async () => {
  const { client, close } = await temporaryDatabase()
  let writes = 0
  const counting: SqlClient = {
    execute: (statement) => client.execute(statement),
    batch(statements, mode) {
      writes++
      return client.batch(statements, mode)
    },
    close: () => client.close(),
  }
  const limiter = libsqlLimiter(openDatabase(counting))
  const rate = { limit: 1200, windowMs: 60_000 }
  for (let i = 0; i < 1200; i++) expect((await limiter.consume('person:a', rate, 60_000)).allowed).toBe(true)
  expect(writes).toBe(24)
  for (let i = 0; i < 100; i++) expect((await limiter.consume('person:a', rate, 60_000)).allowed).toBe(false)
  expect(writes).toBe(25)
  for (let i = 0; i < 300; i++) await limiter.consume(`person:${i}`, rate, 600_000)
  const { rows } = await client.execute("select count(*) as n from rate_windows where key = 'person:a'")
  expect(rows[0]!['n']).toBe(0)
  await close()
})
