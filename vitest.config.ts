import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { mutantPlugin } from './packages/test-kit/src/mutation/plugin.ts'
import { hangMs } from './packages/test-kit/src/setup/hang.ts'
import { LongestFirst } from './packages/test-kit/src/setup/sequencer.ts'
import { SummaryReporter } from './packages/test-kit/src/setup/reporter.ts'

/** The kind of run: short, ci, full or lambda. `.ci/test.mjs` sets it; it is not set when a developer runs single files. */
const kind = process.env['TRIBUTARY_TESTS']
/** `npm run test:lambda` runs emulators of AWS and the real runtime client, which other runs leave out. */
const isLambda = kind === 'lambda'
const emulated = 'packages/host-lambda/src/emulated'

/** Whether `.ci/test.mjs` runs every file. Only then must all declared outcomes occur. */
const isJudged = !isLambda && process.env['TRIBUTARY_FAILED_STEPS'] !== undefined
/** The folder of the declared outcomes that occurred. Vitest evaluates this file once for each project. */
if (isJudged) process.env['TRIBUTARY_COVERAGE'] ??= mkdtempSync(join(tmpdir(), 'tributary-outcomes-'))
const coverage = isJudged ? process.env['TRIBUTARY_COVERAGE'] : undefined

const include = isLambda
  ? [`${emulated}/**/*.test.ts`]
  : ['packages/*/{src,bench}/**/*.test.ts', 'examples/**/*.test.ts']
/**
 * The installed examples with a separate lockfile, for `npm test -- --ci`. Their slow tests run too, and the slow tests
 * of the packed packages.
 */
const apps = process.env['TRIBUTARY_APPS']?.split(' ').filter(Boolean) ?? []
const slowName = kind === 'ci' ? '!(packed-packages).slow.test.ts' : '*.slow.test.ts'
const folders = ['packages', ...readdirSync(join(import.meta.dirname, 'examples')).map((name) => `examples/${name}`)]
const exclude = [
  ...configDefaults.exclude,
  ...(isLambda ? [] : [`${emulated}/**`]),
  ...(kind === 'short' ? ['**/*.long.test.ts'] : []),
  ...(kind === 'full' ? [] : folders.filter((one) => !apps.includes(one)).map((one) => `${one}/**/${slowName}`)),
]
/**
 * Files that replace modules (`vi.mock`) need separate modules. Other files share a worker's, which halves the time.
 */
const isolated = `${isLambda ? `${emulated}/` : ''}**/*.isolated{,.long,.slow}.test.ts`

/** The mutant of `npm run mutants`, which sets this variable. */
const mutant = process.env['TRIBUTARY_MUTANT']

export default defineConfig({
  plugins: mutant === undefined ? [] : [mutantPlugin()],
  resolve: { conditions: ['tributary-source'] },
  ssr: { resolve: { conditions: ['tributary-source'] } },
  test: {
    globalSetup: [
      'packages/test-kit/src/setup/temporary-folder.ts',
      ...(isLambda ? [`${emulated}/runtime-client.setup.ts`] : []),
      ...(kind === 'ci' || kind === 'full' ? ['packages/host-node/src/chromium.setup.ts'] : []),
      ...(kind === 'full' ? ['packages/core/src/stores/postgres/install-server.fixture.ts'] : []),
    ],
    // A test has one of these tags, or the file of such tests is named `*.long.test.ts` or `*.slow.test.ts`.
    tags: [
      { name: 'long', description: 'takes more than a second; runs in CI and in npm run test:full' },
      { name: 'slow', description: 'takes many seconds; runs in npm run test:full' },
    ],
    ...(kind === 'full' ? {} : { tagsFilter: kind === 'short' ? ['!slow', '!long'] : ['!slow'] }),
    reporters: kind === undefined ? ['default'] : ['default', new SummaryReporter(coverage)],
    testTimeout: hangMs,
    hookTimeout: hangMs,
    expect: { poll: { timeout: hangMs } },
    // The next run reads transformed modules from a file, which halves the time of a single test file. The cache is off
    // for mutants, because its key does not contain them.
    experimental: { fsModuleCache: mutant === undefined, fsModuleCachePath: 'node_modules/.cache/vitest' },
    // The addon of libSQL aborts the whole process when a thread ends while it runs a statement, which ended a full run at
    // its last file. Processes take a sixth more processor time.
    pool: kind === 'full' ? 'forks' : 'threads',
    sequence: { sequencer: LongestFirst },
    // This is more than the two processors of CI, because many tests wait for a process or a timer.
    maxWorkers: 3,
    projects: [false, true].map((isIsolated) => ({
      extends: true as const,
      test: {
        name: isIsolated ? 'isolated' : 'shared',
        include: isIsolated ? [isolated] : include,
        exclude: isIsolated ? exclude : [...exclude, isolated],
        isolate: isIsolated,
        setupFiles: [
          'packages/test-kit/src/setup/open-databases.mjs',
          'packages/test-kit/src/setup/waits.ts',
          'packages/core/src/service/observe.fixture.ts',
        ],
      },
    })),
  },
})
