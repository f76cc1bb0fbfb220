import { describe, expect, test } from 'vitest'
import { createPacer, createSweep, runLoop } from './loop.ts'

describe('runLoop', () => {
  /** Runs steps that return or throw these results. Returns the events in order. */
  async function run(results: readonly (boolean | Error)[], isWaiting: boolean): Promise<string[]> {
    const events: string[] = []
    const stop = new AbortController()
    const left = [...results]
    const end = runLoop(
      { signal: stop.signal, ...(isWaiting ? { wait: async () => void events.push('wait') } : {}) },
      {
        loop: 'account',
        async step() {
          events.push('step')
          const result = left.shift() ?? false
          if (left.length === 0) stop.abort()
          if (result instanceof Error) throw result
          return result
        },
        onError(error) {
          events.push('error')
          if (!isWaiting) throw error
        },
      },
    )
    await end.catch((error: unknown) => events.push((error as Error).message))
    return events
  }

  test('waits when nothing is due or a step failed', async () => {
    expect(await run([true, false, new Error('outage'), false], true)).toEqual([
      'step',
      'step',
      'wait',
      'step',
      'error',
      'wait',
      'step',
      'wait',
    ])
  })

  test('resolves without `wait` when nothing is due, and rejects with the error of onError', async () => {
    expect(await run([true, false, true], false)).toEqual(['step', 'step'])
    expect(await run([true, new Error('outage'), true], false)).toEqual(['step', 'step', 'error', 'outage'])
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
