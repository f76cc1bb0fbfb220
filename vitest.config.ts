import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['tributary-source'] },
  ssr: { resolve: { conditions: ['tributary-source'] } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'examples/**/*.test.ts'],
    setupFiles: ['.ci/observe.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    pool: 'threads',
    maxWorkers: 2,
  },
})
