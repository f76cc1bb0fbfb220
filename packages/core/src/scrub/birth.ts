import type { Finding, Rule } from './rule.ts'

const MONTH = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}'
const DATE = new RegExp(
  `(?:\\d{4}[-/.]\\d{1,2}[-/.]\\d{1,2}|\\d{1,2}[-/.]\\d{1,2}[-/.]\\d{2,4}|${MONTH}\\.? \\d{1,2}(?:st|nd|rd|th)?,? \\d{4}|\\d{1,2}(?:st|nd|rd|th)? (?:of )?${MONTH}\\.?,? \\d{4}|\\d{8})(?!\\d)`,
  'iy',
)
const GAP = /^[\w)\]]{0,16}[^\d\n]{0,24}?(?=\d|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/i

/** A date behind a word for birth: `"dob": "1990-04-01"`, `born on 1 April 1990`. */
export function findBirth(text: string, _start: number, end: number, rule: Rule, found: Finding[]): void {
  const gap = GAP.exec(text.slice(end, end + 48))
  if (!gap) return
  const from = end + gap[0].length
  DATE.lastIndex = from
  const match = DATE.exec(text)
  if (!match) return
  found.push({ start: from, end: from + match[0].length, rule, value: match[0] })
}
