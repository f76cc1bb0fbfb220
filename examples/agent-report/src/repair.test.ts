import { describe, expect, test } from 'vitest'
import { repairReport, type Issue } from './issues.ts'
import { fitReport, listMissingFields, shorten, shortenEvidence } from './repair.ts'

const schema = {
  required: ['subject', 'content'],
  properties: {
    subject: {
      required: ['surface'],
      properties: { surface: { type: 'string', minLength: 1 }, kind: { enum: ['docs_page', 'other'] } },
    },
    signal: { properties: { category: { enum: ['bug', 'other'] }, confidence: { minimum: 0, maximum: 1 } } },
    content: {
      required: ['title'],
      properties: { title: { minLength: 1, maxLength: 8 }, summary: { minLength: 1, maxLength: 4 } },
    },
    evidence: {
      maxItems: 2,
      items: {
        required: ['type', 'content'],
        properties: { type: { enum: ['stderr_excerpt', 'other'] }, content: { minLength: 1, maxLength: 5 } },
      },
    },
  },
}
const least = { subject: { surface: 's' }, content: { title: 't' } }

describe('fitReport', () => {
  test('returns a report within the limits unchanged, including unknown fields', () => {
    const report = { ...least, signal: { category: 'bug', confidence: 1 }, own: { deep: [1] } }
    expect(fitReport(report, schema)).toEqual({ report, changes: [] })
  })

  test('cuts long texts, clamps numbers, omits unknown words, and describes each change without the value', () => {
    const { report, changes } = fitReport(
      {
        subject: { surface: 's', kind: 'SENT' },
        signal: { category: 'SENT', confidence: 1.5 },
        content: { title: '123456789', summary: '' },
      },
      schema,
    )
    expect(report).toEqual({ subject: { surface: 's' }, signal: { confidence: 1 }, content: { title: '1234567…' } })
    expect(changes).toEqual([
      'subject.kind left out: not among docs_page, other',
      'signal.category left out: not among bug, other',
      'signal.confidence moved to 1',
      'content.title cut to 8 characters',
    ])
  })

  test('sets an unknown evidence type to `other`, and omits evidence without content or above the limit', () => {
    const evidence = [
      { type: 'SENT', content: 'abcdef' },
      { type: 'other' },
      { type: 'other', content: 'b' },
      { type: 'other', content: 'c' },
    ]
    expect(fitReport({ ...least, evidence }, schema).report['evidence']).toEqual([
      { type: 'other', content: 'abcd…' },
      { type: 'other', content: 'b' },
    ])
  })
})

test('listMissingFields returns the required fields that are absent', () => {
  expect(listMissingFields({ content: { title: '' } }, schema)).toEqual(['subject.surface', 'content.title'])
  expect(listMissingFields(least, schema)).toEqual([])
})

test('shorten never cuts a text inside a character', () => {
  expect(shorten('ab😀cd', 4)).toBe('ab…')
  expect(shorten('abcd', 4)).toBe('abcd')
})

test('shortenEvidence shortens the longest evidence until the report fits, and changes nothing else', () => {
  const report = {
    ...least,
    evidence: [
      { type: 'other', content: 'é'.repeat(4000) },
      { type: 'other', content: 'short' },
    ],
  }
  const { report: small, changes } = shortenEvidence(report, 3000)
  expect(new TextEncoder().encode(JSON.stringify(small)).length).toBeLessThanOrEqual(3000)
  expect(small).toMatchObject({
    ...least,
    evidence: [{ content: expect.stringMatching(/^é+…$/) }, { content: 'short' }],
  })
  expect(changes).toHaveLength(1)
  expect(shortenEvidence(report, 10_000)).toEqual({ report, changes: [] })
  expect(shortenEvidence(report, 10).report['evidence']).toEqual([])
})

describe('repairReport', () => {
  const makeIssue = (path: Issue['path'], code: string, message = ''): Issue => ({ path, code, message })

  test('cuts, clamps and omits the values that the issues name', () => {
    const report = {
      subject: { surface: 's', kind: 'no' },
      signal: { confidence: -2, severity: 7 },
      content: { title: 'abcdef' },
      evidence: [1, 2, 3],
    }
    const { report: mended } = repairReport(report, [
      makeIssue(['content', 'title'], 'too_big', 'Too big: expected string to have <=4 characters'),
      makeIssue(['signal', 'confidence'], 'too_small', 'Too small: expected number to be >=0'),
      makeIssue(['subject', 'kind'], 'invalid_value'),
      makeIssue(['signal', 'severity'], 'invalid_type'),
      makeIssue(['evidence'], 'too_big', 'Too big: expected array to have <=2 items'),
    ])
    expect(mended).toEqual({
      subject: { surface: 's' },
      signal: { confidence: 0 },
      content: { title: 'abc…' },
      evidence: [1, 2],
    })
    expect(report.content.title).toBe('abcdef')
  })

  test('removes an item with two issues once, and keeps its neighbours', () => {
    const evidence = [
      { type: 'a', content: 'a' },
      { type: '?', content: '' },
      { type: 'c', content: 'c' },
      { type: '?', content: 'd' },
    ]
    const { report, changes } = repairReport({ evidence }, [
      makeIssue(['evidence', 1, 'type'], 'invalid_value'),
      makeIssue(['evidence', 1, 'content'], 'too_small', '>=1 characters'),
      makeIssue(['evidence', 3, 'type'], 'invalid_value'),
    ])
    expect(report).toEqual({ evidence: [evidence[0], evidence[2]] })
    expect(changes).toEqual(['evidence.3 left out', 'evidence.1 left out'])
  })

  test('changes nothing for missing fields and inherited properties', () => {
    for (const path of [['content', 'title'], ['constructor'], [], ['a', 'b', 'c']])
      expect(repairReport({ content: {} }, [makeIssue(path, 'invalid_type')]).changes).toEqual([])
  })
})
