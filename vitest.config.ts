import { configDefaults, defineConfig } from 'vitest/config'

/** `npm run test:lambda`: emulators of AWS and the real runtime client, which `npm test` leaves out. */
const emulated = 'packages/host-lambda/src/emulated/**'
const lambda = process.env['TRIBUTARY_LAMBDA'] === '1'

export default defineConfig({
  resolve: { conditions: ['tributary-source'] },
  ssr: { resolve: { conditions: ['tributary-source'] } },
  test: {
    include: lambda ? [`${emulated}/*.test.ts`] : ['packages/*/{src,bench}/**/*.test.ts', 'examples/**/*.test.ts'],
    exclude: lambda ? configDefaults.exclude : [...configDefaults.exclude, emulated],
    setupFiles: ['.ci/files.mjs', '.ci/observe.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    pool: 'threads',
    maxWorkers: 2,
  },
})
