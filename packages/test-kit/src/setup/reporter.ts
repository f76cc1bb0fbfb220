import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Reporter, TestCase, TestModule } from 'vitest/node'

/**
 * Returns the declared outcomes that no test produced, from the files that `coverage.ts` wrote into `folder` while the
 * tests ran: `{declared: [...], met: [...]}`, a line for each file.
 */
function listUnmetOutcomes(folder: string): string[] {
  const declared = new Set<string>()
  const met = new Set<string>()
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.jsonl'))) {
    for (const line of readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean)) {
      const record = JSON.parse(line) as { declared: string[]; met: string[] }
      for (const outcome of record.declared) declared.add(outcome)
      for (const outcome of record.met) met.add(outcome)
    }
  }
  if (declared.size === 0) return ['no test made a service: nothing was observed']
  return [...declared].filter((outcome) => !met.has(outcome)).sort()
}

/** Returns whether a test, or its file, is long or slow. */
const has = ({ tags, module }: TestCase, length: 'long' | 'slow'): boolean =>
  tags.includes(length) || module.moduleId.endsWith(`.${length}.test.ts`)

/**
 * Prints at the end of a whole run: the skipped tests, the number of tests that are left to CI and to the full run,
 * the declared outcomes that no test produced, and `N passed, N failed, N skipped`.
 */
export class SummaryReporter implements Reporter {
  readonly #coverage: string | undefined

  /** `coverage` is the folder of `coverage.ts`, which is deleted. Without it outcomes are not checked. */
  constructor(coverage?: string) {
    this.#coverage = coverage
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const count = (state: string): number => tests.filter((test) => test.result().state === state).length
    // A file that could not be loaded contains no failed test.
    const broken = modules.filter(
      (module) => module.state() === 'failed' && ![...module.children.allTests('failed')].length,
    )
    let failed = count('failed') + broken.length + errors.length + Number(process.env['TRIBUTARY_FAILED_STEPS'] ?? 0)
    const skipped = tests.filter((test) => test.result().state === 'skipped')
    const kind = process.env['TRIBUTARY_TESTS']
    const isSlow = (test: TestCase): boolean => has(test, 'slow')
    const isLong = (test: TestCase): boolean => has(test, 'long') && !isSlow(test)
    const leftToFull = kind === 'full' ? [] : skipped.filter(isSlow)
    const leftToCi = kind === 'short' ? skipped.filter(isLong) : []
    const shown = skipped.filter((test) => !leftToFull.includes(test) && !leftToCi.includes(test))
    for (const test of shown) console.log(`skip  ${test.fullName}`)
    if (this.#coverage !== undefined) {
      const unmet = listUnmetOutcomes(this.#coverage)
      rmSync(this.#coverage, { recursive: true })
      if (unmet.length > 0) {
        failed++
        process.exitCode = 1
        console.log(`FAIL  declared outcomes that no test met\n${unmet.join('\n')}`)
      }
    }
    if (kind === 'full') {
      const slow = tests.filter(isSlow).length
      const long = tests.filter(isLong).length
      const short = tests.length - slow - long
      console.log(`${tests.length} tests in ${modules.length} files: ${short} of npm test, ${long} long, ${slow} slow`)
    }
    if (kind === 'short')
      console.log(`${leftToCi.length} tests and the files *.long.test.ts are left to npm test -- --ci`)
    if (leftToFull.length > 0)
      console.log(`${leftToFull.length} tests and the files *.slow.test.ts are left to npm run test:full`)
    const skippedApps = Number(process.env['TRIBUTARY_SKIPPED_APPS'] ?? 0)
    const line = `${count('passed')} passed, ${failed} failed, ${shown.length + skippedApps} skipped`
    // Other reporters print their own summary at this moment.
    process.once('exit', () => console.log(`\n${line}`))
  }
}
