import { isAlnum } from './character.ts'
import type { Finding, Rule } from './rule.ts'

const HEAD = /(?:^|[^\w.,$#/-])(\d{1,5}[A-Za-z]?(?:-\d{1,4})?,? (?:(?:[NSEW]|North|South|East|West|N[EW]|S[EW])\.? )?(?:(?:[A-Z][a-z'’]{1,20}|[A-Z]\.?|\d{1,3}(?:st|nd|rd|th)|(?:St|Mt|Dr|Ft)\.?|of|the) ){1,4})$/
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

const HOUSE = /^stra(?:ß|ss)e \d{1,4} ?[a-z]?(?![\w])(?:, \d{5} \p{Lu}[\p{L}-]{1,30})?/u

/** `Hauptstraße 12, 10115 Berlin`: the number behind the name. */
export function findStrasse(text: string, start: number, _end: number, rule: Rule, found: Finding[]): void {
  const match = HOUSE.exec(text.slice(start, start + 64).toLowerCase().startsWith('stra') ? `stra${text.slice(start + 4, start + 64)}` : '')
  if (!match) return
  const head = /(?:\p{Lu}[\p{L}.'-]{0,30}[ -])?\p{L}[\p{L}-]{0,30}$|(?:\p{Lu}\p{L}{1,30}(?:er)? )$/u.exec(text.slice(Math.max(0, start - 48), start))
  const from = start - (head?.[0].length ?? 0)
  const end = start + match[0].length
  found.push({ start: from, end, rule, value: text.slice(from, end) })
}

const ROMAN = /(?:^|[^\w.])(\d{1,4}(?: ?bis)?,? )$/
const NAMED = /^(?:[Rr]ue|[Aa]venue|[Bb]oulevard|[Cc]hemin|[Qq]uai|[Vv]ia|[Vv]iale|[Pp]iazza|[Cc]alle|[Aa]venida)(?: (?:de|du|des|la|le|les|l'|d'|del|della|di|los|las))*(?: ?\p{Lu}[\p{L}'-]{1,24}){1,4}/u

/** `Via Roma 15`, `Avenida Paulista, 1578`: the number behind the name. */
const BEHIND = /^(?:Via|Viale|Piazza|Corso|Calle|Avenida|Paseo|Plaza|Rua|Praça|Largo|ul\.|ulica|ulice|ul\. |улица|ул\.)(?: (?:de|del|della|delle|dei|di|da|do|dos|das|la|las|los|el))*(?: \p{Lu}[\p{L}'’.-]{1,24}){1,4},? (?:n[º°.]? ?)?\d{1,5}[a-zA-Z]?(?![\w.%/-])/u

/** `12 rue de Rivoli`: the number before the word for street. */
export function findRue(text: string, start: number, _end: number, rule: Rule, found: Finding[]): void {
  const behind = BEHIND.exec(text.slice(start, start + 96))
  if (behind && !isAlnum(text, start - 1)) {
    found.push({ start, end: start + behind[0].length, rule, value: behind[0] })
    return
  }
  const head = ROMAN.exec(text.slice(Math.max(0, start - 12), start))
  const tail = head && NAMED.exec(text.slice(start, start + 96))
  if (!head || !tail || !/\p{Lu}\p{L}/u.test(tail[0].slice(4))) return
  const from = start - head[1]!.length
  const end = start + tail[0].length
  found.push({ start: from, end, rule, value: text.slice(from, end) })
}
