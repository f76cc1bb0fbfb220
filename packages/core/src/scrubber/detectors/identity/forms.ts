import type { KnownForm } from '../../engine/rule.ts'
import { commonWords } from '../../rules/common-words.ts'

/** Returns a text without diacritics, because many people write names without diacritics. */
const stripMarks = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/ß/g, 'ss')
    .replace(/ø/gi, 'o')
    .replace(/ł/gi, 'l')
    .replace(/ı/g, 'i')
/** Returns a text with its letters spelled in ASCII, as in German and Nordic languages: `Jürgen` as `Juergen`. */
const spellOut = (text: string): string =>
  text.replace(/[äæ]/gi, 'ae').replace(/[öø]/gi, 'oe').replace(/ü/gi, 'ue').replace(/å/gi, 'aa').replace(/ß/g, 'ss')
/** Cyrillic and Greek letters, each followed by the Latin letters that replace it in passports and accounts. */
const ROMAN = new Map<string, string>(
  Array.from(
    `а a б b в v г g д d е e ж zh з z и i к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts ч ch ш sh щ shch ы y э e ю
yu я ya і i є ye ґ g ђ dj ј j љ lj њ nj ћ c џ dz ѕ dz α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r
σ s ς s τ t υ y φ f χ ch ψ ps ω o`.matchAll(/(\S+)\s(\S+)/g),
    ([, letter = '', roman = '']) => [letter, roman],
  ),
)
/** Returns a Cyrillic or Greek name in Latin letters: `Загорчинов` as `Zagorchinov`. */
export const romanize = (text: string): string =>
  stripMarks(text).replace(/[\u0370-\u04ff]/g, (letter) => {
    const roman = ROMAN.get(letter.toLowerCase()) ?? ''
    return letter === letter.toLowerCase() ? roman : roman.charAt(0).toUpperCase() + roman.slice(1)
  })
/** Returns a name in Latin letters: without diacritics, and with its letters spelled in ASCII. */
export const latinForms = (text: string): string[] => [stripMarks(romanize(text)), stripMarks(spellOut(text))]

/** The kind of an identity. The kind decides in which forms the value is searched elsewhere. */
export type IdentityKind = 'person' | 'account' | 'organization' | 'host' | 'id'

