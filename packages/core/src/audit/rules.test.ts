import { describe, expect, test } from 'vitest'
import { auditMs } from './rules.ts'

describe('auditMs', () => {
  test('is two years by default, and 90 days at least', () => {
    expect([auditMs(), auditMs(90)]).toEqual([63_072_000_000, 7_776_000_000])
  })

  test.each([89, 90.5, Number.NaN, Infinity])('refuses %d days', (days) => {
    expect(() => auditMs(days)).toThrow('auditDays must be a whole number, 90 or more')
  })
})
