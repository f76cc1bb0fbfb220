import type { Hit } from '../../engine/findings.ts'
import { DATE } from '../../rules/personal-labels.ts'

const DATE_AT = new RegExp(DATE, 'iuy')

/** `am 23.07.1979 in Ulm geboren`, `op 23-07-1979 geboren` */
const BEFORE_BORN =
  /(?<![\d.])(\d{1,2}[./-] ?\d{1,2}[./-] ?\d{4}|\d{1,2}\. ?\p{L}{3,9} \d{4}|\d{4}-\d\d-\d\d)(?: in \p{Lu}[\p{L} .-]{2,30})? $/u

/** Finds the date before a word for birth: `am 23.07.1979 in Ulm geboren`. */
export function findDateBeforeBorn({ text, start, rule, found }: Hit): void {
  const [whole = '', date] = BEFORE_BORN.exec(text.slice(Math.max(0, start - 60), start)) ?? []
  if (date) found.add(date, start - whole.length, rule)
}

/**
 * Finds `né le 12 avril 1990`, `nací el 12 de mayo`, `född 1987-06-04`. The keyword is the ASCII text before the date,
 * such as ` le `.
 */
export function findBirthAfterVerb({ text, start, end, rule, found }: Hit): void {
  if (
    text[end - 2] !== '.' &&
    !/(?:n[ée](?:e?s?|[(.]e\)?)|nac(?:í|i|ió)|nasc(?:i|eu|id[oa])|f[öø]d|f[öø]dde?s?|født)$/i.test(
      text.slice(Math.max(0, start - 8), start + (text[start] === 'd' ? 2 : 0)),
    )
  )
    return
  DATE_AT.lastIndex = start + text.slice(start, end + 1).search(/\d/)
  const match = DATE_AT.exec(text)
  if (match) found.push({ start: match.index, end: match.index + match[0].length, rule, value: match[0] })
}
