import { expect, test } from 'vitest'
import { initialStatus, mayApply } from './rules.ts'

test('initialStatus returns `pending` for manual approval, and `approved` for automatic approval', () => {
  expect([initialStatus('manual'), initialStatus('automatic')]).toEqual(['pending', 'approved'])
})

test('mayApply is true before the first application and after a rejection', () => {
  expect([null, 'rejected', 'pending', 'approved'].map(mayApply)).toEqual([true, true, false, false])
})
