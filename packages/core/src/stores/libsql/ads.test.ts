import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { adStoreLaws, programStoreLaws, startHrana } from '@tributary/test-kit'
import { openLocal } from '../../../../host-node/src/sqlite/local.ts'
import { libsqlAds } from './ads.ts'
import type { SqlClient } from './client.ts'
import { openDatabase, raw, type Database } from './database.ts'
import { migrate } from './migrate.ts'
import { libsqlProgram } from './program.ts'

interface Opened {
  readonly databases: readonly [Database, Database]
  close(): Promise<void>
}

async function opened(clients: readonly [SqlClient, SqlClient], close: () => Promise<unknown>): Promise<Opened> {
  await migrate(clients[0])
  const databases = [openDatabase(clients[0]), openDatabase(clients[1])] as const
  await databases[0].write(
    ['ann', 'bob', 'cat'].map((id) => raw('insert into users (id, created_at) values (?, 0)', [id])),
  )
  return {
    databases,
    async close() {
      for (const client of clients) client.close()
      await close()
    },
  }
}

const places: Record<string, () => Promise<Opened>> = {
  async 'a local file'() {
    const home = await mkdtemp(join(tmpdir(), 'tributary-ads-'))
    const path = join(home, 'a.db')
    return opened([openLocal(path), openLocal(path)], () => rm(home, { recursive: true }))
  },
  async 'a remote libSQL'() {
    const home = await mkdtemp(join(tmpdir(), 'tributary-ads-'))
    const remote = await startHrana({ path: join(home, 'a.db') })
    return opened([createClient({ url: remote.url }), createClient({ url: remote.url })], async () => {
      await remote.close()
      await rm(home, { recursive: true })
    })
  },
}

for (const [name, open] of Object.entries(places)) {
  adStoreLaws(name, async () => {
    const {
      databases: [one, two],
      close,
    } = await open()
    return {
      stores: [libsqlAds(one), libsqlAds(two)],
      close,
      claim: (ownerId, deviceId) => libsqlProgram(one).claim({ ownerId, deviceId, now: 0, max: null }),
      async queued() {
        const rows = await one.read<{ id: string; payload: string }>(
          raw("select id, payload from outbox where channel = 'impression' order by id"),
        )
        return rows.map(({ id, payload }) => [id, payload] as const)
      },
    }
  })
  programStoreLaws(name, async () => {
    const { databases, close } = await open()
    return { stores: [libsqlProgram(databases[0]), libsqlProgram(databases[1])], close }
  })
}
