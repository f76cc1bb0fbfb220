import { describe, expect, test } from 'vitest'
import {
  maxEvidenceItems,
  maxListedDuplicates,
  maxReportBytes,
  noReports,
  parseIdempotencyKey,
  resolveReportLimits,
  similarityText,
} from './rules.ts'

test('reports keep to the documented sizes', () => {
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

describe('resolveReportLimits', () => {
  test('has defaults and accepts the least of each', () => {
    expect(resolveReportLimits({})).toEqual({ reportDays: 365, reportEvidence: 100 })
    expect(resolveReportLimits({ reportDays: 30, reportEvidence: 0 })).toEqual({ reportDays: 30, reportEvidence: 0 })
  })

  test.each([
    [{ reportDays: 29 }, 'reportDays must be a whole number, 30 or more'],
    [{ reportDays: 30.5 }, 'reportDays must be a whole number, 30 or more'],
    [{ reportEvidence: -1 }, 'reportEvidence must be a whole number'],
    [{ reportEvidence: 0.5 }, 'reportEvidence must be a whole number'],
  ])('refuses %j', (options, message) => {
    expect(() => resolveReportLimits(options)).toThrow(message)
  })
})

test('similarityText ignores case, width and white space, and no field', () => {
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
