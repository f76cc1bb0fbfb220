import type { Rate, RateLimiter } from '@tributary/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/** A limiter as its laws need it: two of it on one store, as two hosts have it. */
export interface LimiterPlace {
  readonly limiters: readonly [RateLimiter, RateLimiter]
  close?(): Promise<void>
}

const windowMs = 60_000
const start = Math.floor(Date.UTC(2026, 10, 20, 12) / windowMs) * windowMs
let keys = 0

/** Registers the laws of the RateLimiter port as tests. `shared` says whether the two see each other's calls. */
export function limiterLaws(name: string, open: () => Promise<LimiterPlace>): void {
  describe(`rates: ${name}`, () => {
    let place: LimiterPlace
    let one: RateLimiter
    let two: RateLimiter
    beforeAll(async () => {
      place = await open()
      ;[one, two] = place.limiters
    })
    afterAll(async () => place.close?.())

    const key = (): string => `law:${++keys}`
    async function passed(count: number, of: string, rate: Rate, now: number, hosts: readonly RateLimiter[] = [one]): Promise<number> {
      const taken = await Promise.all(Array.from({ length: count }, (_, i) => hosts[i % hosts.length]!.take(of, rate, now)))
      return taken.filter(({ allowed }) => allowed).length
    }

    test.each([1, 5, 20, 60, 61, 100, 600, 1200])('exactly %i of many calls at once pass on one host, and the next is refused', async (limit) => {
      const [mine, strangers, rate] = [key(), key(), { limit, windowMs }]
      expect(await passed(limit + 30, mine, rate, start)).toBe(limit)
      expect(await one.take(mine, rate, start + 1)).toMatchObject({ allowed: false, remaining: 0 })
      expect((await one.take(strangers, rate, start + 1)).allowed).toBe(true)
    })

    test('one by one it counts down to the last call', async () => {
      const [of, rate] = [key(), { limit: 3, windowMs }]
      const left = []
      for (let i = 0; i < 3; i++) left.push((await one.take(of, rate, start + i)).remaining)
      expect(left).toEqual([2, 1, 0])
    })

    test.each([10, 240])('two hosts together let no more than %i pass', async (limit) => {
      const [of, rate] = [key(), { limit, windowMs }]
      expect(await passed(limit * 3, of, rate, start, [one, two])).toBe(limit)
    })

    test.each([20, 1200])('the window slides: at its turn %i calls before still count, halfway through half of them', async (limit) => {
      const [of, rate] = [key(), { limit, windowMs }]
      expect(await passed(limit, of, rate, start + windowMs - 1)).toBe(limit)
      expect(await passed(5, of, rate, start + windowMs)).toBe(0)
      expect(await passed(limit, of, rate, start + windowMs * 1.5)).toBe(limit / 2)
      expect(await passed(limit, of, rate, start + windowMs * 3)).toBe(limit)
    })

    test('a refused call is told when to come back, and is let through then and not before', async () => {
      const [of, rate] = [key(), { limit: 4, windowMs }]
      await passed(4, of, rate, start)
      const { resetMs } = await one.take(of, rate, start + 10)
      expect(resetMs).toBeGreaterThan(windowMs / 2)
      expect((await one.take(of, rate, start + 10 + resetMs - 1)).allowed).toBe(false)
      expect((await one.take(of, rate, start + 10 + resetMs)).allowed).toBe(true)
    })

    test.each([4, 1200])('a call given back can be made again (limit %i)', async (limit) => {
      const [of, rate] = [key(), { limit, windowMs }]
      await passed(limit, of, rate, start)
      expect((await one.take(of, rate, start)).allowed).toBe(false)
      await one.giveBack!(of, rate, start)
      expect(await passed(5, of, rate, start)).toBe(1)
    })

    test.each([[4, windowMs], [1200, windowMs], [4, 60 * windowMs], [1200, 60 * windowMs]])(
      'take lets %i calls of %i ms pass at once after the clock was set back by an hour', async (limit, windowMs) => {
        const [of, rate] = [key(), { limit, windowMs }]
        const hour = 60 * 60_000
        await passed(limit, of, rate, start + hour + 1)
        expect(await passed(1, of, rate, start + hour + 1)).toBe(0)
        expect(await passed(limit, of, rate, start + 1)).toBe(limit)
        expect(await one.take(of, rate, start + 1)).toMatchObject({ allowed: false })
        expect((await one.take(of, rate, start + 1)).resetMs).toBeLessThanOrEqual(2 * windowMs)
      })

    test('what was reserved and not used in a window does not count in the next', async () => {
      const [of, rate] = [key(), { limit: 1200, windowMs }]
      expect(await passed(1, of, rate, start)).toBe(1)
      expect(await passed(1300, of, rate, start + windowMs)).toBe(1199)
    })
  })
}
