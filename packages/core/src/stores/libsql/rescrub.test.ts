import { runBlockedTermStoreContract, runRescrubStoreContract } from '@tributary/test-kit'
import { libsqlStores } from './stores.ts'
import { databaseKinds, openTwoClients } from './two-clients.fixture.ts'

for (const kind of databaseKinds) {
  const open = async () => {
    const {
      clients: [one, other],
      close,
    } = await openTwoClients(kind)
    return { stores: [libsqlStores(one), libsqlStores(other)] as const, close }
  }
  runBlockedTermStoreContract(kind, open)
  runRescrubStoreContract(kind, open)
}
