import { describe, expect, test } from 'vitest'
import { declinesTelemetry, defaultRetentionDays, isPlainId, resolveFeedbackMs } from './rules.ts'

test('telemetry is kept for 90 days by default', () => {
  expect(defaultRetentionDays).toBe(90)
})

describe('resolveFeedbackMs', () => {
  test('is a year by default, and a day at least', () => {
    expect([resolveFeedbackMs(), resolveFeedbackMs(1)]).toEqual([31_536_000_000, 86_400_000])
  })

  test.each([0, -1, 1.5, Number.NaN])('refuses %d days', (days) => {
    expect(() => resolveFeedbackMs(days)).toThrow('feedbackDays must be a whole number, 1 or more')
  })
})

describe('declinesTelemetry', () => {
  test.each(['dnt', 'sec-gpc', 'x-do-not-track'])(
    'is true for %s: 1, also with spaces, and for nothing else',
    (name) => {
      expect(['1', ' 1 ', '0', '', '11'].map((value) => declinesTelemetry({ [name]: value }))).toEqual([
        true,
        true,
        false,
        false,
        false,
      ])
      expect(declinesTelemetry({})).toBe(false)
    },
  )
})

test('isPlainId accepts what identifies a device, and no free text', () => {
  expect(['a', 'A-1_b.c:d', '0'].map(isPlainId)).toEqual([true, true, true])
  expect(['', 'a b', 'a@b', 'ä', 'a/b', 'a\n'].map(isPlainId)).toEqual([false, false, false, false, false, false])
})
