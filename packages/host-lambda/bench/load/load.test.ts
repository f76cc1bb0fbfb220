import { expect, test } from 'vitest'
import { bugs, nothingLost, twenty } from './load.fixture.ts'
import { loadTable, runLoad } from './model.ts'

test('20 functions on a database that answers 429 lose nothing and store nothing twice', async () => {
  const result = await runLoad(twenty)
  expect(result).toMatchObject(nothingLost)
  expect(result.database.refused).toBeGreaterThan(0)
  expect(Object.keys(result.logged).filter((event) => bugs.includes(event))).toEqual([])
  expect(loadTable([result])).toContain('| traces stored | 40 of 40 |')
}, 180_000)
