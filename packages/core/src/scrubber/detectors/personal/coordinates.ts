import { isLetter, isLower, isUpper } from '../../engine/character.ts'
import type { Hit } from '../../engine/findings.ts'

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
