import { expect, test, vi } from 'vitest'
import * as z from 'zod'
import { bindHandlers, lazy, mountLazy } from './lazy.ts'
import { route, type Handlers } from './route.ts'

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

const contract = {
  readThing: route({
    summary: '',
    method: 'GET',
    path: '/thing',
    auth: 'none',
    envelope: 'ok',
    reply: z.unknown(),
    failures: {},
  }),
}
const handlers: Handlers<typeof contract, { name: string }> = { readThing: ({ now }, { name }) => ({ now, name }) }

test('routes are mounted at once, what serves them is loaded with the first request, and then answers at once', async () => {
  const load = vi.fn(async () => handlers)
  const [one] = mountLazy(contract, lazy(load), { name: 'ada' })
  expect([one!.name, one!.route.path, load.mock.calls.length]).toEqual(['readThing', '/thing', 0])
  expect(await one!.run({ now: 1 } as never)).toEqual({ now: 1, name: 'ada' })
  expect(one!.run({ now: 2 } as never)).toEqual({ now: 2, name: 'ada' })
})

test('handlers may hold what they need', () => {
  expect(bindHandlers(handlers, { name: 'bob' }).readThing({ now: 3 } as never, null)).toEqual({ now: 3, name: 'bob' })
})
