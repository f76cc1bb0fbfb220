import { expect, test } from 'vitest'
import { linesOf, maxTerms, withoutRepetitions } from './rules.ts'

test('a person has at most 200 terms', () => {
  expect(maxTerms).toBe(200)
})

test('withoutRepetitions keeps the first of terms that differ in case or width', () => {
  expect(withoutRepetitions(['Acme', 'acme', '\uff21cme', 'acme inc'])).toEqual(['Acme', 'acme inc'])
})

test('linesOf returns the lines that are not blank, with every kind of line break', () => {
  expect(linesOf('a\r\nb\r \nc\n\n')).toEqual(['a', 'b', 'c'])
})
