import { runBuyerStoreContract, seedTraces } from '@tributary/test-kit'
import { storesOf } from './stores.ts'
import { databaseKinds, openTwoClients } from './two-clients.fixture.ts'

for (const kind of databaseKinds) {
  runBuyerStoreContract(kind, async () => {
    const { clients, databases, close } = await openTwoClients(kind)
    return {
      stores: [storesOf(databases[0]), storesOf(databases[1])],
      put: (ownerId, traces) => seedTraces(clients[0], ownerId, traces),
      close,
    }
  })
}
