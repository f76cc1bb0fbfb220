import type { Finding, Rule } from '../../engine/rule.ts'

/** English, German, French, Spanish, Italian, Portuguese and Dutch; the rest of the word is not looked at. */
const MONTH =
  '(?:jan|f[eé]v|feb|m[aä]r|maa|apr|avr|abr|ma[yijg]|jun|juin|giu|jul|juil|lug|aug|ago|ao[uû]|sep|set|oct|okt|ott|out|nov|de[czs]|d[eé]c|dic|gen|ene)[a-zäéûç]{0,8}'
const DATE = new RegExp(
  `(?:\\d{4}[-/.]\\d{1,2}[-/.]\\d{1,2}|\\d{1,2}[-/.]\\d{1,2}[-/.]\\d{2,4}|${MONTH}\\.? \\d{1,2}(?:st|nd|rd|th)?,? \\d{4}|\\d{1,2}(?:st|nd|rd|th)? (?:of )?${MONTH}\\.?,? \\d{4}|\\d{1,2}\\. ?${MONTH} \\d{4}|\\d{1,2} (?:de )?${MONTH} (?:de )?\\d{4}|\\d{4}[年년] ?\\d{1,2}[月월] ?\\d{1,2}[日일]|\\d{4}\\. ?\\d{1,2}\\. ?\\d{1,2}|\\d{1,2}\\. \\d{1,2}\\. \\d{4}|\\d{8})(?!\\d)`,
  'iy',
)
const NEAR = /\d|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec/i
const GAP = /^[\w)\]]{0,16}[^\d\n]{0,24}?(?=\d|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/i

/** `am 23.07.1979 in Ulm geboren`, `op 23-07-1979 geboren` */
const BEFORE_BORN =
  /(?<![\d.])(\d{1,2}[./-] ?\d{1,2}[./-] ?\d{4}|\d{1,2}\. ?\p{L}{3,9} \d{4}|\d{4}-\d\d-\d\d)(?: in \p{Lu}[\p{L} .-]{2,30})? $/u

/** Finds a date behind a word for birth: `"dob": "1990-04-01"`, `born on 1 April 1990`. */
export function findBirthDate(text: string, start: number, end: number, rule: Rule, found: Finding[]): void {
  // `birthtime` is a file's.
  if (/^[_-]?(?:time|ms|rate|mark|stone|right|control|chime)/i.test(text.slice(end, end + 8))) return
  if (text[start] === 'g') {
    const before = BEFORE_BORN.exec(text.slice(Math.max(0, start - 60), start))
    if (before) {
      const from = start - before[0].length
      found.push({ start: from, end: from + before[1]!.length, rule, value: before[1]! })
      return
    }
  }
  const window = text.slice(end, end + 48)
  const gap = NEAR.test(window) ? GAP.exec(window) : null
  if (!gap) return
  const from = end + gap[0].length
  DATE.lastIndex = from
  const match = DATE.exec(text)
  if (!match) return
  found.push({ start: from, end: from + match[0].length, rule, value: match[0] })
}

/** Finds `né le 12 avril 1990`, `nací el 12 de mayo`, `född 1987-06-04`: words of which only the end is ASCII. */
export function findBirthAfterVerb(text: string, start: number, end: number, rule: Rule, found: Finding[]): void {
  if (
    text[end - 2] !== '.' &&
    !/(?:n[ée]e?s?|nac(?:í|i|ió)|f[öø]d|f[öø]dde?s?|født)$/i.test(
      text.slice(Math.max(0, start - 8), start + (text[start] === 'd' ? 2 : 0)),
    )
  )
    return
  DATE.lastIndex = start + text.slice(start, end + 1).search(/\d/)
  const match = DATE.exec(text)
  if (match) found.push({ start: match.index, end: match.index + match[0].length, rule, value: match[0] })
}
