import type { IsPublished, Pages } from '../../engine/merge.ts'
import type { Finding } from '../../engine/rule.ts'
import { LISTED_COMPANY } from '../../rules/nobody.ts'
import {
  CODES_OF_FICTION,
  EDGE_NETWORKS,
  EXAMPLE_IBANS,
  EXAMPLE_IDS,
  EXAMPLE_MACS,
  FICTION,
  PUBLIC_HOSTS,
  TEST_CARD_BEGINNING,
  TEST_CARDS,
  TOWNS,
} from '../../rules/published-values.ts'
import { networkMatcher } from './network.ts'

/**
 * Words in texts about tests, examples and documents, and names that occur only in examples. Without such a word
 * nearby, a published example number is still replaced, because people also write it instead of their own number.
 */
const EXAMPLES =
  /(?<![\p{L}])(?:tests?|testing|sandbox|examples?|sample|docs?|documentation|documented|tutorial|fiction(?:al)?|drama|dummy|fake|mock(?:s|ed)?|fixtures?|stubs?|placeholders?|wikipedia|rfc ?\d+|specimen|regex|regexp|luhn|check ?(?:sum|digit)|mod[ -]?97|validat(?:e|es|or|ion|ing)|stripe|adyen|braintree|cypress|playwright|jest|vitest|pytest|expect|assert(?:s|equals?|that)?|describe|faker|lorem|foobar|example\.(?:com|org|net)|(?:john|jane) doe|mustermann|acme|reserved|beispiel(?:e|daten)?|testkarten?|testdaten|exemples?|ejemplos?|prueba|esempi[oi]?|exemplos?|voorbeeld(?:en)?|przykład\p{L}{0,3}|příklad|пример\p{L}{0,2}|тест\p{L}{0,6}|例|示例|测试|テスト|예시|테스트)(?![\p{L}])|\b[ps]k_test_/iu

/** Words for public places, such as `museum` or `airport`, and for lists of such places. */
const PLACES =
  /(?<![\p{L}])(?:landmarks?|monuments?|towers?|opera|cathedral|basilica|museums?|airports?|stadiums?|stations?|bahnhof|flughafen|gare|bridges?|castles?|schloss|palace|palais|square|plaza|piazza|harbou?r|university|capitals?|cit(?:y|ies)|towns?|villes?|st[aä]dte|ciudad(?:es)?|citt[aà]|countr(?:y|ies)|mount(?:ain)?s?|peaks?|islands?|lakes?|volcano(?:es)?|poi|pois|geonames|(?:\p{L}{3,} )?tor|statue|temple|memorial|observatory|zoo|beach|building|park|geofence)(?![\p{L}])/iu
/** Words near the place where a person lives or is. */
const OF_SOMEBODY =
  /(?<![\p{L}])(?:home|my|mine?|our|wir|casa|maison|user|patient|driver|courier|customer|guest|victim|device|phone|exif|photo|last_?seen|live[sd]?|address|delivery|pickup|employee|student|resident|wohn\p{L}*)(?![\p{L}])/iu

/**
 * Signs of a company's page: a register, a register number, a type of structured data. The regular expression does not
 * have the flag `u`, which would make it 25 times slower.
 */
const IMPRINT =
  /schema\.org\/?(?:Organization|Corporation)|"@type": ?"(?:Organization|Corporation)"|registergericht|amtsgericht|\bHRB ?\d|\bimpressum|\bimprint\b|handelsregister|companies house|registered (?:office|in england)|company (?:registration )?(?:no|number)|registro mercantil|registre du commerce|\bRCS [a-z\u00c0-\u024f]|\bKvK\b|\bCVR\b|investor relations|\bSEC file/i
/** Words near a phone number for the public. */
const HOTLINE =
  /(?<![\p{L}])(?:(?:crisis|help|life|info|customer|hot)[ -]?lines?|hotline|helpline|lifeline|support|service|toll[ -]free|numéro vert|telefonseelsorge|customer (?:care|service)|switchboard|zentrale)(?![\p{L}])/iu
