import { runBuyerStoreContract, seedTraces } from '@tributary/test-kit'
import { createStores } from './stores.ts'
import { databaseKinds, openTwoClients } from './two-clients.fixture.ts'

for (const kind of databaseKinds) {
  runBuyerStoreContract(kind, async () => {
    const { clients, databases, close } = await openTwoClients(kind)
    return {
      stores: [createStores(databases[0]), createStores(databases[1])],
      put: (ownerId, traces) => seedTraces(clients[0], ownerId, traces),
      close,
    }
  })
}
