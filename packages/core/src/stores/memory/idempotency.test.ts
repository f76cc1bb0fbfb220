import { runIdempotencyStoreContract } from '@tributary/test-kit'
import { memoryIdempotency } from './index.ts'

runIdempotencyStoreContract('memory', async () => {
  const people = new Set<string>()
  const store = memoryIdempotency(async (id) => people.has(id))
  return { stores: [store, store], person: async (id) => void people.add(id) }
})
