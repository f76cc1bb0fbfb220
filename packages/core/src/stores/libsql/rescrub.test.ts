import { runBlockedTermStoreContract, runRescrubStoreContract } from '@tributary/test-kit'
import { createStores } from './stores.ts'
import { databaseKinds, openTwoClients } from './two-clients.fixture.ts'

for (const kind of databaseKinds) {
  const open = async () => {
    const { databases, close } = await openTwoClients(kind)
    return { stores: [createStores(databases[0]), createStores(databases[1])] as const, close }
  }
  runBlockedTermStoreContract(kind, open)
  runRescrubStoreContract(kind, open)
}
