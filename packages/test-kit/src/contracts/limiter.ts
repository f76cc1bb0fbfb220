import type { Rate, RateLimiter } from '@tributary/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/** What the contract tests of a limiter need: the limiters of several hosts on one store. */
export interface LimiterPlace {
  /** Makes the limiter of the n-th host on one store. */
  host(n: number): RateLimiter
  close?(): Promise<void>
}

const windowMs = 60_000
const start = Math.floor(Date.UTC(2026, 10, 20, 12) / windowMs) * windowMs
let keys = 0

/** Registers the contract tests of the RateLimiter port. */
export function runRateLimiterContract(name: string, open: () => Promise<LimiterPlace>): void {
  describe(`rates: ${name}`, () => {
    let place: LimiterPlace
    let one: RateLimiter
    beforeAll(async () => {
      place = await open()
      one = place.host(0)
    })
    afterAll(async () => place.close?.())

    const key = (): string => `law:${++keys}`
    async function passed(
      count: number,
      of: string,
      rate: Rate,
      now: number,
      hosts: readonly RateLimiter[] = [one],
    ): Promise<number> {
      const taken = await Promise.all(
        Array.from({ length: count }, (_, i) => hosts[i % hosts.length]!.consume(of, rate, now)),
      )
      return taken.filter(({ allowed }) => allowed).length
    }

    test.each([1, 5, 20, 60, 61, 100, 600, 1200])(
      'exactly %i of many calls at once pass on one host, and the next is refused',
      async (limit) => {
        const [mine, strangers, rate] = [key(), key(), { limit, windowMs }]
        expect(await passed(limit + 30, mine, rate, start)).toBe(limit)
        expect(await one.consume(mine, rate, start + 1)).toMatchObject({ allowed: false, remaining: 0 })
        expect((await one.consume(strangers, rate, start + 1)).allowed).toBe(true)
      },
    )

    test('one by one it counts down to the last call', async () => {
      const [of, rate] = [key(), { limit: 3, windowMs }]
      const left = []
      for (let i = 0; i < 3; i++) left.push((await one.consume(of, rate, start + i)).remaining)
      expect(left).toEqual([2, 1, 0])
    })

    describe('take on several hosts', () => {
      const hosts = (count: number): RateLimiter[] => Array.from({ length: count }, (_, n) => place.host(n))

      test.each([
        [2, 10],
        [60, 60],
      ])('lets %i hosts make exactly %i calls of a limit up to 60', async (count, limit) => {
        const [of, rate] = [key(), { limit, windowMs }]
        expect(await passed(limit * 3, of, rate, start, hosts(count))).toBe(limit)
      })

      test('refuses none of 60 calls of 60 hosts under a limit of 1,200, and none of the next 60', async () => {
        const [of, rate, all] = [key(), { limit: 1200, windowMs }, hosts(60)]
        expect(await passed(60, of, rate, start, all)).toBe(60)
        expect(await passed(60, of, rate, start + 1_000, all)).toBe(60)
      })

      test('refuses no call of one host while the others hold the permits that it needs', async () => {
        const [of, rate, all] = [key(), { limit: 1200, windowMs }, hosts(60)]
        expect(await passed(60, of, rate, start, all)).toBe(60)
        expect(await passed(1140, of, rate, start + 1_000, [all[7]!])).toBe(1140)
        expect((await all[7]!.consume(of, rate, start + 2_000)).allowed).toBe(false)
      })

      test.each([
        [2, 240],
        [60, 1200],
        [60, 100],
      ])('lets %i hosts make at least %i calls and at most a quarter more', async (count, limit) => {
        const [of, rate, all] = [key(), { limit, windowMs }, hosts(count)]
        // All take their blocks, one host makes most of the calls, and then all make what they hold.
        let total = await passed(count, of, rate, start, all)
        total += await passed(limit * 2, of, rate, start + 1_000, [all[0]!])
        total += await passed(limit * 2, of, rate, start + 2_000, all)
        expect(total).toBeGreaterThanOrEqual(limit)
        expect(total).toBeLessThanOrEqual(limit * 1.25)
        expect(await passed(count, of, rate, start + 3_000, all)).toBe(0)
        // At the turn of the window all of them still count.
        expect(await passed(count, of, rate, start + windowMs, all)).toBeLessThanOrEqual(limit / 8)
      })
    })

    test.each([60, 240_000])('take with a cost takes so many permits of %i or none', async (limit) => {
      const [of, rate, cost] = [key(), { limit, windowMs }, limit / 20]
      for (let left = limit; left >= cost; left -= cost) {
        expect(await one.consume(of, rate, start, cost)).toMatchObject({ allowed: true, remaining: left - cost })
      }
      const refused = await one.consume(of, rate, start, cost)
      expect(refused).toMatchObject({ allowed: false, remaining: 0 })
      expect((await one.consume(of, rate, start + refused.resetMs - 1, cost)).allowed).toBe(false)
      expect((await one.consume(of, rate, start + refused.resetMs, cost)).allowed).toBe(true)
    })

    test('take refuses a cost above the limit and leaves the rest for smaller calls', async () => {
      const [of, rate] = [key(), { limit: 1000, windowMs }]
      expect((await one.consume(of, rate, start, 600)).allowed).toBe(true)
      expect((await one.consume(of, rate, start, 1001)).allowed).toBe(false)
      expect((await one.consume(of, rate, start, 500)).allowed).toBe(false)
      expect((await one.consume(of, rate, start, 400)).allowed).toBe(true)
      expect((await one.consume(of, rate, start)).allowed).toBe(false)
    })

    test.each([20, 1200])(
      'the window slides: at its turn %i calls before still count, halfway through half of them',
      async (limit) => {
        const [of, rate] = [key(), { limit, windowMs }]
        expect(await passed(limit, of, rate, start + windowMs - 1)).toBe(limit)
        expect(await passed(5, of, rate, start + windowMs)).toBe(0)
        expect(await passed(limit, of, rate, start + windowMs * 1.5)).toBe(limit / 2)
        expect(await passed(limit, of, rate, start + windowMs * 3)).toBe(limit)
      },
    )

    test('a refused call is told when to come back, and is let through then and not before', async () => {
      const [of, rate] = [key(), { limit: 4, windowMs }]
      await passed(4, of, rate, start)
      const { resetMs } = await one.consume(of, rate, start + 10)
      expect(resetMs).toBeGreaterThan(windowMs / 2)
      expect((await one.consume(of, rate, start + 10 + resetMs - 1)).allowed).toBe(false)
      expect((await one.consume(of, rate, start + 10 + resetMs)).allowed).toBe(true)
    })

    test.each([4, 1200])('a call given back can be made again (limit %i)', async (limit) => {
      const [of, rate] = [key(), { limit, windowMs }]
      await passed(limit, of, rate, start)
      expect((await one.consume(of, rate, start)).allowed).toBe(false)
      await one.refund!(of, rate, start)
      expect(await passed(5, of, rate, start)).toBe(1)
    })

    test.each([
      [4, windowMs],
      [1200, windowMs],
      [4, 60 * windowMs],
      [1200, 60 * windowMs],
    ])('take lets %i calls of %i ms pass at once after the clock was set back by an hour', async (limit, windowMs) => {
      const [of, rate] = [key(), { limit, windowMs }]
      const hour = 60 * 60_000
      await passed(limit, of, rate, start + hour + 1)
      expect(await passed(1, of, rate, start + hour + 1)).toBe(0)
      expect(await passed(limit, of, rate, start + 1)).toBe(limit)
      expect(await one.consume(of, rate, start + 1)).toMatchObject({ allowed: false })
      expect((await one.consume(of, rate, start + 1)).resetMs).toBeLessThanOrEqual(2 * windowMs)
    })

    test('what was reserved and not used in a window does not count in the next', async () => {
      const [of, rate] = [key(), { limit: 1200, windowMs }]
      expect(await passed(1, of, rate, start)).toBe(1)
      expect(await passed(1300, of, rate, start + windowMs)).toBe(1199)
    })
  })
}
