// Runs before each test file: every service that a test makes is watched by test-kit's contract coverage.
import { afterAll, vi } from 'vitest'
import { flush, observe } from '../packages/test-kit/src/coverage.ts'

vi.mock('../packages/core/src/service.ts', async (original) => {
  const real = await original<typeof import('../packages/core/src/service.ts')>()
  const createService: typeof real.createService = (options) => observe(real.createService(options))
  return { ...real, createService }
})

afterAll(() => flush())
