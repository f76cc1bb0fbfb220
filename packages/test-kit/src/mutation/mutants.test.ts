import { describe, expect, test } from 'vitest'
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

  test('leaves types, imports and texts without SQL alone', () => {
    expect(changed("import a from 'a'\ntype B = 1 | 2\nconst c = 'x < y'")).toEqual([])
  })
})
