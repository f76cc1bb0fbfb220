import { runRateLimiterContract, runSessionStoreContract } from '@tributary/test-kit'
import { memoryLimiter, memorySessions } from './index.ts'

runSessionStoreContract('in memory', async () => {
  const store = memorySessions()
  return { stores: [store, store] }
})

runRateLimiterContract('in memory', async () => {
  const limiter = memoryLimiter()
  return { host: () => limiter }
})
