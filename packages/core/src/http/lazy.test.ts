import { expect, test, vi } from 'vitest'
import { lazy } from './lazy.ts'

test('a part is loaded once for many who ask at once, and then comes without a promise', async () => {
  const load = vi.fn(async () => 'part')
  const part = lazy(load)
  expect(load).not.toHaveBeenCalled()
  expect(await Promise.all([part(), part()])).toEqual(['part', 'part'])
  expect(part()).toBe('part')
  expect(load).toHaveBeenCalledTimes(1)
})

test('a load that failed is an error for all who waited, and the next who asks tries again', async () => {
  const load = vi.fn(async () => 'part').mockRejectedValueOnce(new Error('no such file'))
  const part = lazy<string>(load)
  const asked = await Promise.allSettled([part(), part()])
  expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await part()).toBe('part')
  expect(load).toHaveBeenCalledTimes(2)
})
