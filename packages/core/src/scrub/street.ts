import { isAlnum } from './character.ts'
import type { Finding, Rule } from './rule.ts'

const HEAD = /(?:^|[^\w.,$#/-])(\d{1,5}[A-Za-z]?(?:-\d{1,4})?,? (?:(?:[NSEW]|North|South|East|West|N[EW]|S[EW])\.? )?(?:(?:[A-Z][a-z'’]{1,20}|\d{1,3}(?:st|nd|rd|th)|(?:St|Mt|Dr|Ft)\.?|of|the) ){1,4})$/
const TAIL = /^\.?(?:,? ?(?:Apt|Apartment|Suite|Ste|Unit|Floor|Fl|#)\.? ?#?[\w-]{1,8})?(?:, ?[A-Z][A-Za-z.']{1,24}(?: [A-Z][A-Za-z.']{1,24}){0,3})?(?:, ?[A-Z]{2}(?: \d{5}(?:-\d{4})?)?)?/

/** A house number, one to four capitalised words and a word for street; then flat, town, state and code where they follow. */
export function findStreet(text: string, start: number, end: number, rule: Rule, found: Finding[]): void {
  if (isAlnum(text, end) || text[end] === '_') return
  const suffix = text.slice(start + 1, end)
  const whole = /^[A-Z][a-z]*$/.test(suffix) || /^(?:st|ave|rd|blvd|street|avenue|road)$/.test(suffix)
  if (!whole) return
  const head = HEAD.exec(text.slice(Math.max(0, start - 72), start + 1))
  if (!head) return
  const tail = TAIL.exec(text.slice(end, end + 80))
  const from = start + 1 - head[1]!.length
  const to = end + (tail?.[0].length ?? 0)
  found.push({ start: from, end: to, rule, value: text.slice(from, to) })
}
