import { runOverviewStoreContract } from '@tributary/test-kit'
import { createStores } from './stores.ts'
import { sampledKinds, openTwoClients } from './two-clients.fixture.ts'

for (const kind of sampledKinds) {
  runOverviewStoreContract(kind, async () => {
    const { databases, addUser, close } = await openTwoClients(kind)
    return { stores: [createStores(databases[0]), createStores(databases[1])], close, person: addUser }
  })
}
