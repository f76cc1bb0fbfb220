import { runAccountStoreContract } from '@tributary/test-kit'
import { libsqlAccount } from './account.ts'
import type { Database } from './database.ts'
import { libsqlAuth } from './auth.ts'
import { sampledKinds, openTwoClients } from './two-clients.fixture.ts'

const openStores = (db: Database) => ({ account: libsqlAccount(db), auth: libsqlAuth(db) })

for (const kind of sampledKinds) {
  runAccountStoreContract(kind, async () => {
    const { databases, close } = await openTwoClients(kind)
    return { stores: [openStores(databases[0]), openStores(databases[1])], close }
  })
}
