import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { equivalentsOf, whyEquivalent } from './equivalents.ts'
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

  test('does not change how many rows beyond a page are read', () => {
    expect(changed('read(limit + 1)')).toEqual(['read(limit - 1)'])
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

describe('whyEquivalent', () => {
  const text = '// Mutants of < and condition are equivalent: it is never reached.\nif (a < 3) b = 3'

  test('returns the reason in the comment before the line', () => {
    const known = mutantsOf(text).filter((mutant) => whyEquivalent(text, mutant) === 'it is never reached.')
    expect(known.map(({ what }) => what)).toEqual(['condition', '<'])
  })

  test('returns null for another change, and for another line', () => {
    const others = mutantsOf(`${text}\nif (a < 4) c()`).filter(({ what, line }) => what === '3' || line === 3)
    expect(others.map((mutant) => whyEquivalent(text, mutant))).toEqual([null, null, null, null, null])
  })
})

test('every comment about equivalent mutants names changes that `npm run mutants` makes', () => {
  const root = fileURLToPath(new URL('../../../../', import.meta.url))
  const texts = readdirSync(join(root, core), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => ({ file, text: readFileSync(join(root, core, file), 'utf8') }))
    .filter(({ text }) => equivalentsOf(text).length > 0)
  expect(texts.length).toBeGreaterThan(0)
  const wrong = texts.flatMap(({ file, text }) =>
    equivalentsOf(text).flatMap(({ line, whats }) =>
      whats
        .filter((what) => !mutantsOf(text).some((mutant) => mutant.line === line && mutant.what === what))
        .map((what) => `${file}:${line} ${what}`),
    ),
  )
  expect(wrong).toEqual([])
})
