import { describe, expect, test, afterEach, vi } from 'vitest'
import { Unavailable } from '../unavailable.ts'
import {
  createPacer,
  createSweep,
  runLoop,
  createClaimer,
  createLeaseKeeper,
  LeaseLostError,
  StoppedError,
} from './loop.ts'

const times = { leaseMs: 30_000, renewMs: 10_000 }

function makeKeeper({ isRenewed = true, signal }: { isRenewed?: boolean; signal?: AbortSignal } = {}) {
  const clock = { now: 1_900_000_000_000 }
  const renewals: number[] = []
  const keeper = createLeaseKeeper({
    times,
    clock: () => clock.now,
    yieldToEventLoop: async () => undefined,
    signal,
    renew: async (leaseUntil) => renewals.push(leaseUntil - clock.now) > 0 && isRenewed,
  })
  return { keeper, clock, renewals }
}

describe('createLeaseKeeper', () => {
  test('renews the lease when it is old, also after the clock was set back', async () => {
    const { keeper, clock, renewals } = makeKeeper()
    await keeper.check()
    expect(renewals).toEqual([])
    clock.now += times.renewMs
    await keeper.check()
    clock.now -= times.renewMs
    await keeper.check()
    expect(renewals).toEqual([times.leaseMs, times.leaseMs])
  })

  test('does not renew a lease that a write extended', async () => {
    const { keeper, clock, renewals } = makeKeeper()
    clock.now += times.renewMs
    expect(keeper.extend(clock.now)).toBe(clock.now + times.leaseMs)
    await keeper.check()
    expect(renewals).toEqual([])
  })

  test('throws LeaseLostError when the store does not renew an old lease', async () => {
    const { keeper, clock } = makeKeeper({ isRenewed: false })
    await expect(keeper.check()).resolves.toBeUndefined()
    clock.now += times.renewMs
    await expect(keeper.check()).rejects.toThrow(LeaseLostError)
  })

  test('throws StoppedError and does not renew the lease when the signal is aborted', async () => {
    const { keeper, clock, renewals } = makeKeeper({ signal: AbortSignal.abort() })
    clock.now += times.renewMs
    await expect(keeper.check()).rejects.toThrow(StoppedError)
    expect(renewals).toEqual([])
  })
})

describe('during', () => {
  afterEach(() => void vi.useRealTimers())
  const waitFor = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms, 'result'))
  async function keepDuring(isRenewed: boolean) {
    vi.useFakeTimers()
    const made = makeKeeper({ isRenewed })
    const result = made.keeper.during(waitFor(35_000)).catch((error: unknown) => error)
    for (let n = 0; n < 4; n++) {
      made.clock.now += times.renewMs
      await vi.advanceTimersByTimeAsync(times.renewMs)
    }
    return { result: await result, renewals: made.renewals.length }
  }

  test('renews the lease until the work ends, and returns its result', async () => {
    expect(await keepDuring(true)).toEqual({ result: 'result', renewals: 3 })
  })

  test('throws LeaseLostError while the work is still running', async () => {
    expect(await keepDuring(false)).toEqual({ result: expect.any(LeaseLostError), renewals: 1 })
  })

  test('throws the error of the work', async () => {
    await expect(makeKeeper().keeper.during(Promise.reject(new Error('a bug')))).rejects.toThrow('a bug')
  })
})

describe('createClaimer', () => {
  test('uses the same lease until the store returns an item', async () => {
    let calls = 0
    const claimer = createClaimer((bytes) => new Uint8Array(bytes).fill(++calls))
    const leases: string[] = []
    const claim = (reply: () => string | null) =>
      claimer.claim(async (lease) => {
        leases.push(lease)
        return reply()
      })
    await expect(claim(() => Promise.reject(new Error('no reply')) as never)).rejects.toThrow('no reply')
    await claim(() => null)
    await claim(() => 'item')
    await claim(() => 'item')
    expect(leases).toEqual([...Array.from({ length: 3 }, () => '01'.repeat(16)), '02'.repeat(16)])
  })
})

describe('runLoop', () => {
  /** Runs steps that return or throw these results. Returns the events in order. */
  async function run(results: readonly (boolean | Error)[], isWaiting: boolean): Promise<string[]> {
    const events: string[] = []
    const stop = new AbortController()
    const left = [...results]
    const record = (_: object, event: string): void => void events.push(event)
    const end = runLoop(
      { signal: stop.signal, ...(isWaiting ? { wait: async () => void events.push('wait') } : {}) },
      {
        loop: 'account',
        logger: { info: record, warn: record, error: record },
        outage: 'account.outage',
        async step() {
          events.push('step')
          const result = left.shift() ?? false
          if (left.length === 0) stop.abort()
          if (result instanceof Error) throw result
          return result
        },
      },
    )
    await end.catch((error: unknown) => events.push((error as Error).message))
    return events
  }

  test('logs a bug, and waits as when nothing is due', async () => {
    expect(await run([true, false, new Error('a bug'), false], true)).toEqual([
      'step',
      'step',
      'wait',
      'step',
      'worker.loop.failed',
      'wait',
      'step',
      'wait',
    ])
  })

  test('resolves without `wait` when nothing is due, and rejects with the error of a step', async () => {
    expect(await run([true, false, true], false)).toEqual(['step', 'step'])
    expect(await run([true, new Unavailable('gone'), true], false)).toEqual([
      'step',
      'step',
      'account.outage',
      'the store does not answer: gone',
    ])
  })
})

describe('createSweep', () => {
  test('sweeps at the first call, then once in each period, and after the clock was set back', async () => {
    let now = 1_000_000
    const swept: number[] = []
    const sweep = createSweep(
      60,
      () => now,
      async (at) => void swept.push(at),
    )
    for (const time of [1_000_000, 1_000_059, 1_000_060, 1_000_050, 1_000_051]) {
      now = time
      await sweep()
    }
    expect(swept).toEqual([1_000_000, 1_000_060, 1_000_050])
  })
})

describe('createPacer', () => {
  test('calls `run` after each 8 ms of work', async () => {
    let [now, runs] = [0, 0]
    const pace = createPacer(
      () => now,
      async () => void runs++,
    )
    for (const time of [0, 7, 8, 15, 16]) {
      now = time
      await pace()
    }
    expect(runs).toBe(2)
  })
})
