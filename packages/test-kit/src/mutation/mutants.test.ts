import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { equivalents, mutatedLines } from './equivalents.ts'
import { core, mutatedFolders } from './folders.ts'
import { mutantsOf } from './mutants.ts'
import { applyMutant } from './plugin.ts'

const changed = (text: string): string[] => mutantsOf(text).map((mutant) => applyMutant(text, mutant))

describe('mutantsOf', () => {
  test('changes comparisons, conditions, numbers and booleans', () => {
    expect(changed('if (a < 3) b = true')).toEqual([
      'if (!(a < 3)) b = true',
      'if (a <= 3) b = true',
      'if (a < (3 + 1)) b = true',
      'if (a < 3) b = false',
    ])
  })

  test('drops and changes the guards of SQL', () => {
    const sql = '`update jobs set lease = ? where id = ? and owner = ? and due < ?`'
    expect(changed(sql)).toEqual([
      '`update jobs set lease = ? where id = ?  and due < ?`',
      '`update jobs set lease = ? where id = ? and owner = ? `',
      '`update jobs set lease = ? where id = ? and owner = ? and due <= ?`',
    ])
  })

  test('drops and changes the conditions of drizzle', () => {
    const [dropped] = changed('and(eq(t.a, 1))')
    expect(dropped).toBe('and(undefined)')
    expect(changed('lt(t.a, b)')[0]).toContain('o.lte(t.a,b)')
  })

  test('only reverses the order of a comparison that sorts', () => {
    expect(changed('list.sort((a, b) => (a.id < b.id ? -1 : 1))')).toEqual([
      'list.sort((a, b) => (!(a.id < b.id) ? -1 : 1))',
    ])
  })

  test('does not change types, imports and texts without SQL', () => {
    expect(changed("import a from 'a'\ntype B = 1 | 2\nconst c = 'x < y'")).toEqual([])
  })
})

describe('mutatedFolders', () => {
  const root = fileURLToPath(new URL('../../../../', import.meta.url))
  const folders = mutatedFolders(root)

  test.each(folders)('lists existing files and tests of $name', ({ files, testsOf }) => {
    const named = files.flatMap((file) => [file, ...testsOf(file).flat()])
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
    expect(files.filter((file) => testsOf(file).flat().length === 0)).toEqual([])
  })

  test('runs the contract of the store and the tests of ingest for ingest-batch.ts', () => {
    const { files, testsOf } = folders.find(({ name }) => name === 'stores/libsql')!
    const tests = testsOf(files.find((path) => path.endsWith('/ingest-batch.ts'))!).flat()
    expect(tests).toEqual(
      expect.arrayContaining([
        `${core}/stores/libsql/ingest-batch.test.ts`,
        `${core}/stores/libsql/ingest.test.ts`,
        `${core}/ingest/ingest.test.ts`,
      ]),
    )
  })

  test('lists the statements of each store of libSQL', () => {
    const names = folders.find(({ name }) => name === 'stores/libsql')!.files.map((path) => path.split('/').at(-1))
    expect(names).toEqual(expect.arrayContaining(['ads.ts', 'dataset.ts', 'job-claims.ts', 'policy.ts', 'sign-in.ts']))
  })
})

test('every listed equivalent is a change that `npm run mutants` still makes', () => {
  const root = fileURLToPath(new URL('../../../../', import.meta.url))
  const made = (file: string): string[] => {
    const text = readFileSync(join(root, core, file), 'utf8')
    return mutantsOf(text).map((mutant) => mutatedLines(text, mutant))
  }
  expect(equivalents.filter(({ file, mutated }) => !made(file).includes(mutated))).toEqual([])
})
