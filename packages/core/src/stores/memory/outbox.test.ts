import { runOutboxStoreContract } from '@tributary/test-kit'
import { memoryOutbox } from './outbox.ts'

runOutboxStoreContract('memory', async () => {
  const store = memoryOutbox()
  return { stores: [store, store] }
})
