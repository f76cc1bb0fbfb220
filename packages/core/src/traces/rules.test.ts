import { describe, expect, test } from 'vitest'
import { isNewerVersion } from './rules.ts'

describe('isNewerVersion', () => {
  test.each([
    ['2026-11-23.2', '2026-11-23.1', true],
    ['2026-11-23.10', '2026-11-23.9', true],
    ['2026-11-24.1', '2026-11-23.9', true],
    ['2026-11-23.1', '2026-11-23.1', false],
    ['2026-11-23.9', '2026-11-23.10', false],
    ['2026-11-22.9', '2026-11-23.1', false],
  ])('of %s than %s is %s', (version, than, expected) => {
    expect(isNewerVersion(version, than)).toBe(expected)
  })

  test('is false where one of the two is no date and number', () => {
    expect([isNewerVersion('own-2', '2026-11-23.1'), isNewerVersion('2026-11-23.1', 'own-1')]).toEqual([false, false])
    expect(isNewerVersion('own-2', 'own-1')).toBe(false)
  })
})
