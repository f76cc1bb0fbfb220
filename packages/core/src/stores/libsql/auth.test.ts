import { runAuthStoreContract } from '@tributary/test-kit'
import { libsqlAuth } from './auth.ts'
import { databaseKinds, openTwoClients } from './two-clients.fixture.ts'

for (const kind of databaseKinds) {
  runAuthStoreContract(kind, async () => {
    const { databases, close } = await openTwoClients(kind)
    return { stores: [libsqlAuth(databases[0]), libsqlAuth(databases[1])], close }
  })
}