/** Addresses of the publishers of licences, and of fictional people. */
const PUBLIC_ADDRESS =
  /^(?:51 Franklin St|59 Temple Pl|31 Milk St|675 Mass(?:\.|achusetts)? Ave|(?:500|2300) Oracle (?:Pkwy|Parkway|Way)|4150 Network Cir|901 San Antonio|171 (?:2nd|Second) St|559 Nathan Abbott|1600 Amphitheatre|(?:1|One) (?:Infinite Loop|Microsoft Way)|123 Fake St|221B Baker|10 Downing)/i
/** The sample towns and streets that manuals use in addresses. */
const ANYTOWN = /\b(?:any ?town|anyville|springfield, USA|musterstadt|musterstr)/i
/** Words near a company that belongs to one person. */
const OWNED =
  /(?<![\p{L}])(?:inhaber(?:in)?|owner|sole trader|freelanc\p{L}*|einzelunternehm\p{L}*|e\.?K\.)(?![\p{L}])/iu

/** Separates the words of names such as `supportHotline`. */
const splitNames = (text: string): string => text.replace(/([a-z])(?=[A-Z])/g, '$1 ')

/**
 * Returns a finding with up to `before` characters before it and `after` characters after it, with the words of names
 * separated.
 */
const around = (text: string, { start, end }: Finding, before: number, after: number): string =>
  splitNames(text.slice(Math.max(0, start - before), end + after))

/** Returns the line that contains a finding, with up to 160 characters before and after the finding. */
function lineAround(text: string, { start, end }: Finding): string {
  const before = text.slice(Math.max(0, start - 160), start)
  const after = text.slice(end, end + 160)
  return `${before.slice(before.lastIndexOf('\n') + 1)} ${after.replace(/\n[^]*/, '')}`
}

/** The size of a page (a part of a text), in characters. Each page with its surroundings is read only once. */
const PAGE = 512

/** Returns whether a word for tests, examples or documents is near a finding. */
function isAmongExamples(text: string, { start }: Finding, pages: Pages): boolean {
  const page = Math.floor(start / PAGE)
  let isAmong = pages.get(`examples ${page}`)
  if (isAmong === undefined) {
    isAmong = EXAMPLES.test(splitNames(text.slice(Math.max(0, page * PAGE - 400), (page + 1) * PAGE + 240)))
    pages.set(`examples ${page}`, isAmong)
  }
  return isAmong
}

const towns = TOWNS.split(/\s+/).map((town) => town.split(',').map(Number) as [number, number])
const fiction = new RegExp(`^(?:${FICTION.replace(/\s+/g, '|')})`)

const isTestCard = (digits: string): boolean => TEST_CARDS.has(digits) || digits.startsWith(TEST_CARD_BEGINNING)

/**
 * Returns whether a phone number is in a range for films, or contains ascending digits. The form may be national or
 * international.
 */
function isFictionalPhone(value: string): boolean {
  const digits = value.replace(/\D/g, '').replace(/^00/, '')
  if (digits.includes('1234567')) return true
  if (digits.startsWith('0')) return CODES_OF_FICTION.some((code) => fiction.test(code + digits.slice(1)))
  return fiction.test(digits) || /^(?:1?\d{3})?55501\d\d$|^1?555[01]\d{6}$|^1?500555\d{4}$/.test(digits)
}

/** Returns whether calls to a number are free. Only companies and authorities have such numbers. */
const isTollFree = (value: string): boolean =>
  /^(?:1?8(?:00|33|44|55|66|77|88)\d{7}|0?0?800\d{6,8}|1[38]00\d{6}|(?:44|49|33|39|34)800\d{6,7})$/.test(
    value.replace(/\D/g, ''),
  )

/** Returns whether a number is an example in an article about this kind of number, or is in a range for examples. */
const isExampleId = (value: string): boolean => {
  const bare = value.replace(/[^\p{L}\d]/gu, '').toUpperCase()
  // `UTO` is Utopia, the country on specimens of travel documents.
  return (
    EXAMPLE_IDS.has(bare) ||
    /^[PIAC][\p{L}<]UTO/u.test(value.toUpperCase()) ||
    /^98765432\d$|^QQ\d{6}[A-D]?$|^999\d{7}$/.test(bare)
  )
}

