import { runReportStoreContract } from '@tributary/test-kit'
import type { Database } from './database.ts'
import { libsqlOutbox } from './outbox.ts'
import { libsqlReports } from './reports.ts'
import { databaseKinds, openTwoClients } from './two-clients.fixture.ts'

const openStores = (db: Database) => ({ reports: libsqlReports(db), outbox: libsqlOutbox(db) })

for (const kind of databaseKinds) {
  runReportStoreContract(kind, async () => {
    const { databases, close } = await openTwoClients(kind)
    return { stores: [openStores(databases[0]), openStores(databases[1])], close }
  })
}
