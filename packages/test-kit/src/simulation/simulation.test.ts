import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { isFullRun } from '../fixtures/full-run.ts'
import { bundleSimulation, readMutant } from './bundle.ts'
import { plantedMutants } from './mutants.ts'
import { SeededRandom } from './random.ts'

let program: string

async function simulate(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], { maxBuffer: 64 * 1024 ** 2 })
  return stdout
}

describe('plantedMutants', () => {
  test('each planted mutant names one change of the source', async () => {
    await expect(Promise.all(plantedMutants.map(readMutant))).resolves.toHaveLength(plantedMutants.length)
  })
})

describe('npm run check -- simulate', { tags: 'long' }, () => {
  beforeAll(async () => {
    program = await bundleSimulation('simulate')
  })

  test('finds no violation', { timeout: 3_600_000 }, async () => {
    // More seeds are run by hand: `npm run check -- simulate --seeds 2000 --steps 500`.
    const [seeds, steps] = isFullRun ? [200, 500] : [20, 100]
    expect(await simulate('--seeds', String(seeds), '--steps', String(steps))).toMatch(
      new RegExp(`^${seeds} seeds, \\d+ steps, 0 seeds with violations`),
    )
  })

  test.each(plantedMutants.filter(({ wasDefect }) => wasDefect))(
    'finds no violation with seed $seed, which once found: $name',
    async ({ seed }) => {
      expect(await simulate('--seed', String(seed))).toContain(' 0 seeds with violations')
    },
  )

  test('runs a seed the same way in two processes', { timeout: 3_600_000 }, async () => {
    const readTrace = async (): Promise<string> =>
      /trace \w+/.exec(await simulate('--seed', '7', '--steps', '200', '--trace'))![0]
    const [one, two] = await Promise.all([readTrace(), readTrace()])
    expect(one).toBe(two)
  })

  test.each([
    ['a number of seeds that is not a number', ['--seeds', 'many'], '--seeds: many is not a number from 1'],
    ['a store that it does not know', ['--store', 'other'], '--store: there is no store "other"'],
  ])('refuses %s', async (_, args, message) => {
    await expect(simulate(...args)).rejects.toThrow(message)
  })
})

describe('SeededRandom', () => {
  test('draws the same numbers for the same seed, and different numbers for another seed', () => {
    const draw = (seed: string): number[] => {
      const random = new SeededRandom(seed)
      return Array.from({ length: 5 }, () => random.between(1, 1000))
    }
    expect(draw('a')).toEqual(draw('a'))
    expect(draw('a')).not.toEqual(draw('b'))
  })

  test('draws each item in proportion to its weight', () => {
    const random = new SeededRandom('weights')
    const items = [{ weight: 0 }, { weight: 1 }, { weight: 3 }]
    const counts = new Map<object, number>()
    for (let drawn = 0; drawn < 4000; drawn++) {
      const item = random.pickWeighted(items)
      counts.set(item, (counts.get(item) ?? 0) + 1)
    }
    expect(counts.has(items[0]!)).toBe(false)
    expect(counts.get(items[2]!)! / counts.get(items[1]!)!).toBeCloseTo(3, 0)
  })
})
