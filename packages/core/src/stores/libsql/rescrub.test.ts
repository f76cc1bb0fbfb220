import { runBlockedTermStoreContract, runRescrubStoreContract } from '@tributary/test-kit'
import { storesOf } from './stores.ts'
import { databaseKinds, openTwoClients } from './two-clients.fixture.ts'

for (const kind of databaseKinds) {
  const open = async () => {
    const { databases, close } = await openTwoClients(kind)
    return { stores: [storesOf(databases[0]), storesOf(databases[1])] as const, close }
  }
  runBlockedTermStoreContract(kind, open)
  runRescrubStoreContract(kind, open)
}
