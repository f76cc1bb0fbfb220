import { beginsWord, isAlnum, isLower } from '../../engine/character.ts'
import type { Hit, Findings } from '../../engine/findings.ts'
import { JOIN } from '../../rules/personal-labels.ts'
import { pushIdentity } from '../identity/learned-identity.ts'
import { isPersonName } from '../identity/person-name.ts'

const NAME =
  "\\p{Lu}[\\p{L}.'’-]{1,24}(?: (?:\\p{Lu}[\\p{L}.'’-]{0,24}|de|la|le|am|an der|im|do|del|upon|sur|\\d{1,2})){0,3}"
const CODE = '(?:[A-Z]{1,2}\\d[A-Z\\d]? ?\\d[A-Z]{2}|[A-Z]\\d[A-Z] ?\\d[A-Z]\\d|\\d{4,6}(?:-\\d{3,4})?)(?![\\w-])'

/** The parts after a house number: stairs and flat, postal code and town in either order, town, or postal code. */
const PARTS = [
  new RegExp(
    `,? ?(?:[Aa]pt|[Aa]partment|[Ss]uite|[Ss]te|[Uu]nit|[Ff]loor|[Ff]l|[Ff]lat|[Aa]p(?:to)?|[Pp]iso|[Pp]uerta|[Bb]loco|[Ss]tiege|[Tt]op|[Bb]l|[Ss]c|[Ee]t|[Ii]nt|D|No|m|lok|кв|оф|корп|стр|под|д|#)[.:]? ?#?[A-Z]?\\d[\\w-]{0,5}(?![\\w])`,
    'uy',
  ),
  /,? ?\d{1,2} ?[ºª°](?: ?(?:\d{1,2} ?[ºª°]|izq|dcha|der|[A-Z])\.?)?(?![\w])/uy,
  new RegExp(
    `(?:,? |,?\\n {0,4})(?:[A-Z]{1,2}-)?(?:\\d{5}(?:-\\d{3,4})?|\\d{4}(?:-\\d{3}| ?[A-Z]{2})?|\\d{3} \\d{2}|\\d{2}-\\d{3}) ${NAME}`,
    'uy',
  ),
  new RegExp(`(?:,? |,?\\n {0,4})${NAME}(?:,? ?(?:[A-Z]{2,3}))?,? ${CODE}`, 'uy'),
  new RegExp(`, ${NAME}(?:, ?[A-Z]{2}(?: \\d{5}(?:-\\d{4})?)?|/${NAME}| ?- ?[A-Z]{2})?(?![\\w])`, 'uy'),
  new RegExp(`,? ${CODE.replace('\\d{4,6}(?:-\\d{3,4})?', '\\d{5}(?:-\\d{4})?')}`, 'uy'),
] as const

/** Returns the end of an address whose street and number end at `at`. Reads at most four more parts. */
function endOfAddress(text: string, at: number): number {
  let end = at
  for (let count = 0; count < 4; count++) {
    const part = PARTS.find((one) => {
      one.lastIndex = end
      return one.test(text)
    })
    if (!part) break
    end = part.lastIndex
  }
  return end
}

/**
 * Returns whether a town and its postal code follow, in either order. If so, the word and the number before them are a
 * street.
 */
const isFollowedByTown = (text: string, at: number): boolean =>
  PARTS.slice(2, 4).some((one) => {
    one.lastIndex = at
    return one.test(text)
  })

const ADDRESSEE = { id: 'addressee', category: 'person', placeholder: 'PERSON', kind: 'probable' } as const

/** Adds the name of a person if this name is the whole line above an address. */
function pushAddressee(text: string, address: number, found: Findings): void {
  const name = /(?:^|\n)[> ]{0,4}([^\n]{5,60})\n[> ]{0,4}$/
    .exec(text.slice(Math.max(0, address - 70), address))?.[1]
    ?.trim()
  if (name && isPersonName(name))
    pushIdentity({ kind: 'person', value: name, start: text.lastIndexOf(name, address), rule: ADDRESSEE }, found)
}

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

const GERMAN_HOUSE = /^stra(?:ß|ss)e \d{1,4} ?[a-z]?(?![\w])/u

