import { runLedgerStoreContract } from '@tributary/test-kit'
import { memoryStores, type MemoryTraces } from './index.ts'

runLedgerStoreContract('memory', async () => {
  const stores = memoryStores()
  return {
    stores: [stores, stores],
    person: (id) => stores.auth.upsertUser({ id, email: `${id}@example.com`, now: 0 }),
    put: async (ownerId, traces) => (stores.traces as MemoryTraces).seedTraces(ownerId, [...traces]),
  }
})
