import { seededRandom } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { auditContext, auditMs } from './rules.ts'

describe('auditMs', () => {
  test('is two years by default, and 90 days at least', () => {
    expect([auditMs(), auditMs(90)]).toEqual([63_072_000_000, 7_776_000_000])
  })

  test.each([89, 90.5, Number.NaN, Infinity])('refuses %d days', (days) => {
    expect(() => auditMs(days)).toThrow('auditDays must be a whole number, 90 or more')
  })
})

test('auditContext gives a request of an operator an id and its time', () => {
  const request = { actor: 'jane', requestId: 'r', address: '192.0.2.1', now: 1_700_000_000_000 }
  const { now, ...kept } = request
  expect(auditContext(request, seededRandom(1))).toEqual({
    ...kept,
    at: now,
    id: expect.stringMatching(/^018bcfe5-6800-7/),
  })
})
