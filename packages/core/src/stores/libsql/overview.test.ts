import { runOverviewStoreContract } from '@tributary/test-kit'
import { storesOf } from './stores.ts'
import { sampledKinds, openTwoClients } from './two-clients.fixture.ts'

for (const kind of sampledKinds) {
  runOverviewStoreContract(kind, async () => {
    const { databases, addUser, close } = await openTwoClients(kind)
    return { stores: [storesOf(databases[0]), storesOf(databases[1])], close, person: addUser }
  })
}
