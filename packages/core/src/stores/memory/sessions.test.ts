import { limiterLaws, sessionStoreLaws } from '@tributary/test-kit'
import { memoryLimiter, memorySessions } from './index.ts'

sessionStoreLaws('in memory', async () => {
  const store = memorySessions()
  return { stores: [store, store] }
})

limiterLaws('in memory', async () => {
  const limiter = memoryLimiter()
  return { host: () => limiter }
})
