import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { conformance, groups, type Report, type RunOptions, type Target } from '../conformance.ts'

export interface ConformanceContractOptions {
  /** The name of the target in the titles of the tests. */
  readonly name: string
  open(): Promise<Target & { readonly close?: () => Promise<void> | void }>
  readonly options?: RunOptions
  /** The maximum duration of the whole run in milliseconds. Default: 1,200,000, because it ends only a run that hangs. */
  readonly timeoutMs?: number
  /**
   * The checks that must be skipped for this target, by the beginning of the reason. No other checks may be skipped.
   */
  readonly skips?: readonly string[]
}

/**
 * Runs the conformance checks of a target as tests: one for each group of checks, one for the skipped checks, and one
 * for the remaining data.
 */
export function runConformanceContract({
  name,
  open,
  options = {},
  timeoutMs = 1_200_000,
  skips = [],
}: ConformanceContractOptions): void {
  describe(`conformance: ${name}`, () => {
    let report: Report
    let close: (() => Promise<void> | void) | undefined
    beforeAll(async () => {
      const target = await open()
      close = target.close
      report = await conformance(target, options)
    }, timeoutMs)
    afterAll(() => close?.())

    test.each(groups.map(({ title }) => title))('%s', (title) => {
      const wrong = report.results.filter(({ group, outcome }) => group === title && outcome === 'failed')
      expect(wrong.map(({ of, name: sentence, detail }) => `${of}: ${sentence}\n${detail}`).join('\n\n')).toBe('')
    })

    test('skips only the checks that cannot run against this target', () => {
      const skipped = report.results.filter(({ outcome }) => outcome === 'skipped')
      const other = skipped.filter(({ detail }) => !skips.some((reason) => detail.startsWith(reason)))
      expect(other.map(({ of, name: sentence, detail }) => `${of}: ${sentence}: ${detail}`)).toEqual([])
      expect(skips.filter((reason) => !skipped.some(({ detail }) => detail.startsWith(reason)))).toEqual([])
    })

    test('deletes the accounts that it created', () => {
      expect(report.left.filter((what) => what.includes('account') || what.includes('deleted'))).toEqual([])
      expect(report.passed).toBeGreaterThan(150)
    })
  })
}
