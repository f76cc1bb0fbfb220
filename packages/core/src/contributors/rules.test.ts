import { expect, test } from 'vitest'
import { initialStatus, mayApply } from './rules.ts'

test('initialStatus is pending until somebody approves, or approved at once', () => {
  expect([initialStatus('manual'), initialStatus('automatic')]).toEqual(['pending', 'approved'])
})

test('mayApply is true before the first application and after a rejection', () => {
  expect([null, 'rejected', 'pending', 'approved'].map(mayApply)).toEqual([true, true, false, false])
})
