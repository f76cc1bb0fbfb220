import { isLetter, isLower } from './character.ts'
import type { Finding, Rule } from './rule.ts'

const PAIR = /[^\d\n+-]{0,32}?([-+]?\d{1,3}\.\d{3,16}°? ?[NS]?,?(?: |%2C|,|\/){1,3}[-+]?\d{1,3}\.\d{3,16}°? ?[EW]?)(?!\.?\d)/y
const ONE = /[\w]{0,10}["'\]\\]{0,4}(?: {0,3}[:=] {0,3}["'\\]{0,3}([-+]?\d{1,3}\.\d{3,16})| {1,2}([-+]?\d{1,3}\.\d{4,16}))(?!\.?\d)/y

/** Latitude and longitude behind a word for them, with three decimals (a hundred metres) or more. */
export function findPlace(text: string, start: number, end: number, rule: Rule, found: Finding[]): void {
  if (isLetter(text, start - 1) && isLower(text, start)) return
  for (const pattern of [PAIR, ONE]) {
    pattern.lastIndex = end
    const match = pattern.exec(text)
    if (!match) continue
    const value = (match[1] ?? match[2])!
    const [first, second] = value.match(/[-+]?\d{1,3}\.\d+/g)!.map(Number) as [number, number?]
    if (Math.abs(first) > (second === undefined ? 180 : 90) || Math.abs(second ?? 0) > 180) return
    const stop = end + match[0].length
    found.push({ start: stop - value.length, end: stop, rule, value })
    return
  }
}
