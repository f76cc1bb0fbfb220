import { expect, test } from 'vitest'
import { bugs, expectedLoadResult, twentyFunctions } from './load.fixture.ts'
import { loadTable, runLoad } from './model.ts'

test('5 functions lose and duplicate nothing on a database that returns 429', async () => {
  const result = await runLoad({ ...twentyFunctions, containers: 5 })
  expect(result).toMatchObject({ ...expectedLoadResult, acknowledged: 5, stored: 10 })
  expect(result.database.refused).toBeGreaterThan(0)
  expect(Object.keys(result.logged).filter((event) => bugs.includes(event))).toEqual([])
  expect(loadTable([result])).toContain('| traces stored | 10 of 10 |')
})
