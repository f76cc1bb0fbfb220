import { configDefaults, defineConfig } from 'vitest/config'

/** `npm run test:lambda`: emulators of AWS and the real runtime client, which `npm test` leaves out. */
const emulated = 'packages/host-lambda/src/emulated/**'
const isLambda = process.env['TRIBUTARY_LAMBDA'] === '1'
/** `npm run test:full`: also the slow tests, and every contract on each database and host. */
const isFull = process.env['TRIBUTARY_TESTS'] === 'full'

const include = isLambda ? [`${emulated}/*.test.ts`] : ['packages/*/{src,bench}/**/*.test.ts', 'examples/**/*.test.ts']
const exclude = [
  ...configDefaults.exclude,
  ...(isLambda ? [] : [emulated]),
  ...(isFull || isLambda ? [] : ['**/*.slow.test.ts']),
]
/** Files that replace modules (`vi.mock`) need modules of their own; the others share a worker's, which halves the time. */
const isolated = '**/*.isolated.test.ts'

export default defineConfig({
  resolve: { conditions: ['tributary-source'] },
  ssr: { resolve: { conditions: ['tributary-source'] } },
  test: {
    setupFiles: ['.ci/files.mjs', '.ci/observe.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    pool: 'threads',
    maxWorkers: 2,
    projects: [
      { extends: true, test: { name: 'shared', include, exclude: [...exclude, isolated], isolate: false } },
      { extends: true, test: { name: 'isolated', include: [isolated], exclude } },
    ],
  },
})
