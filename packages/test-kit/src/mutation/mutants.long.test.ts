import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { listEquivalents, findEquivalenceReason } from './equivalents.ts'
import { core, mutatedFolders } from './folders.ts'
import { findMutants, listMutants } from './mutants.ts'
import { applyMutant } from './plugin.ts'

const changed = (text: string): string[] => listMutants(text).map((mutant) => applyMutant(text, mutant))

describe('listMutants', () => {
  test('changes comparisons, conditions, numbers and booleans', () => {
    expect(changed('if (a < 3) b = true')).toEqual([
      'if (!(a < 3)) b = true',
      'if (a <= 3) b = true',
      'if (a < (3 + 1)) b = true',
      'if (a < 3) b = false',
    ])
  })

  test('drops and changes the guards of SQL', () => {
    expect(changed('sql`update t set a = 1 where b = ${f(x) && 1} and (c in (1) or d) and due < ?`')).toEqual([
      'sql`update t set a = 1 where  (c in (1) or d) and due < ?`',
      'sql`update t set a = 1 where b = ${f(x) && 1}  and due < ?`',
      'sql`update t set a = 1 where b = ${f(x) && 1} and (c in (1) or d) `',
      'sql`update t set a = 1 where b = ${f(x) && 1} and (c in (1) or d) and due <= ?`',
      'sql`update t set a = 1 where b = ${f(x) || 1} and (c in (1) or d) and due < ?`',
      'sql`update t set a = 1 where b = ${f(x) && (1 + 1)} and (c in (1) or d) and due < ?`',
    ])
    expect(changed("sql`a between 1 and 2 and b = 'x and y'`")).toEqual([
      "sql` b = 'x and y'`",
      'sql`a between 1 and 2 `',
    ])
  })

  test('makes the conditions of SQL false', () => {
    expect(changed('sql`iif(a = 1, case when b in (2, 3) then 4 when c then 5 end, 6)`')).toEqual([
      'sql`iif(false, case when b in (2, 3) then 4 when c then 5 end, 6)`',
      'sql`iif(a = 1, case when false then 4 when c then 5 end, 6)`',
      'sql`iif(a = 1, case when b in (2, 3) then 4 when false then 5 end, 6)`',
    ])
  })

  test('drops calls, list items and object properties', () => {
    expect(changed('await f(); g({ a: h(), ...b, c }, [h(), ...b, c])')).toEqual([
      '{} g({ a: h(), ...b, c }, [h(), ...b, c])',
      'await f(); {}',
      'await f(); g({ ...{}, ...b, c }, [h(), ...b, c])',
      'await f(); g({ a: h(), ...{}, c }, [h(), ...b, c])',
      'await f(); g({ a: h(), ...b, c }, [...[], ...b, c])',
      'await f(); g({ a: h(), ...b, c }, [h(), ...[], c])',
    ])
  })

  test('drops and changes the conditions of drizzle', () => {
    const [dropped] = changed('a = and(eq(t.a, 1))')
    expect(dropped).toBe('a = and(undefined)')
    expect(changed('a = lt(t.a, b)')[0]).toContain('o.lte(t.a,b)')
  })

  test('changes a comparison that sorts only by reversing its order', () => {
    expect(changed('c = list.sort((a, b) => (a.id < b.id ? -1 : 1))')).toEqual([
      'c = list.sort((a, b) => (!(a.id < b.id) ? -1 : 1))',
    ])
  })

  test('does not change the number in `limit + 1`, only the operator', () => {
    expect(changed('a = read(limit + 1)')).toEqual(['a = read(limit - 1)'])
  })

  test('does not change types, imports and texts without SQL', () => {
    expect(changed("import a from 'a'\ntype B = 1 | 2\nconst c = 'x < y'")).toEqual([])
  })
})

describe('findMutants', () => {
  const text = 'const isOwn = sql`a = ${x.id} and exists (select 1 where b and c = ${x.owner})`'
  const found = (reference: string): string[] => findMutants(text, reference).map(({ code }) => code)

  test('returns the changes in a declaration whose code contains a name, and only the innermost of nested changes', () => {
    expect(found('isOwn and owner')).toEqual(['and c = ${x.owner}'])
    expect(found('isOwn and x')).toEqual(['a = ${x.id} and', 'and c = ${x.owner}'])
  })

  test('returns nothing if the declaration, the change or the name does not match', () => {
    expect(['isOther and owner', 'isOwn when owner', 'isOwn and own'].flatMap(found)).toEqual([])
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

  test('lists the file of each libSQL store', () => {
    const names = folders.find(({ name }) => name === 'stores/libsql')!.files.map((path) => path.split('/').at(-1))
    expect(names).toEqual(expect.arrayContaining(['ads.ts', 'dataset.ts', 'job-claims.ts', 'policy.ts', 'sign-in.ts']))
  })
})

describe('findEquivalenceReason', () => {
  const text = '// No test can notice a change of `<` or `condition`: it is never reached.\nif (a < 3) b = 3'

  test('returns the reason in the comment before the line', () => {
    const known = listMutants(text).filter((mutant) => findEquivalenceReason(text, mutant) === 'it is never reached.')
    expect(known.map(({ what }) => what)).toEqual(['condition', '<'])
  })

  test('returns null if the change or the line does not match the comment', () => {
    const others = listMutants(`${text}\nif (a < 4) c = d`).filter(({ what, line }) => what === '3' || line === 3)
    expect(others.map((mutant) => findEquivalenceReason(text, mutant))).toEqual([null, null, null, null, null])
  })
})

test('every comment about equivalent mutants names changes that `npm run mutants` makes', () => {
  const root = fileURLToPath(new URL('../../../../', import.meta.url))
  const texts = readdirSync(join(root, core), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => ({ file, text: readFileSync(join(root, core, file), 'utf8') }))
    .filter(({ text }) => listEquivalents(text).length > 0)
  expect(texts.length).toBeGreaterThan(0)
  const wrong = texts.flatMap(({ file, text }) =>
    listEquivalents(text).flatMap(({ line, whats }) =>
      whats
        .filter((what) => !listMutants(text).some((mutant) => mutant.line === line && mutant.what === what))
        .map((what) => `${file}:${line} ${what}`),
    ),
  )
  expect(wrong).toEqual([])
})