/** Returns whether a latitude and a longitude, in any order, are near the centre of a town. */
const isTown = ([a = NaN, b = NaN]: readonly number[]): boolean =>
  towns.some(([latitude, longitude]) => {
    const isNear = (one: number, other: number): boolean => Math.abs(one - other) < 0.021
    return (isNear(a, latitude) && isNear(b, longitude)) || (isNear(b, latitude) && isNear(a, longitude))
  })

/** Returns the coordinates in a part of a text. */
const numbersIn = (text: string): readonly number[] => (text.match(/-?\d{1,3}\.\d{1,16}/g) ?? []).map(Number)

/** Returns the pairs of coordinates to which a finding may belong: it is a pair, or one half before or after the other. */
function pairsOf(text: string, { start, end }: Finding): readonly (readonly number[])[] {
  const [a = NaN, b] = numbersIn(text.slice(start, end))
  if (b !== undefined) return [[a, b]]
  const others = [numbersIn(text.slice(Math.max(0, start - 56), start)).at(-1), numbersIn(text.slice(end, end + 56))[0]]
  return others.map((other = NaN) => [a, other])
}

/**
 * Returns whether coordinates belong to a public place. A place with at most four decimals is also public if it is near
 * the centre of a town, or if its record names a kind of place.
 */
function isPublicPlace(text: string, finding: Finding): boolean {
  const isRough = !/\.\d{5}/.test(text.slice(finding.start, finding.end))
  if (isRough && pairsOf(text, finding).some(isTown)) return true
  const record = isRough ? around(text, finding, 160, 60) : lineAround(text, finding)
  return PLACES.test(record) && !OF_SOMEBODY.test(around(text, finding, 120, 60))
}

/** The labels of a public place in a guide in Markdown. */
const GUIDE = /\*\*address(?::\*\*|\*\*:)[^]{1,200}\*\*coordinates(?::\*\*|\*\*:)/i
const GUIDE_LABEL = /\*\*(?:address|coordinates)(?::\*\*|\*\*:)\s{0,3}$/i
/** Returns whether a value is in the record of a place in a guide, which contains an address and coordinates. */
function isInGuide(text: string, { start, end }: Finding): boolean {
  const before = text.slice(Math.max(0, start - 200), start)
  if (!GUIDE_LABEL.test(before.slice(-24))) return false
  const record = before + text.slice(start, end + 60)
  return (
    GUIDE.test(record) && !OF_SOMEBODY.test(record.replace(/\*\*address/i, '')) && !/patient|i live|flat/i.test(record)
  )
}

/** Returns whether a value is in the imprint of a well-known company. */
function isOfListedCompany(text: string, { start }: Finding, pages: Pages): boolean {
  const number = Math.floor(start / PAGE)
  let isListed = pages.get(number)
  if (isListed === undefined) {
    const page = text.slice(Math.max(0, number * PAGE - 400), number * PAGE + PAGE + 300)
    isListed = IMPRINT.test(page) && LISTED_COMPANY.test(page) && !OWNED.test(page)
    pages.set(number, isListed)
  }
  return isListed
}

/** Returns whether a number is an example of its kind, or the VAT number of a well-known company. */
function isExampleOrVat(text: string, finding: Finding, pages: Pages): boolean {
  if (finding.rule.placeholder === 'VAT' && isOfListedCompany(text, finding, pages)) return true
  return isExampleId(finding.value) && isAmongExamples(text, finding, pages)
}

/** A word or punctuation mark before the address of a machine. */
const OF_MACHINE = /(?:ip|addr(?:ess)?|client|peer|remote|host|server|from|to|ping|:\/\/)[^\n\w]{0,4}$/i
/** A version of four parts, one of which is above 255. Browser versions, which follow a slash, do not match. */
const LONG_VERSION = /(?<![\d./])(?=[\d.]*(?:\d{4}|2[6-9]\d|25[6-9]|[3-9]\d\d))\d{1,5}(?:\.\d{1,5}){3}(?![\d.])/

