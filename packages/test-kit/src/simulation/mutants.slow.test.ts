import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bundleMutant } from './bundle.ts'
import { plantedMutants } from './mutants.ts'

const list = join(import.meta.dirname, 'mutants.ts')
const maxSeeds = 200

/** Runs seeds until a seed fails. Returns this seed, or null if no seed fails. */
function findFailingSeed(program: string, ...args: string[]): Promise<number | null> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [program, ...args, '--bail'], { maxBuffer: 64 * 1024 ** 2 }, (error, stdout, stderr) => {
      const seed = /^seed (\d+) fails:$/m.exec(stdout)?.[1]
      if (seed !== undefined) resolve(Number(seed))
      else if (error) reject(new Error(stderr, { cause: error }))
      else resolve(null)
    })
  })
}

/** Writes the seed that finds a mutant to the list, if `TRIBUTARY_WRITE` is 1. */
function writeSeed(name: string, seed: number): void {
  const [before, after] = readFileSync(list, 'utf8').split(`name: '${name}'`) as [string, string]
  writeFileSync(list, `${before}name: '${name}'${after.replace(/seed: \d+/, `seed: ${seed}`)}`)
}

describe('npm run check -- simulate', () => {
  test.each(plantedMutants)('finds that $name', { timeout: 3_600_000 }, async (mutant) => {
    const program = await bundleMutant(mutant)
    // A change of core or of an actor changes the steps of a seed. Then another seed finds the mutant.
    const seed =
      (await findFailingSeed(program, '--seed', String(mutant.seed))) ??
      (await findFailingSeed(program, '--seeds', String(maxSeeds)))
    expect(seed).not.toBeNull()
    if (process.env['TRIBUTARY_WRITE'] === '1') writeSeed(mutant.name, seed!)
  })
})
