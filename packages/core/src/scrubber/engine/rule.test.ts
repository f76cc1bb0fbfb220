import { describe, expect, test } from 'vitest'
import { compileCondition, type Condition } from './rule.ts'

const checks = { even: (value: string) => Number(value) % 2 === 0 }

describe('compileCondition', () => {
  test.each<[string, Condition, accepted: string, rejected: string]>([
    ['a regular expression', /^\d/, '1a', 'a1'],
    ['the name of a check', 'even', '4', '5'],
    ['a function', (value) => value === 'a', 'a', 'b'],
    ['not', { not: 'even' }, '5', '4'],
    ['any', { any: ['even', /^1/] }, '13', '33'],
    ['a list', ['even', { not: [/^1/, /8$/] }], '12', '18'],
  ])('compiles %s', (_, condition, accepted, rejected) => {
    const holds = compileCondition(condition, checks)
    expect([holds(accepted), holds(rejected)]).toEqual([true, false])
  })

  test('throws for a name without a check', () => {
    expect(() => compileCondition(['even', 'odd'], checks)).toThrow('there is no check "odd"')
    expect(() => compileCondition('constructor', checks)).toThrow('there is no check "constructor"')
  })

  test.each([/a/g, { not: /a/y }])('throws for a regular expression with the flag g or y: %s', (condition) => {
    expect(() => compileCondition(condition, checks)).toThrow('must not have the flag g or y')
  })
})
