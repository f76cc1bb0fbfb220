import { runOverviewStoreContract } from '@tributary/test-kit'
import { memoryStores } from './index.ts'

runOverviewStoreContract('memory', async () => {
  const stores = memoryStores()
  return { stores: [stores, stores], person: (id) => stores.auth.upsertUser({ id, email: null, now: 0 }) }
})