/** Returns whether a value is probably a version, because a version of four parts is nearby. */
const isAmongVersions = (text: string, finding: Finding): boolean =>
  !finding.value.includes(':') &&
  // At the start of a line the value is an address, as in logs.
  finding.start > 0 &&
  text[finding.start - 1] !== '\n' &&
  !OF_MACHINE.test(text.slice(Math.max(0, finding.start - 16), finding.start)) &&
  LONG_VERSION.test(around(text, finding, 200, 200))

const isInEdgeNetwork = networkMatcher(EDGE_NETWORKS)

/** A word for servers that answer everybody, and a list of addresses without other words after it. */
const NAME_SERVERS =
  /(?:name_?servers?|\bresolvers?|\bopennic|\broot[ _-]servers?|\bforwarders?)\b(?:[^g-z]|\$\{[\w.]{1,40}\})*$/i
/** Names of well-known sites, without accounts at them. */
const SITE = String.raw`(?<![\w@.-])(?:www\.)?(?:example|google|github|cloudflare|facebook|microsoft|amazon|apple|wikipedia)\.(?:com|org|net)(?![\w-])`
/** A well-known site directly before or after its address: `google.com resolves to`, ` # example.com`. */
const BEHIND_SITE = new RegExp(`${SITE}(?:\\W{1,12}|(?: resolves? to| has address| is at?) )["'\`]?$`, 'i')
const BEFORE_SITE = new RegExp(`^["'\`,)\\]]{0,2}\\s{1,8}(?:(?:#|//|--|->|=>|;|\\()\\s?)?${SITE}`, 'i')

/** Returns whether an address is in a list of name servers, or directly beside the name of a well-known site. */
function isOfPublicService(text: string, { start, end }: Finding): boolean {
  const before = text.slice(Math.max(0, start - 160), start)
  if (/server|resolver|opennic|forwarder/i.test(before) && NAME_SERVERS.test(before)) return true
  return BEHIND_SITE.test(before.slice(-48)) || BEFORE_SITE.test(text.slice(end, end + 48))
}

/** For each category, a function that returns whether a finding is a public value. */
const published: Readonly<Record<string, IsPublished>> = {
  card: (text, finding, pages) => isTestCard(finding.value.replace(/\D/g, '')) && isAmongExamples(text, finding, pages),
  bank_account: (text, finding, pages) =>
    EXAMPLE_IBANS.has(finding.value.replaceAll(' ', '').toUpperCase()) && isAmongExamples(text, finding, pages),
  phone: (text, finding, pages) =>
    (isFictionalPhone(finding.value) && isAmongExamples(text, finding, pages)) ||
    (isTollFree(finding.value) && HOTLINE.test(around(text, finding, 60, 40))) ||
    isOfListedCompany(text, finding, pages),
  ip_address: (text, finding) =>
    PUBLIC_HOSTS.has(finding.value) ||
    isInEdgeNetwork(finding.value) ||
    isOfPublicService(text, finding) ||
    isAmongVersions(text, finding),
  coordinates: (text, finding) => isPublicPlace(text, finding) || isInGuide(text, finding),
  street_address: (text, finding, pages) =>
    PUBLIC_ADDRESS.test(text.slice(finding.start, finding.start + 40)) ||
    ANYTOWN.test(around(text, finding, 0, 24)) ||
    isInGuide(text, finding) ||
    isOfListedCompany(text, finding, pages),
  government_id: isExampleOrVat,
  ssn: isExampleOrVat,
  device_id: isExampleOrVat,
  mac_address: (_text, { value }) => EXAMPLE_MACS.test(value.toLowerCase().replace(/[-.]/g, ':')),
}

/** Returns whether a finding is a public value that identifies no person, by public lists and the text nearby. */
export const isPublished: IsPublished = (text, finding, pages) =>
  published[finding.rule.category]?.(text, finding, pages) ?? false