/** Finds `Hauptstraße 12, 10115 Berlin`, where the house number follows the street. */
export function findGermanStreet({ text, start, rule, found }: Hit): void {
  const match = GERMAN_HOUSE.exec(
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
  // An initial of a name (`J. R. Tolkien 1`), or the unit baud (`1200 Bd Bell`).
  if (/\p{Lu}\. ?$|(?:300|[1-9]\d?[26]00) $/u.test(text.slice(Math.max(0, start - 6), start))) return
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

const HOUSE = /\d{1,4}(?: ?[a-zA-Z](?![\w]))?(?:[-/]\d{1,3})?(?![\w%:=]|\.\d)/y
const BEFORE =
  /(?:(?:(?:An?|Am|Auf|Bei|Im|In|Zur?|Zum|Unter|Alte[rn]?|Neue[rn]?|Große|Kleine|Karl|Sankt|St\.|Obere|Untere)(?: de[rmn])? )|(?:\p{Lu}[\p{L}.'’-]{1,24} )){0,3}(\p{Lu}[\p{L}'’-]{0,30}[-]?)?\p{L}{0,3}$/u
/** Endings of street names that also occur in other words. They count only if a town follows. */
const WEAK = /(?:ring|hof|park|markt|berg|gate|gade|tie|kade|singel|t[eé]r|vej|dreef|steeg|vad|pl)\.?$/i
/** Words that end like names of streets but are not names of streets. */
const NONE =
  /^(?:String|Spring|Monitoring|Brigade|Navigate|Marketplatz|Arbeitsplatz|Speicherplatz|Norweg|Parkplatz|Sitzplatz|Stellplatz|Startplatz|Upgrade|Gen)$/

/**
 * Finds `Rosenweg 12`, `Prinsengracht 263`, `Drottninggatan 71, 111 36 Stockholm`: a name that ends with a word for
 * street, then a number.
 */
export function findStreetSuffix({ text, start, end, rule, found }: Hit): void {
  HOUSE.lastIndex = end
  const house = HOUSE.exec(text)
  if (!house) return
  const head = BEFORE.exec(text.slice(Math.max(0, start - 64), start + 1))
  if (!head || head[0] === '') return
  const name = text.slice(start + 1 - head[0].length, end - 1)
  const last = name.slice(name.lastIndexOf(' ') + 1)
  const stop = end + house[0].length
  if (!/\p{Lu}/u.test(last.charAt(0)) && last.length > 8) return
  if (
    name.length === end - 1 - start ||
    (NONE.test(last) && !isFollowedByTown(text, stop)) ||
    !/^\p{Lu}/u.test(name) ||
    last === last.toUpperCase() ||
    (WEAK.test(last) && !isFollowedByTown(text, stop))
  )
    return
  const to = endOfAddress(text, stop)
  const from = start + 1 - head[0].length
  found.push({ start: from, end: to, rule, value: text.slice(from, to) })
  pushAddressee(text, from, found)
}

/**
 * A postal code and a town: `70197 Stuttgart`, `9717 CA Groningen`, `61-881 Poznań`. If a street and a number precede
 * them, the label of the address does not need a colon.
 */
const CODE_AND_TOWN = String.raw`(?:\d{4,5}(?: [A-Z]{2})?|\d{2}-\d{3}) \p{Lu}\p{Ll}`
/**
 * The text from a label to its value: the rest of the label, quotes, a colon, an equals sign, the end of a tag, or a
 * word for "is".
 */
const BEHIND_LABEL = new RegExp(
  String.raw`[\p{L}_]{0,16}(?:[ _-]?(?:line|[zZ]eile))?[ _-]?1?(?: [\p{L}]{1,14})?(?:["'\\]{0,4}(?:[ \t]{0,24}(?:=>|={2,3}|[:=：])[ \t]{0,2}|>| to )["'\\]{0,4}(?=[^\s"'\\<*(\[{])|${JOIN}| (?=\p{Lu}[\p{L}.'’ -]{2,40} \d{1,4} ?[a-z]?(?:[/-]\d{1,4})?, ${CODE_AND_TOWN}))`,
  'uy',
)
const QUOTED = /[^"\n\\<>{}=$|*@;]{6,140}(?=["\\])/y
const PLAIN = /[^"'\n\\<>{}=$|*@;&\t[\]()]{6,120}/y

/** A house number that is not part of a word, a version, a size or a time. */
const NUMBER =
  /(?<![\w.:/#+])(?<!\d-)(?:\d{1,6}(?:[-/]\d{1,4})?(?: ?[a-zA-Z])?)(?![\w%:=]|\.\d)|\d(?:号|號|番|丁目|[-−ー－]\d)/u
const WORD =
  /\p{Lu}\p{L}?[\p{Ll}'’.-]{2,}|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af\p{sc=Hebr}\p{sc=Arab}\p{sc=Thai}]{3}/u
/**
 * The beginnings of technical values after a label for an address, such as a memory address, a URL, or the words `Line`
 * and `Port`.
 */
const TECHNICAL =
  /^(?:0x|\d{1,3}\.\d{1,3}\.|[a-z]+:\/\/|localhost|(?:Line|Index|Port|Block|Page|Offset|Slot|Register|Node|Step|Server|Host|Table|Column|Type|Version|Chapter|Section|Error|Issue|Invalid|Memory|Bus|Device|Byte|Level|Email|Mail|Street|Address|Test|Item|Example|Option|Field|Value|User|Customer|Company|Bank|Wallet|Contract|Token|Public|Private|The|This|These|Use|See|Add|If|It|No|Not)\b)/
const UNITS =
  /\d+ (?:bytes?|bits?|of|or|and|to|items?|entries|characters?|chars|words?|is|are|seconds?|minutes?|ms|MB|GB|KB|times|lines?|columns?|more|different|new|issues?|comments?|points?)\b/

/** Finds an address after the name of a field or after a label, in the form of any country. */
export function findLabelledAddress({ text, start, end, rule, found }: Hit): void {
  // The keyword is inside a word. Only `adress` counts there, as in `Lieferadresse`.
  if (isLower(text, start - 1) && isLower(text, start) && !text.startsWith('adress', start)) return
  // The keyword `stra` counts in `strasse`, `straat` and `strada`, but not in `strategy`.
  if (end - start === 4 && /^stra/i.test(text.slice(start, end)) && !/^(?:ß|ss|at|da)/i.test(text.slice(end, end + 2)))
    return
  // The keyword is the beginning of a verb: `addressed`.
  if (/^(?:ess)?(?:ed|ing|able)\b/.test(text.slice(end, end + 8))) return
  if (text.charCodeAt(start) > 127 && found.isCrowded(start, 'address')) return
  BEHIND_LABEL.lastIndex = end
  const join = BEHIND_LABEL.exec(text)
  if (!join) return
  const from = end + join[0].length
  const quoted = text[from - 1] === '"'
  const shape = quoted ? QUOTED : PLAIN
  shape.lastIndex = from
  let value = shape.exec(text)?.[0]
  if (!value) return
  if (!quoted)
    value =
      /^.{12,}?(?:\p{Ll}{4}|\d{4})(?=[.!?] \p{Lu}| (?:svp|please|and|und|et|for now)\b)/u.exec(value)?.[0] ?? value
  value = value.replace(/[\s,.]+$/, '')
  if (
    value.length < 6 ||
    TECHNICAL.test(value) ||
    UNITS.test(value) ||
    !NUMBER.test(value) ||
    !WORD.test(value) ||
    /[_]|::|\p{Ll}{3}:\p{L}|\d{7}|^\d{1,3}[.)] |^\d+ {2}|\p{Ll}\p{Lu}/u.test(value)
  )
    return
  const words = value.split(/[\s,]+/).length
  const isUncased = /[\u3040-\u9fff\uac00-\ud7af\p{sc=Hebr}\p{sc=Arab}\p{sc=Thai}]/u.test(value)
  if (
    !isUncased &&
    (words < 2 ||
      words > 16 ||
      !/^[\p{Lu}\d]|^(?:ul|al|os|av|c|bd|rue|via|пл|ул|г|вул|м|пр|пер|бул|đường|проспект|улица|вулиця|по)[./ ]/u.test(
        value,
      ))
  )
    return
  found.push({ start: from, end: from + value.length, rule, value })
}

const FORWARD =
  /[\u3040-\u30ff\u4e00-\u9fff]{1,18}?(?:(?:路|街|道|巷|弄|里|村|镇|鎮|乡|鄉)[\u4e00-\u9fff]{0,6}?[0-9０-９]{1,5} ?(?:号|號|弄|巷|段)?[\u4e00-\u9fff0-9０-９-]{0,16}|[0-9０-９]{1,4}(?:[-−ー－‐][0-9０-９]{1,4}){1,3}|[0-9０-９一二三四五六七八九十]{1,3}丁目[0-9０-９番地号−ー－-]{0,12})/uy
const BACK = /[\u4e00-\u9fff]{1,8}$/u
const SPEECH = /^.*(?:住在|位于|在|是|住所|地址|寄到|送到|我|に|は|を)/u

/** Finds `北京市朝阳区建国路93号`, `東京都渋谷区神南1-19-11`: a district, a street and a number. */
function findEast({ text, start, end, rule, found }: Hit): void {
  FORWARD.lastIndex = end
  const match = FORWARD.exec(text)
  if (!match) return
  const back = (BACK.exec(text.slice(Math.max(0, start - 8), start))?.[0] ?? '').replace(SPEECH, '')
  const from = start - back.length
  const to = end + match[0].length
  found.push({ start: from, end: to, rule, value: text.slice(from, to) })
}

const KOREAN =
  /[가-힣]{1,8}(?:시|도|군|구)(?: [가-힣]{1,8}(?:시|군|구|읍|면|동)){0,2} [가-힣0-9]{1,12}(?:로|길|동)(?: ?\d{1,4}번?길)? ?\d{1,4}(?:-\d{1,4})?(?!\d)/u

/** Finds `서울특별시 강남구 테헤란로 152`. */
function findKorean({ text, start, end, rule, found }: Hit): void {
  const floor = Math.max(0, start - 24)
  const match = KOREAN.exec(text.slice(floor, end + 16))
  if (match)
    found.push({ start: floor + match.index, end: floor + match.index + match[0].length, rule, value: match[0] })
}

const SLAVIC =
  /(?:ул(?:ица|иця|\.)|вул(?:иця|\.)|проспект|пр(?:-?к?т|осп)?\.?|пер(?:еулок|\.)|пров(?:улок|\.)|б(?:ульвар|ул\.|-р)|пл(?:ощадь|оща|\.)|шоссе|ш\.|наб(?:ережная|\.)) ?(?:\d{1,3}(?:-?[а-яі]{1,3})? )?(?:[А-ЯІЇЄҐ][\p{L}.-]{0,24} ?){1,4},? ?(?:д(?:ом|\.)|буд(?:инок|\.))? ?\d{1,4}[а-яА-Я]?(?:[/-]\d{1,4})?(?:,? ?(?:корп|к|стр|кв|оф|под)\.? ?\d{1,4}){0,3}(?!\d)/uy

/** Finds `ул. Тверская, д. 17, кв. 42`, `вул. Хрещатик, 22`: the word for street, its name, house and flat. */
function findSlavic({ text, start, rule, found }: Hit): void {
  if (/[\p{L}]/u.test(text[start - 1] ?? ' ') && text[start - 2] !== '\\') return
  SLAVIC.lastIndex = start
  const match = SLAVIC.exec(text)
  if (match) found.push({ start, end: start + match[0].length, rule, value: match[0] })
}

const TURKISH =
  /(?:\p{Lu}[\p{L}.]{1,24} ){1,4}(?:Mah(?:allesi)?|Sok(?:ağı?|ak)?|Cad(?:desi)?|Bulvarı|Blv)\.?(?: (?:(?:\p{Lu}[\p{L}.]{1,24}|\d{1,5}\.?) ){1,4}(?:Sok(?:ağı?|ak)?|Cad(?:desi)?|Bulvarı|Blv)\.?)?,? ?No ?[:.] ?\d{1,4}[A-Za-z/]{0,3}\d{0,3}(?:,? ?(?:D|Daire|Kat|K)\.?:? ?\d{1,3}){0,2}(?:,? \p{Lu}\p{L}{2,20}(?:\/\p{Lu}\p{L}{2,20})?)?/u

/** Finds `Atatürk Mah. Lale Sok. No: 14 D: 5 Ataşehir/İstanbul`. */
function findTurkish({ text, start, end, rule, found }: Hit): void {
  const floor = Math.max(0, start - 96)
  const match = TURKISH.exec(text.slice(floor, end + 64))
  if (match)
    found.push({ start: floor + match.index, end: floor + match.index + match[0].length, rule, value: match[0] })
}

/** Finds an address in the form that is usual in the script of the keyword. */
export function findEasternAddress(hit: Hit): void {
  const code = hit.text.charCodeAt(hit.start)
  const find = code < 0x400 ? findTurkish : code < 0x600 ? findSlavic : code >= 0xac00 ? findKorean : findEast
  find(hit)
}
