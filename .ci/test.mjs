// `npm test`: installs, lints, type-checks, builds, runs every test, and ends with `N passed, N failed, N skipped`.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from './build.mjs'
import { chromium } from './chromium.mjs'
import { unmet } from './coverage.mjs'
import { install } from './install.mjs'
import { checkNode, Problem, root, run } from './root.mjs'

/** `npm run test:full`. */
const isFull = process.argv.includes('--full')
const total = { passed: 0, failed: 0, skipped: 0 }
/** TypeScript 7 checks in a tenth of the time; `typescript` is 5.9 for the tools that use its programming interface. */
const tsc = [process.execPath, join(root, 'node_modules', 'typescript7', 'bin', 'tsc')]
const bin = (name) => join(root, 'node_modules', '.bin', name)

/** One thing that must hold beside the tests. Says what broke, counts it, and lets the rest go on. */
async function step(name, work) {
  const from = performance.now()
  try {
    await work()
    console.log(`ok    ${name} (${((performance.now() - from) / 1000).toFixed(1)} s)`)
  } catch (error) {
    console.log(`FAIL  ${name}\n${error instanceof Problem ? error.message : error.stack}\n`)
    total.failed++
  }
}

async function command(parts) {
  const { code, output } = await run(parts, { quiet: true })
  if (code !== 0) throw new Problem(output.trim())
}

/** Adds up vitest's own report. A file that does not load has no tests in it, but it failed. */
function count(report) {
  for (const file of report.testResults) {
    const tests = file.assertionResults
    for (const { status, fullName } of tests) {
      if (status === 'passed') total.passed++
      else if (status === 'failed') total.failed++
      else {
        total.skipped++
        console.log(`skip  ${fullName}`)
      }
    }
    if (file.status === 'failed' && !tests.some((test) => test.status === 'failed')) total.failed++
  }
}

async function tests(folder) {
  const file = join(folder, 'vitest.json')
  const browser = await chromium()
  console.log(browser ? `Page tests use ${browser}` : 'No Chromium here: the page tests are skipped')
  const env = {
    TRIBUTARY_COVERAGE: folder,
    NO_COLOR: '1',
    ...(isFull && { TRIBUTARY_TESTS: 'full' }),
    ...(browser && { TRIBUTARY_CHROMIUM: browser }),
  }
  const { code } = await run(
    [bin('vitest'), 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`],
    { env },
  )
  const before = total.failed
  count(JSON.parse(readFileSync(file, 'utf8')))
  // Errors outside any test: vitest says so by its exit code alone.
  if (code !== 0 && total.failed === before) throw new Problem(`vitest ended with ${code}: see above`)
}

const folder = mkdtempSync(join(tmpdir(), 'tributary-test-'))
try {
  checkNode()
  await install()
  await step('lint', () => command([bin('oxlint'), '--quiet']))
  await step('format', () => command([bin('oxfmt'), '--check', '.']))
  await step('imports', () => command([bin('depcruise'), '-c', '.dependency-cruiser.mjs', 'packages', 'examples']))
  await Promise.all([
    step('types of core, without a platform', () => command([...tsc, '-p', 'packages/core'])),
    step('types of everything', () => command([...tsc, '-p', '.'])),
  ])
  await step('build', () => build({ types: isFull }))
  await step('tests', () => tests(folder))
  await step('every declared outcome was met by a test', () => {
    const missing = unmet(folder)
    if (missing.length > 0) throw new Problem(missing.join('\n'))
  })
} catch (error) {
  console.log(error instanceof Problem ? error.message : error)
  total.failed++
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
