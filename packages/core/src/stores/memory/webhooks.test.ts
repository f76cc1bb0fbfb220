import { runWebhookStoreContract } from '@tributary/test-kit'
import { memoryStores } from './index.ts'

runWebhookStoreContract('memory', async () => {
  const stores = memoryStores()
  return { stores: [stores, stores] }
})
