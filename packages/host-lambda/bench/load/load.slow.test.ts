import { expect, test } from 'vitest'
import { bugs, expectedLoadResult, twentyFunctions } from './load.fixture.ts'
import { runLoad } from './model.ts'

test('20 functions on a database that answers 429 lose nothing and store nothing twice', async () => {
  const result = await runLoad(twentyFunctions)
  expect(result).toMatchObject(expectedLoadResult)
  expect(result.database.refused).toBeGreaterThan(0)
  expect(Object.keys(result.logged).filter((event) => bugs.includes(event))).toEqual([])
})

// A job whose lease could not be released waits half a minute until the lease expires.
test('20 functions lose and duplicate nothing on a database that also delays and disconnects', async () => {
  const database = { ...twentyFunctions.database, slowShare: 0.02, tooLateShare: 0.002, brokenShare: 0.03 }
  const result = await runLoad({ ...twentyFunctions, database })
  expect(result).toMatchObject(expectedLoadResult)
  expect(result.database.broken).toBeGreaterThan(0)
  expect(Object.keys(result.logged).filter((event) => bugs.includes(event))).toEqual([])
})
