import { runBuyerStoreContract } from '@tributary/test-kit'
import { memoryStores } from './index.ts'
import { MemoryTraces } from './traces.ts'

runBuyerStoreContract('memory', async () => {
  const stores = memoryStores()
  return {
    stores: [stores, stores],
    async put(ownerId, traces) {
      if (stores.traces instanceof MemoryTraces) stores.traces.seedTraces(ownerId, [...traces])
    },
  }
})
