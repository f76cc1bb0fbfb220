// `npm test` installs, lints, checks types, builds and runs the tests. The last line is `N passed, N failed, N
// skipped`. `--ci` adds the long tests, the examples with a separate lockfile and the packed packages, `--full` adds all
// slow tests too, and `--lambda` runs only the emulators of AWS.
import { join } from 'node:path'
import { build, install, installApp, root, run, separateApps } from './prepare.mjs'

const cache = join(root, 'node_modules/.cache')
const bin = (name) => join(root, 'node_modules/.bin', name)
// TypeScript 7 needs a tenth of the time of TypeScript 5.9, which other tools use as a library. With one checker it
// does half the work that it does with four checkers.
const tsc = [process.execPath, join(root, 'node_modules/typescript7/bin/tsc'), '--checkers', '1']
/** Checks types. The results are cached, so that the next run checks only files that depend on a change. */
const checkTypes = (folder, name) =>
  command(...tsc, '-p', folder, '--incremental', '--tsBuildInfoFile', join(cache, `${name}.tsbuildinfo`))
const kind = ['full', 'lambda', 'ci'].find((one) => process.argv.includes(`--${one}`)) ?? 'short'
const isFull = kind === 'full'
const isLambda = kind === 'lambda'
const apps = isFull || kind === 'ci' ? separateApps : []
const skippedApps = []
let failed = 0

async function step(name, work) {
  const start = performance.now()
  const { code, output } = await Promise.resolve(work()).catch((error) => ({ code: 1, output: error.message }))
  if (code !== 0) failed++
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.log(code === 0 ? `ok    ${name} (${seconds} s)` : `FAIL  ${name}\n${output.trim()}\n`)
}
const command = (...parts) => run(parts, { quiet: true })
const succeed = async (work) => (await work(), { code: 0, output: '' })
async function installSeparateApps() {
  for (const app of apps)
    await installApp(app).catch((error) => {
      if (isFull) throw error
      skippedApps.push(app)
      console.log(`skip  tests of ${app}: ${error.message.trim()}`)
    })
}

await step('install', () => succeed(install))
const spelling = ['lint', '--no-progress', '--no-summary', '--cache', '--cache-strategy', 'content']
// Two of these steps run at a time, because each uses one processor most of the time.
await Promise.all([
  step('build', () => succeed(() => build(undefined, { types: apps.length > 0 }))),
  !isLambda && step('types', () => checkTypes('.', 'types')),
  !isLambda && step('types of core, without a platform', () => checkTypes('packages/core', 'types-of-core')),
  // This step waits for the registry most of the time.
  apps.length > 0 && step('install of apps with a lockfile of their own', () => succeed(installSeparateApps)),
])
// This runs after the build: tsup briefly writes a compiled copy of its configuration next to it, and these steps read
// every file.
if (!isLambda)
  await Promise.all([
    step('spelling', () => command(bin('cspell'), ...spelling, '--cache-location', join(cache, 'cspell'))),
    step('imports', () => command(bin('depcruise'), '-c', '.dependency-cruiser.mjs', 'packages', 'examples')),
    step('lint', () => command(bin('oxlint'), '--quiet')),
    step('format', () => command(bin('oxfmt'), '--check', '.')),
  ])
if (isFull)
  for (const folder of ['examples/lambda-cdk', ...separateApps])
    await step(`types of ${folder}`, () => command(...tsc, '-p', folder))
// The reporter includes the failed steps above and prints the last line.
const { code } = await run([bin('vitest'), 'run'], {
  env: {
    TRIBUTARY_TESTS: kind,
    TRIBUTARY_FAILED_STEPS: String(failed),
    TRIBUTARY_APPS: apps.filter((app) => !skippedApps.includes(app)).join(' '),
    TRIBUTARY_SKIPPED_APPS: String(skippedApps.length),
    NO_COLOR: '1',
  },
})
process.exitCode = code || (failed > 0 ? 1 : 0)
