import { beginsWord, isAlnum } from '../../engine/character.ts'
import type { Hit } from '../../engine/findings.ts'
import { endOfAddress, pushAddressee } from './address-tail.ts'

const HEAD =
  /(?:^|[^\w.,$#/-])((?:(?:Flat|Unit|Apt|Apartment|Suite|Shop|Level|Floor|House|No\.?) ?\d{1,4}[A-Za-z]?(?:\/|, ?))?\d{1,5}[A-Za-z]?(?:[-/]\d{1,4})?,? (?:(?:[NSEW]|North|South|East|West|N[EW]|S[EW])\.? )?(?:(?:[A-Z][a-z'’]{1,20}|[A-Z]{1,3}\.?|\d{1,3}(?:st|nd|rd|th)|(?:St|Mt|Dr|Ft)\.?|of|the) ){1,4})$/
/** Words in prose before numbers that are not house numbers. */
const COUNTED =
  /(?:section|chapter|step|line|page|figure|table|version|part|rule|lesson|exercise|phase|level|day|week|item|question|task)s? $/i

/** The text before an address in a sentence, a field or a list, and the text after it. */
const LEADS_TO_ADDRESS =
  /(?:^|[\n:=>"'`([|]|\b(?:at|in|on|to|from|of|near|by|is|address|addr|office|home|lives?|residing|ship|deliver|visit))[ \t>*_-]{0,4}$/i
const ENDS_ADDRESS = /^\.?(?:$|[\s\\]*$|[,;:!?)\]}"'`<|\\\n\r]|\.?\s*[\n\r]|\. )/

/**
 * Finds a house number, one to four capitalised words and a word for street. The flat, town, state and postal code may
 * follow.
 */
export function findStreet({ text, start, end, rule, found }: Hit): void {
  if (isAlnum(text, end) || text[end] === '_') return
  const suffix = text.slice(start + 1, end)
  const whole = /^[A-Z][a-z]*$/.test(suffix) || /^(?:st|ave|rd|blvd|street|avenue|road)$/.test(suffix)
  if (!whole) return
  const head = HEAD.exec(text.slice(Math.max(0, start - 72), start + 1))?.[1]
  if (!head) return
  const from = start + 1 - head.length
  if (COUNTED.test(text.slice(Math.max(0, from - 12), from))) return
  const stop = text[end] === '.' && ' ,'.includes(text[end + 1] ?? 'x') ? end + 1 : end
  const to = endOfAddress(text, stop)
  // In `12 Background Drive uploads queued`, the words are not an address.
  if (
    to === stop &&
    !ENDS_ADDRESS.test(text.slice(to, to + 4)) &&
    !LEADS_TO_ADDRESS.test(text.slice(Math.max(0, from - 16), from))
  )
    return
  found.push({ start: from, end: to, rule, value: text.slice(from, to) })
  pushAddressee(text, from, found)
}

const HOUSE = /^stra(?:ß|ss)e \d{1,4} ?[a-z]?(?![\w])/u

/** Finds `Hauptstraße 12, 10115 Berlin`, where the house number follows the street. */
export function findGermanStreet({ text, start, rule, found }: Hit): void {
  const match = HOUSE.exec(
    text
      .slice(start, start + 64)
      .toLowerCase()
      .startsWith('stra')
      ? `stra${text.slice(start + 4, start + 64)}`
      : '',
  )
  if (!match) return
  const head = /(?:\p{Lu}[\p{L}.'-]{0,30}[ -])?\p{L}[\p{L}-]{0,30}$|(?:\p{Lu}\p{L}{1,30}(?:er)? )$/u.exec(
    text.slice(Math.max(0, start - 48), start),
  )
  const from = start - (head?.[0].length ?? 0)
  const end = endOfAddress(text, start + match[0].length)
  found.push({ start: from, end, rule, value: text.slice(from, end) })
  pushAddressee(text, from, found)
}

const ROMAN = /(?:^|[^\w.])(\d{1,4}(?: ?bis)?,? )$/
const NAMED =
  /^(?:[Rr]ue|[Aa]venue|[Bb]oulevard|[Bb]v?d\.?|[Aa]v\.?|[Ii]mpasse|[Cc]ours|[Pp]lace|[Rr]oute|[Pp]assage|[Ff]aubourg|[Cc]hemin|[Qq]uai|[Vv]enelle|[Aa]llée|[Rr]uelle|[Ss]entier|[Ss]quare)(?: (?:de|du|des|la|le|les|l'|d'|del|della|di|los|las))*(?: ?\p{Lu}[\p{L}'-]{1,24}){1,4}(?: [NSEO](?![\w]))?/u

/** `Via Roma 15`, `Avenida Paulista, 1578`: the house number follows the street. */
const BEHIND =
  /^(?:Via|via(?= (?:de[il]|della|delle) | [\p{L} ]{3,30} \d{1,4}, \d{5} \p{Lu})|Viale|viale|piazza|corso|vicolo|calle|pasaje|Pasaje|Pje\.|Jirón|Jr\.|Carrera|Cra\.|avenida|V\.le|Piazza|P\.zza|Corso|C\.so|Vicolo|Calle|C\/|Avenida|Avda\.?|Av\.|Paseo|Plaza|Carrer|Ronda|Camino|Rua|R\.|Praça|Travessa|Largo|Estrada|Rodovia|Alameda|Calea|Strada|Str\.|Jl\.|Jalan|Bulevardul|Leoforos|ul\.|al\.|os\.|pl\.|ulica|ulice|ul\. |aleja|улица|ул\.)(?: (?:de|del|della|delle|dei|di|dei|da|do|dos|das|la|las|los|el)){0,3}(?: (?:\p{Lu}[\p{Ll}'’.][\p{L}'’.-]{0,24}|\d{1,2} de \p{Lu}\p{Ll}{2,10}|[IVX]{1,5}|[A-Z])){1,4},? (?:[Nn](?:[º°.]|[ro]\.)? ?)?\d{1,5}(?:[/-](?:\d{1,4}|[A-Z]))?[a-zA-Z]?(?![\w%/]|[.-]\w)/u

/** Finds `12 rue de Rivoli`, where the house number precedes the street, and the addresses of `BEHIND`. */
export function findRomanceStreet({ text, start, rule, found }: Hit): void {
  // Most keywords of this rule also occur at the end of an English word: `your. `, `total. `.
  if (!beginsWord(text, start) || text.slice(start - 3, start) === 'et ') return
  const behind = BEHIND.exec(text.slice(start, start + 96))
  if (behind) {
    const stop = endOfAddress(text, start + behind[0].length)
    found.push({ start, end: stop, rule, value: text.slice(start, stop) })
    return
  }
  const head = ROMAN.exec(text.slice(Math.max(0, start - 12), start))?.[1]
  const tail = head && NAMED.exec(text.slice(start, start + 96))
  if (!head || !tail || !/\p{Lu}\p{L}/u.test(tail[0].slice(2))) return
  const from = start - head.length
  const end = endOfAddress(text, start + tail[0].length)
  found.push({ start: from, end, rule, value: text.slice(from, end) })
}
