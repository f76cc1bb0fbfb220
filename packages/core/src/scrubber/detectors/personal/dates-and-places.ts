import { isLetter, isLower, isUpper } from '../../engine/character.ts'
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

const MONTH_AND_YEAR = '(?:0[1-9]|1[0-2]) ?(?:\\/|%2[Ff]|-) ?(?:20)?[2-4]\\d'
const DETAIL = new RegExp(
  `(?:exp(?:ir(?:y|es|ation|ing))?(?:[ _-]?(?:date|dt|on))?|valid (?:thru|until|to)|scadenza|caducidad|validade)["']?(?: is)?\\s{0,2}[:=]?\\s{0,2}["']?(${MONTH_AND_YEAR})(?![\\d/-])|(?:code on the (?:front|back)|cv[vc]2?=)(?: is)?:? ?(\\d{3,4})(?!\\d)`,
  'iy',
)
const CARD = /card|amex|visa|\d{4}[ -]?\d{4,6}[ -]?\d{4,5}/i

/** Finds the expiry date and the security code shortly after the number of a payment card: `exp=09%2F28&cvv=417`. */
export function findCardDetail({ text, start, rule, found }: Hit): void {
  DETAIL.lastIndex = start
  const [whole = '', expiry, code] = DETAIL.exec(text) ?? []
  const value = expiry ?? code
  if (!value || !CARD.test(text.slice(Math.max(0, start - 120), start))) return
  const stop = start + whole.length
  found.push({ start: stop - value.length, end: stop, rule, value, local: true })
}

const PAIR =
  /[^\d\n+-]{0,32}?([-+]?\d{1,3}\.\d{3,16}°? ?[NS]?,?(?: |%2C|,|\/){1,3}[-+]?\d{1,3}\.\d{3,16}°?(?: ?[EW](?![\p{L}]))?)(?!\.?\d)/uy
const DEGREES =
  /[^\d\n]{0,48}?(\d{1,3} ?(?:°|deg) ?\d{1,2}['’′] ?\d{1,2}(?:\.\d{1,4})?\\?["”″]? ?[NS],? ?\d{1,3} ?(?:°|deg) ?\d{1,2}['’′] ?\d{1,2}(?:\.\d{1,4})?\\?["”″]? ?[EWO])/y

/** A single latitude or longitude in the format of EXIF tools: `GPS Latitude : 51 deg 58' 14.37" N`. */
const ONE_IN_DEGREES =
  /[^\d\n]{0,48}?(\d{1,3} ?(?:°|deg) ?\d{1,2}['’′] ?\d{1,2}(?:\.\d{1,4})?\\?["”″]? ?[NSEWO])(?![\w])/y

/** Finds a latitude and a longitude with at least three decimals (about 100 metres) after a label. */
export function findCoordinates({ text, start, end, rule, found }: Hit): void {
  if (isLetter(text, start - 1) && (isLower(text, start) || isUpper(text, start - 1))) return
  // The keyword is the beginning of another word, such as `latency` or `lonely`.
  if (end - start === 3 && isLower(text, end) && !/^(?:itude|gitude|lng|lon|lat)/.test(text.slice(end, end + 6))) return
  for (const pattern of /°|\ddeg|\d deg/.test(text.slice(end, end + 64)) ? [DEGREES, ONE_IN_DEGREES] : []) {
    pattern.lastIndex = end
    const [whole = '', degrees] = pattern.exec(text) ?? []
    if (!degrees) continue
    found.add(degrees, end + whole.length - degrees.length, rule)
    return
  }
  PAIR.lastIndex = end
  const [whole = '', value] = PAIR.exec(text) ?? []
  if (!value) return
  const from = end + whole.length - value.length
  const numbers = [...value.matchAll(/[-+]?\d{1,3}\.\d+/g)]
  const [first = 0, second = 0] = numbers.map(([one]) => Math.abs(Number(one)))
  // WKT and GeoJSON write the longitude first.
  if (Math.max(first, second) > 180 || Math.min(first, second) > 90) return
  // Each number in a JSON list gets its own placeholder.
  if (text[from - 1] === '[') for (const { 0: one, index } of numbers) found.add(one, from + index, rule)
  else found.add(value, from, rule)
}