const WORD = /[\p{L}\p{M}\d'’]+/gu
const ASCII = /^[\x00-\x7f]*$/
export const PARTICLE =
  /^(?:de|da|del|della|der|den|dos|das|di|do|du|la|le|van|von|zu|bin|ibn|al|el|ter|ten|ni|ní|mac|mc|jr|sr|dr|mr|mrs|ms|prof|phd|ii|iii)\.?$/iu
/**
 * Legal forms at the end of company names, in words without full stops: `Pvt Ltd`, `S.L.`, `sp. z o.o.`.
 * https://en.wikipedia.org/wiki/List_of_legal_entity_types_by_country
 */
const LEGAL = new Set(
  `inc incorporated llc llp lp ltd limited plc corp corporation co company pty pte pvt private gmbh mbh ag kg kgaa ohg
gbr ug ev eg se sa sas sasu sarl srl spa sl slu rl cv de s ltda lda eireli bv nv oy oyj ab as asa aps ehf ou oü uab sia kft zrt
nyrt sp z oo zoo k sro doo dd ood eood ead aş şti ооо зао пао оао тов kk gk sdn bhd tbk jsc cjsc pjsc`.split(/\s/),
)
const LEGAL_IN_ASIA = /^(?:株式会社|有限会社|合同会社|주식회사|㈜)\s*|\s*(?:株式会社|有限会社|有限公司|주식회사)$/

/** Returns a company's name without its legal form. */
function withoutLegalForm(name: string): string {
  const words = name
    .replace(LEGAL_IN_ASIA, '')
    .trim()
    .split(/(?<=[\s,])(?=[^\s,])/)
  const isLegal = (word: string): boolean => LEGAL.has(word.replace(/[.,/\s]/g, '').toLowerCase())
  while (words.length > 1 && isLegal(words.at(-1) ?? '')) words.pop()
  return words.join('').replace(/[,\s]+$/, '')
}

/**
 * Returns the forms in which an identity may occur again in the trace that revealed it. For a person: the name with
 * dots, hyphens or nothing between its words, each word alone, and these forms without diacritics. For an organization:
 * the name without its legal form.
 */
export function formsOf(kind: IdentityKind, value: string): readonly KnownForm[] {
  const forms = new Map<string, KnownForm>()
  const add: Add = (text, how = {}) => {
    for (const form of writtenForms(text))
      if (form.length > 2 && !forms.has(form.toLowerCase())) forms.set(form.toLowerCase(), { text: form, ...how })
  }
  if (kind === 'person') addPerson(value, add)
  else if (kind === 'organization') addOrganization(value, add)
  else if (kind === 'id') add(value)
  else if (kind === 'host') addHost(value, add)
  else addAccount(value, add)
  return [...forms.values()]
}

/** Letters of Turkish and Azerbaijani, in which the capital letter of `i` is `İ`. */
const TURKIC = /[ığşİĞŞ]/
const inCapitals = (text: string): string[] => (TURKIC.test(text) ? [text.toLocaleUpperCase('tr')] : [])

/**
 * Returns the spellings of a text: unchanged, without diacritics, and with each form of the apostrophe (straight,
 * typographic, doubled as in SQL).
 */
function writtenForms(text: string): Iterable<string> {
  const forms = ASCII.test(text) ? [text] : [...new Set([text, stripMarks(text), spellOut(text), ...inCapitals(text)])]
  if (!/['’]/.test(text)) return forms
  return forms.flatMap((form) => ["'", '’', "''"].map((mark) => form.replace(/['’]/g, mark)))
}

type Add = (text: string, how?: Omit<KnownForm, 'text'>) => void

function addPerson(value: string, add: Add): void {
  if (/[\u0370-\u04ff]/.test(value)) addPerson(romanize(value), add)
  const words = (value.match(WORD) ?? []).filter((word) => word.length > 1)
  add(value, words.length > 1 ? {} : { isPart: true })
  if (words.length > 1) addJoined(words, add)
  const names = words.filter((word) => !PARTICLE.test(word))
  const [first, last] = [names[0], names.at(-1)]
  if (first && last && names.length > 1) {
    addJoined([first, last], add)
    add(`${last}, ${first}`)
    addJoined([last, first], add)
    addShortened(first, last, add)
  }
  if (names.length > 2 && first && last) addOfSeveral(names, first, last, add)
  const endings = SLAVIC.test(value) ? caseEndings : null
  for (const double of value.match(DOUBLE) ?? []) add(double)
  for (const name of names) if (name.length > 2) addWord(name, endings, add)
}

/**
 * Adds the forms of names of three or more words, such as Luz Rojas Quispe and Jean-Paul Roe. Spanish accounts contain
 * the first of two last names (`lrojas`, `lrojasq`, `luzrojas`) or both (`lrojasquispe`). Other accounts contain one full name and the initials
 * of all other names (`luzrq`, `jproe`).
 */
function addOfSeveral(names: readonly string[], first: string, last: string, add: Add): void {
  const initials = names.map((name) => name.charAt(0)).join('')
  if (names.length === 3) {
    for (const end of ['', last.charAt(0)]) addLogin(`${first.charAt(0)}${names[1]}${end}`, add)
    const both = `${first.charAt(0)}${names[1]}${last}`
    if (both.length > 9) addLogin(both, add)
  }
  addJoined([first, names[1] ?? ''], add)
  if (last.length > 3) addLogin(initials.slice(0, -1) + last, add)
  if (first.length > 2) addLogin(first + initials.slice(1), add)
}

/** An account with at least this number of letters is rarely also an ordinary word or a word in code. */
const longLogin = 7

/**
 * Adds an account that was made from a name, and its first eight letters, because Unix systems shortened accounts to
 * eight letters.
 */
function addLogin(login: string, add: Add): void {
  const isWord = commonWords.has(login.toLowerCase())
  if (!isWord) for (const text of [login, login.slice(0, 8)]) add(text, text.length < longLogin ? { weak: true } : {})
}

/** Adds the forms in which accounts and lists shorten one part of a name to its initial: `jroe`, `janer`, `J. Roe`. */
function addShortened(first: string, last: string, add: Add): void {
  if (last.length > 3) addLogin(first.charAt(0) + last, add)
  const initials = [first.charAt(0), last.charAt(0)] as const
  if (last.length > 3) for (const joint of ['.', '. ']) addUnlessWord(initials[0] + joint + last, add)
  if (first.length > 3 && !commonWords.has(first.toLowerCase()))
    for (const joint of ['', '.', '-', '_', ' ']) addUnlessWord(first + joint + initials[1], add)
  if (last.length > 3 && !commonWords.has(last.toLowerCase()))
    for (const joint of ['', ' ', ', ']) addUnlessWord(last + joint + initials[0], add)
}

const addUnlessWord = (text: string, add: Add): void => {
  if (!commonWords.has(text.toLowerCase())) add(text, { weak: true })
}

/** `Jean-Paul`: two words that are one name. */
const DOUBLE = /[\p{L}\p{M}'’]{3,}(?:-[\p{L}\p{M}'’]{3,})+/gu

/**
 * Adds one word of a name. A short word is found only with a capital first letter. The grammatical cases of a Slavic
 * name are added too.
 */
function addWord(name: string, endings: typeof caseEndings | null, add: Add): void {
  const word = name.toLowerCase()
  if (commonWords.has(word)) return
  add(name, { only: name.length < 5 ? 'capitalized' : undefined, isPart: true })
  const part = { isPart: true, word: name }
  if (CYRILLIC.test(name)) for (const end of CASES) add(name.replace(CASE, '') + end, part)
  const [ending, cases] = (name.length > 4 && endings?.find(([one]) => name.endsWith(one))) || []
  if (ending !== undefined && cases)
    for (const end of cases.split(' ')) add(name.slice(0, name.length - ending.length) + end, part)
}

/** Matches Polish, Czech, Slovak, Slovene and Croatian names by letters or endings that are rare elsewhere. */
const SLAVIC = /[łńśźżčřžěů]|(?:icz|sk[iaýá]|ck[iaýá]|ová|ić|ák|ek)(?=$|\s)/iu
/** The endings of Slavic names in the Latin script, and the endings that replace them in the other cases. */
const caseEndings: readonly (readonly [ending: string, cases: string])[] = [
  ['ski', 'skiego skiemu skim'],
  ['cki', 'ckiego ckiemu ckim'],
  ['ska', 'skiej ską'],
  ['cka', 'ckiej cką'],
  ['ová', 'ové ovou'],
  ['ý', 'ého ému ým'],
  ['á', 'é ou'],
  ['ia', 'ii ię ią'],
  ['ka', 'ki kę ką ce ku kou'],
  ['a', 'y ę ą o ie u ou ě'],
  ['ek', 'ka kowi kiem kovi kem ku'],
  ['ec', 'ca cowi cem covi ci'],
  ['ń', 'nia niowi niem'],
  ['', 'a owi em iem e ie ovi u om'],
]

const CYRILLIC = /^[\u0400-\u04ff]{5,}$/
/** The endings of a Slavic name in Cyrillic letters, in the nominative and in the other cases. */
const CASE = /[аяоеёийіьуюыў]$/
const CASES = 'а я у ю е і ы и о й ой ою ом ем им ым ого ому его ему'.split(' ')

/** `linnea.arvidsson`: an account that is a name. */
const DOTTED_NAME = /^\p{L}{3,}\.\p{L}{4,}$/u
/** `linnea.a`: a name and an initial. */
const SHORT_NAME = /^(\p{L}{4,})\.\p{L}{1,2}$/u

/** Adds an account. An account of several words is also added with other separators: `acme-energy` as `ACME Energy`. */
function addAccount(value: string, add: Add): void {
  if (commonWords.has(value.toLowerCase())) return add(value, { weak: true })
  add(value)
  if (value.includes(' ')) add(value.replaceAll(' ', '-'))
  // Folders of sessions are named after a path, with a hyphen in the place of each separator.
  if (/[._]/.test(value) && value.length > 5) add(value.replace(/[._]/g, '-'))
  if (DOTTED_NAME.test(value)) addPerson(value.replace('.', ' '), add)
  const first = SHORT_NAME.exec(value)?.[1]
  if (first) addWord(first, null, add)
  const words = value.split(/[-_]/)
  if (words.length > 1 && value.length > 9 && words.every((word) => word.length > 2))
    for (const joint of ['-', '_', ' ']) add(words.join(joint))
}

/** Adds a machine's name, such as `anna-laptop.fritz.box`, and its first label if it is not a common word. */
function addHost(value: string, add: Add): void {
  if (!commonWords.has(value.toLowerCase())) add(value)
  const own = /^([\w-]{4,63})\.(?:local|lan|home|fritz\.box|localdomain|internal|corp|home\.arpa)$/i.exec(value)?.[1]
  if (own && !commonWords.has(own.toLowerCase())) add(own)
}

function addOrganization(value: string, add: Add): void {
  const bare = withoutLegalForm(value)
  const words = bare.match(WORD) ?? []
  const [first = ''] = words
  // In lower case, `origin` and `ray` do not refer to a company that is called Origin or Ray.
  const isWord = words.length < 2 && (bare.length < 4 || commonWords.has(bare.toLowerCase()))
  add(value, isWord && bare === value ? { only: 'capitalized' } : {})
  if (words.length > 1) {
    add(bare)
    addJoined(words, add)
    if (/[&+]/.test(bare)) addJoined(bare.replace(/[&+]/g, ' and ').match(WORD) ?? [], add)
    // The first word may identify the company, unless it is a common word such as `Analytics`.
    if (first.length > 4 && !commonWords.has(first.toLowerCase())) add(first, { weak: true })
  } else if (!isWord) add(bare)
}

function addJoined(words: readonly string[], add: Add): void {
  for (const joint of [' ', '.', '-', '_', '']) add(words.join(joint))
}
