import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { formatCostTable, estimateMonthlyCost } from './cost.ts'

const readme = new URL('../README.md', import.meta.url)

describe('estimateMonthlyCost', () => {
  test('grows in proportion to the number of contributors, on top of fixed costs', () => {
    const sum = (count: number): number => Object.values(estimateMonthlyCost(count)).reduce((all, one) => all + one, 0)
    const fixed = sum(0)
    expect(fixed).toBeGreaterThan(0)
    expect(sum(200) - fixed).toBeCloseTo(2 * (sum(100) - fixed), 6)
  })

  test('README.md contains the cost table for 1, 100 and 10,000 contributors a day', () => {
    const page = readFileSync(readme, 'utf8')
    const table = formatCostTable([1, 100, 10_000])
    // Run with this command to update the table: TRIBUTARY_WRITE=1 npx vitest run examples/lambda-sam/src/cost.test.ts
    if (process.env['TRIBUTARY_WRITE'] === '1')
      writeFileSync(
        readme,
        page.replace(/\| \$ a month \|[\s\S]*?together[^\n]*/, () => table),
      )
    expect(readFileSync(readme, 'utf8')).toContain(table)
  })
})
