import { expect, test } from 'vitest'
import { listLines, maxTerms, removeRepetitions } from './rules.ts'

test('a person has at most 200 terms', () => {
  expect(maxTerms).toBe(200)
})

test('removeRepetitions keeps the first of terms that differ in case or width', () => {
  expect(removeRepetitions(['Acme', 'acme', '\uff21cme', 'acme inc'])).toEqual(['Acme', 'acme inc'])
})

test('listLines returns the lines that are not blank, with every kind of line break', () => {
  expect(listLines('a\r\nb\r \nc\n\n')).toEqual(['a', 'b', 'c'])
})
