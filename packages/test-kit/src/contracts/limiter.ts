import type { RateLimiter } from '@tributary/core'
import type { Rate } from '@tributary/core/stores'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/** The limiters of several hosts on one store. */
export interface LimiterPlace {
  /** Returns the limiter of the n-th host. */
  host(n: number): RateLimiter
  close?(): Promise<void>
}

const windowMs = 60_000
const start = Math.floor(Date.UTC(2026, 10, 20, 12) / windowMs) * windowMs
let keys = 0

/** Registers the contract tests of the `RateLimiter` port. */
export function runRateLimiterContract(name: string, open: () => Promise<LimiterPlace>): void {
  describe(`rate limiter: ${name}`, () => {
    let place: LimiterPlace
    let limiter: RateLimiter
    beforeAll(async () => {
      place = await open()
      limiter = place.host(0)
    })
    afterAll(async () => place.close?.())

    const makeKey = (): string => `key:${++keys}`
    async function countAllowed(
      count: number,
      key: string,
      rate: Rate,
      now: number,
      hosts: readonly RateLimiter[] = [limiter],
    ): Promise<number> {
      const decisions = await Promise.all(
        Array.from({ length: count }, (_, i) => hosts[i % hosts.length]!.consume({ key, rate, now })),
      )
      return decisions.filter(({ allowed }) => allowed).length
    }

    test.each([1, 5, 20, 60, 61, 100, 600, 1200])(
      'consume allows exactly %i concurrent calls on one host and refuses the next',
      async (limit) => {
        const [key, otherKey, rate] = [makeKey(), makeKey(), { limit, windowMs }]
        expect(await countAllowed(limit + 30, key, rate, start)).toBe(limit)
        expect(await limiter.consume({ key, rate, now: start + 1 })).toMatchObject({ allowed: false })
        expect((await limiter.consume({ key: otherKey, rate, now: start + 1 })).allowed).toBe(true)
      },
    )

    describe('consume on several hosts', () => {
      const listHosts = (count: number): RateLimiter[] => Array.from({ length: count }, (_, n) => place.host(n))

      test('allows 60 calls of 60 hosts under a limit of 1,200, and the next 60', async () => {
        const [key, rate, all] = [makeKey(), { limit: 1200, windowMs }, listHosts(60)]
        expect(await countAllowed(60, key, rate, start, all)).toBe(60)
        expect(await countAllowed(60, key, rate, start + 1_000, all)).toBe(60)
      })

      test('allows every call of one host within the limit, even if other hosts have reserved some permits', async () => {
        const [key, rate, all] = [makeKey(), { limit: 1200, windowMs }, listHosts(60)]
        expect(await countAllowed(60, key, rate, start, all)).toBe(60)
        expect(await countAllowed(1140, key, rate, start + 1_000, [all[7]!])).toBe(1140)
        expect((await all[7]!.consume({ key, rate, now: start + 2_000 })).allowed).toBe(false)
      })

      test.each([
        [2, 10],
        [60, 60],
        [2, 240],
        [60, 1200],
        [60, 100],
      ])('allows %i hosts at least %i calls and at most a quarter more', async (count, limit) => {
        const [key, rate, all] = [makeKey(), { limit, windowMs }, listHosts(count)]
        // All hosts reserve blocks, one host makes most of the calls, and then all hosts spend their permits.
        let total = await countAllowed(count, key, rate, start, all)
        total += await countAllowed(limit * 2, key, rate, start + 1_000, [all[0]!])
        total += await countAllowed(limit * 3, key, rate, start + 2_000, all)
        expect(total).toBeGreaterThanOrEqual(limit)
        expect(total).toBeLessThanOrEqual(limit * 1.25)
        expect(await countAllowed(count, key, rate, start + 3_000, all)).toBe(0)
      })
    })

    test.each([60, 240_000])('consume with a cost uses exactly this number of %i permits, or none', async (limit) => {
      const [key, rate, cost] = [makeKey(), { limit, windowMs }, limit / 20]
      for (let left = limit; left >= cost; left -= cost) {
        expect(await limiter.consume({ key, rate, now: start, cost })).toEqual({ allowed: true, resetMs: 0 })
      }
      const refused = await limiter.consume({ key, rate, now: start, cost })
      expect(refused).toMatchObject({ allowed: false })
      expect((await limiter.consume({ key, rate, now: start + refused.resetMs - 1, cost })).allowed).toBe(false)
      expect((await limiter.consume({ key, rate, now: start + refused.resetMs, cost })).allowed).toBe(true)
    })

    test('consume refuses a cost above the remaining permits and allows smaller calls', async () => {
      const [key, rate] = [makeKey(), { limit: 1000, windowMs }]
      expect((await limiter.consume({ key, rate, now: start, cost: 600 })).allowed).toBe(true)
      expect((await limiter.consume({ key, rate, now: start, cost: 1001 })).allowed).toBe(false)
      expect((await limiter.consume({ key, rate, now: start, cost: 500 })).allowed).toBe(false)
      expect((await limiter.consume({ key, rate, now: start, cost: 400 })).allowed).toBe(true)
      expect((await limiter.consume({ key, rate, now: start })).allowed).toBe(false)
    })

    test.each([20, 1200])(
      'consume counts each of %i calls until the window has passed since the call, and not longer',
      async (limit) => {
        const [key, rate] = [makeKey(), { limit, windowMs }]
        const quarter = limit / 4
        for (const n of [0, 1, 2, 3])
          expect(await countAllowed(quarter, key, rate, start + 17_000 + n * 10_000)).toBe(quarter)
        expect(await countAllowed(5, key, rate, start + 17_000 + windowMs - 1)).toBe(0)
        for (const n of [0, 1, 2, 3])
          expect(await countAllowed(limit, key, rate, start + 17_000 + windowMs + n * 10_000)).toBe(quarter)
        expect(await countAllowed(limit + 5, key, rate, start + windowMs * 4)).toBe(limit)
      },
    )

    test.each([20, 1200])('consume never allows more than %i calls in any window', async (limit) => {
      const [key, rate] = [makeKey(), { limit, windowMs }]
      const allowed: number[] = []
      // Uneven steps, so that reserved permits are spent at different times.
      for (let now = start, n = 0; now < start + 5 * windowMs; now += 40 + ((n * 7_919) % 2_000), n++)
        for (let call = 0; call < limit / 10; call++)
          if ((await limiter.consume({ key, rate, now })).allowed) allowed.push(now)
      for (const [n, first] of allowed.entries())
        expect(allowed[n + limit] ?? Infinity).toBeGreaterThanOrEqual(first + windowMs)
      expect(allowed.length).toBeGreaterThanOrEqual(limit * 4.5)
    })

    test('consume returns how long a refused call must wait, and allows the call after that time', async () => {
      const [key, rate] = [makeKey(), { limit: 4, windowMs }]
      await countAllowed(4, key, rate, start)
      const { resetMs } = await limiter.consume({ key, rate, now: start + 10 })
      expect(resetMs).toBeGreaterThan(windowMs / 2)
      expect((await limiter.consume({ key, rate, now: start + 10 + resetMs - 1 })).allowed).toBe(false)
      expect((await limiter.consume({ key, rate, now: start + 10 + resetMs })).allowed).toBe(true)
    })

    test.for([4, 1200])('refund allows one more call (limit %i)', async (limit, { skip }) => {
      skip(!limiter.refund, 'this limiter has no refund')
      const [key, rate] = [makeKey(), { limit, windowMs }]
      await countAllowed(limit, key, rate, start)
      expect((await limiter.consume({ key, rate, now: start })).allowed).toBe(false)
      await limiter.refund!({ key, rate, now: start })
      expect(await countAllowed(5, key, rate, start)).toBe(1)
    })

    test('refund never allows more calls than the limit, however often it is called', async ({ skip }) => {
      skip(!limiter.refund, 'this limiter has no refund')
      const [key, rate] = [makeKey(), { limit: 4, windowMs }]
      await countAllowed(1, key, rate, start)
      for (let n = 0; n < 3; n++) await limiter.refund!({ key, rate, now: start })
      expect(await countAllowed(6, key, rate, start)).toBe(4)
    })

    test('refund does not refund a call that no longer counts', async ({ skip }) => {
      skip(!limiter.refund, 'this limiter has no refund')
      const [key, rate] = [makeKey(), { limit: 4, windowMs }]
      await countAllowed(4, key, rate, start)
      await limiter.refund!({ key, rate, now: start + windowMs })
      expect(await countAllowed(6, key, rate, start + windowMs)).toBe(4)
    })

    test.each([
      [4, windowMs],
      [1200, windowMs],
      [4, 60 * windowMs],
      [1200, 60 * windowMs],
    ])(
      'consume allows %i calls per %i ms immediately after the clock was set back by an hour',
      async (limit, windowMs) => {
        const [key, rate] = [makeKey(), { limit, windowMs }]
        const hour = 60 * 60_000
        await countAllowed(limit, key, rate, start + hour + 1)
        expect(await countAllowed(1, key, rate, start + hour + 1)).toBe(0)
        expect(await countAllowed(limit, key, rate, start + 1)).toBe(limit)
        expect(await limiter.consume({ key, rate, now: start + 1 })).toMatchObject({ allowed: false })
        expect((await limiter.consume({ key, rate, now: start + 1 })).resetMs).toBeLessThanOrEqual(2 * windowMs)
      },
    )

    test('consume does not count permits in the next window that were reserved but not used', async () => {
      const [key, rate] = [makeKey(), { limit: 1200, windowMs }]
      expect(await countAllowed(1, key, rate, start)).toBe(1)
      expect(await countAllowed(1300, key, rate, start + windowMs)).toBeGreaterThanOrEqual(1199)
    })
  })
}
