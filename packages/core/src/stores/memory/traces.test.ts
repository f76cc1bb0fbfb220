import { runTraceStoreContract } from '@tributary/test-kit'
import { MemoryTraces } from './traces.ts'

runTraceStoreContract('memory', async () => {
  const store = new MemoryTraces()
  return {
    stores: [store, store],
    async put(ownerId, traces) {
      store.seedTraces(ownerId, [...traces])
    },
    async loseContent(id) {
      store.loseContent(id)
    },
    async close() {},
  }
})
