import { runRateLimiterContract } from '@tributary/test-kit'
import { memoryLimiter } from './index.ts'

runRateLimiterContract('in memory', async () => {
  const limiter = memoryLimiter()
  return { host: () => limiter }
})
