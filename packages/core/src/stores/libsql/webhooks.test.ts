import { runWebhookStoreContract, temporaryDatabase } from '@tributary/test-kit'
import { libsqlStores } from './stores.ts'

runWebhookStoreContract('libSQL', async () => {
  const { client, close } = await temporaryDatabase()
  return { stores: [libsqlStores(client), libsqlStores(client)], close }
})
