import { runWebhookStoreContract } from '@tributary/test-kit'
import { storesOf } from './stores.ts'
import { sampledKinds, openTwoClients } from './two-clients.fixture.ts'

for (const kind of sampledKinds) {
  runWebhookStoreContract(kind, async () => {
    const { databases, close } = await openTwoClients(kind)
    return { stores: [storesOf(databases[0]), storesOf(databases[1])], close }
  })
}
