import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { madeReport, startHrana, telemetryStoreLaws, temporaryDatabase } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { openLocal } from '../../../../host-node/src/sqlite/local.ts'
import type { SqlClient } from './client.ts'
import { openDatabase, raw } from './database.ts'
import { migrate } from './migrate.ts'
import { libsqlOutbox } from './outbox.ts'
import { libsqlTelemetry } from './telemetry.ts'

for (const [kind, name] of [
  ['file', 'a local file'],
  ['remote', 'a remote libSQL'],
] as const) {
  telemetryStoreLaws(name, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tributary-telemetry-'))
    const path = join(folder, 'a.db')
    const remote = kind === 'remote' ? await startHrana({ path }) : null
    const clients = [0, 1].map((): SqlClient => (remote ? createClient({ url: remote.url }) : openLocal(path)))
    await migrate(clients[0]!)
    const [one, two] = clients.map((client) => openDatabase(client))
    const host = (db: typeof one) => ({ telemetry: libsqlTelemetry(db!), outbox: libsqlOutbox(db!) })
    return {
      stores: [host(one), host(two)],
      async person(id) {
        await one!.write([raw('insert into users (id, created_at) values (?, 0)', [id])])
      },
      async close() {
        for (const client of clients) client.close()
        await remote?.close()
        await rm(folder, { recursive: true })
      },
    }
  })
}

test('a sweep deletes a bounded number of rows and says whether there may be more', async () => {
  const { client, close } = await temporaryDatabase()
  const db = openDatabase(client)
  const store = libsqlTelemetry(db)
  await db.write([raw("insert into users (id, created_at) values ('ann', 0)")])
  await db.write([
    raw(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 1500)
    insert into telemetry (id, owner, device_id, diagnostics, events, received_at) select 'x' || i, 1, 'd', '[]', '[]', 5 from n`),
  ])
  const kept = madeReport({ receivedAt: 6 })
  await store.record('ann', kept, null)
  expect(await store.forget(6)).toBe(true)
  expect(await store.forget(6)).toBe(false)
  expect(await db.read(raw('select id from telemetry'))).toMatchObject([{ id: kept.id }])
  await close()
})
