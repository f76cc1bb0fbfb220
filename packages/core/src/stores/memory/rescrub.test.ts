import { runBlockedTermStoreContract, runRescrubStoreContract } from '@tributary/test-kit'
import { memoryStores } from './index.ts'

const open = async () => {
  const stores = memoryStores()
  return { stores: [stores, stores] as const, close: async () => undefined }
}

runBlockedTermStoreContract('memory', open)
runRescrubStoreContract('memory', open)
