import { expect, test } from 'vitest'
import {
  maxEvidenceItems,
  maxListedDuplicates,
  maxReportBytes,
  noReports,
  parseIdempotencyKey,
  similarityText,
} from './rules.ts'

test('reports have the documented sizes', () => {
  expect({ maxListedDuplicates, maxReportBytes, maxEvidenceItems }).toEqual({
    maxListedDuplicates: 50,
    maxReportBytes: 32_768,
    maxEvidenceItems: 10,
  })
  expect(noReports()).toEqual({
    statuses: { open: 0, investigating: 0, accepted: 0, resolved: 0, dismissed: 0, spam: 0 },
    duplicates: 0,
  })
})

test('similarityText ignores case, width and white space, and includes every field', () => {
  const report = {
    subject: { surface: 'a', domain: 'b', kind: 'c' },
    signal: { category: 'd' },
    content: { title: 'e', summary: 'f', hypothesis: 'g' },
  }
  expect(similarityText(report)).toBe('["a","b","c","d","e","f","g"]')
  expect(similarityText({ subject: { surface: ' Ａ ' }, content: { title: 'E  e\n' } })).toBe(
    '["a","","","","e e","",""]',
  )
})

test.each([
  ['019A0000-0000-7000-8000-aaaaaaabcdef', '019a0000-0000-7000-8000-aaaaaaabcdef'],
  [' "019a0000-0000-7000-8000-aaaaaaabcdef" ', '019a0000-0000-7000-8000-aaaaaaabcdef'],
  ['00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000'],
  ['019a0000-0000-9000-8000-aaaaaaabcdef', null],
  ['"019a0000-0000-7000-8000-aaaaaaabcdef', null],
  ['', null],
])('parseIdempotencyKey reads %j as %j', (header, key) => {
  expect(parseIdempotencyKey(header)).toBe(key)
})
