// Runs before each test file: the contract coverage of test-kit watches every service that a test makes.
import { afterAll, vi } from 'vitest'
import { flush, observe } from '../../../test-kit/src/coverage.ts'

vi.mock('./create.ts', async (original) => {
  const real = await original<typeof import('./create.ts')>()
  const { implied } = await import('../http/failures.ts')
  const createService: typeof real.createService = (options) => observe(real.createService(options), implied)
  return { ...real, createService }
})

// Test files share modules, but this file runs again for each of them.
afterAll(flush)
