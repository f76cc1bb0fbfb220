import { makeTelemetryReport, runTelemetryStoreContract, temporaryDatabase } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { openDatabase, raw, type Database } from './database.ts'
import { libsqlAudit } from './audit.ts'
import { libsqlOutbox } from './outbox.ts'
import { libsqlTelemetry } from './telemetry.ts'
import { sampledKinds, openTwoClients } from './two-clients.fixture.ts'

const openStores = (db: Database) => ({
  telemetry: libsqlTelemetry(db),
  outbox: libsqlOutbox(db),
  audit: libsqlAudit(db),
})

for (const kind of sampledKinds) {
  runTelemetryStoreContract(kind, async () => {
    const { databases, addUser, close } = await openTwoClients(kind)
    return {
      stores: [openStores(databases[0]), openStores(databases[1])],
      person: (id) => addUser(id, `${id}@example.com`),
      close,
    }
  })
}

test('deleteReports deletes a bounded number of rows and returns whether there may be more', async () => {
  const { client, close } = await temporaryDatabase()
  const db = openDatabase(client)
  const store = libsqlTelemetry(db)
  await db.write([raw("insert into users (id, created_at) values ('ann', 0)")])
  await db.write([
    raw(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 1500)
    insert into telemetry (id, owner, device_id, diagnostics, events, received_at) select 'x' || i, 1, 'd', '[]', '[]', 5 from n`),
  ])
  const kept = makeTelemetryReport({ receivedAt: 6 })
  await store.recordReport({ ownerId: 'ann', report: kept, forward: null })
  expect(await store.deleteReports({ before: 6 })).toBe(true)
  expect(await store.deleteReports({ before: 6 })).toBe(false)
  expect(await db.read(raw('select id from telemetry'))).toMatchObject([{ id: kept.id }])
  await close()
})
