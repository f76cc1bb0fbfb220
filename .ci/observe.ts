// Runs before each test file: every service that a test makes is watched by test-kit's contract coverage.
import { afterAll, vi } from 'vitest'

// Loaded where a service is made, and only there: most test files make none.
let watching: typeof import('../packages/test-kit/src/coverage.ts') | null = null

vi.mock('../packages/core/src/service/create.ts', async (original) => {
  const real = await original<typeof import('../packages/core/src/service/create.ts')>()
  const { implied } = await import('../packages/core/src/http/failures.ts')
  const { observe } = (watching = await import('../packages/test-kit/src/coverage.ts'))
  const createService: typeof real.createService = (options) => observe(real.createService(options), implied)
  return { ...real, createService }
})

afterAll(() => watching?.flush())
