import { runBuyerStoreContract, seedTraces, temporaryDatabase } from '@tributary/test-kit'
import { libsqlStores } from './stores.ts'

runBuyerStoreContract('libSQL', async () => {
  const { client, close } = await temporaryDatabase()
  return {
    stores: [libsqlStores(client), libsqlStores(client)],
    put: (ownerId, traces) => seedTraces(client, ownerId, traces),
    close,
  }
})
