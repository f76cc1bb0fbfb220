import { runAccountStoreContract } from '@tributary/test-kit'
import { memoryStores } from './index.ts'

runAccountStoreContract('memory', async () => {
  const stores = memoryStores()
  return { stores: [stores, stores], close: async () => {} }
})
