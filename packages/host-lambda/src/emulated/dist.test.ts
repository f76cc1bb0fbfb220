import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const dist = fileURLToPath(new URL('../../../../examples/lambda-sam/dist/', import.meta.url))

// What is deployed is made of packages as they are published, and those are bundles themselves: they must fall apart as the sources do.
test('the functions as built from the packages start as lean as those from the sources', () => {
  const sizes = Object.fromEntries(
    ['http', 'queue', 'schedule'].map((name) => [name, readFileSync(`${dist}${name}.cjs`).length / 1000]),
  )
  expect(sizes['http']).toBeLessThan(175)
  expect(sizes['queue']).toBeLessThan(145)
  expect(sizes['schedule']).toBeLessThan(145)
  for (const name of readdirSync(dist)) expect(readFileSync(dist + name, 'utf8')).not.toContain('drizzle:')
})
