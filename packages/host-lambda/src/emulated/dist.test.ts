import { readdirSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const dist = fileURLToPath(new URL('../../../../examples/lambda-sam/dist/', import.meta.url))

/** Returns the files that a function loads at its start. */
function startOf(name: string, found: Set<string> = new Set()): Set<string> {
  if (found.has(name)) return found
  found.add(name)
  for (const [, path] of readFileSync(dist + name, 'utf8').matchAll(/(?:from|import)\s*"\.\/([^"]+\.mjs)"/g))
    startOf(path!, found)
  return found
}

// The example is built from the published packages, and must be split into files in the same way as a build of the
// sources.
describe('examples/lambda-sam/dist', () => {
  test.each([
    ['http', 290],
    ['queue', 330],
    ['schedule', 330],
  ])('%s starts with at most %i KB', (name, limit) => {
    const bytes = [...startOf(`${name}.mjs`)].reduce((sum, file) => sum + statSync(dist + file).size, 0)
    expect(bytes / 1000).toBeGreaterThan(100)
    expect(bytes / 1000).toBeLessThan(limit)
  })

  test('has a file for each part of the service that is loaded later', () => {
    expect(readdirSync(dist).length).toBeGreaterThan(20)
  })
})
