import { describe, expect, test } from 'vitest'
import { divideByTokens, entryIdAt } from './rules.ts'

describe('divideByTokens', () => {
  test('rounds down and gives the remainder to the largest part, or to the first of equally large parts', () => {
    const toTokenCounts = (...all: number[]) => all.map((one) => ({ tokens: one, traces: 1 }))
    expect(divideByTokens(100, toTokenCounts(1, 2))).toEqual([33, 67])
    expect(divideByTokens(100, toTokenCounts(1, 1, 1))).toEqual([34, 33, 33])
    expect(divideByTokens(7, toTokenCounts(0, 0))).toEqual([4, 3])
    expect(
      divideByTokens(7, [
        { tokens: 0, traces: 1 },
        { tokens: 0, traces: 2 },
      ]),
    ).toEqual([2, 5])
  })

  test('returns parts that add up to the whole, each within n micro-dollars of its exact share for n parts', () => {
    let seed = 1
    const drawNumber = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below
    for (let round = 0; round < 1000; round++) {
      const micros = drawNumber(2 ** 31)
      const parts = Array.from({ length: 1 + drawNumber(20) }, () => ({ tokens: 1 + drawNumber(1e9), traces: 1 }))
      const whole = parts.reduce((sum, { tokens }) => sum + tokens, 0)
      const shares = divideByTokens(micros, parts)
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(micros)
      const errors = shares.map((share, at) => Math.abs(share - (micros * parts[at]!.tokens) / whole))
      expect(Math.max(...errors)).toBeLessThanOrEqual(parts.length)
    }
  })
})

test('entryIdAt returns distinct UUIDs of version 7', () => {
  const base = '019a0000-0000-7000-8000-aaaaaaabcdef'
  expect([1, 2, 500].map((n) => entryIdAt(base, n))).toEqual([
    '019a0000-0000-7000-8000-aaaaaaa00001',
    '019a0000-0000-7000-8000-aaaaaaa00002',
    '019a0000-0000-7000-8000-aaaaaaa001f4',
  ])
})
