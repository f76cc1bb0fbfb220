import { describe, expect, test } from 'vitest'
import { declinesTelemetry, isPlainId } from './rules.ts'

describe('declinesTelemetry', () => {
  test.each(['dnt', 'sec-gpc', 'x-do-not-track'])(
    'returns true for %s: 1, even with spaces or sent twice, and false for other values',
    (name) => {
      expect(
        ['1', ' 1 ', '1, 1', '0, 1', '0', '', '11', '0, 0'].map((value) => declinesTelemetry({ [name]: value })),
      ).toEqual([true, true, true, true, false, false, false, false])
      expect(declinesTelemetry({})).toBe(false)
    },
  )
})

test('isPlainId accepts device identifiers and refuses free text', () => {
  expect(['a', 'A-1_b.c:d', '0'].map(isPlainId)).toEqual([true, true, true])
  expect(['', 'a b', 'a@b', 'ä', 'a/b', 'a\n'].map(isPlainId)).toEqual([false, false, false, false, false, false])
})
