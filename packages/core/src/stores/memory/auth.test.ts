import { runAuthStoreContract } from '@tributary/test-kit'
import { memoryAuth } from './index.ts'

runAuthStoreContract('in memory', async () => {
  const store = memoryAuth()
  return { stores: [store, store] }
})
