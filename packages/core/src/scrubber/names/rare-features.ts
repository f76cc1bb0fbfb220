import { FUNCTION_WORDS } from './evidence.ts'
import { rareKindOf, type RareKind } from './rare-kinds.ts'
import { foldName } from './lexicon.ts'

/** A word of a text that no dictionary has. */
export interface RareWord {
  readonly start: number
  readonly end: number
  readonly kind: RareKind
  readonly form: 'small' | 'capitalized' | 'capitals'
}

/** How far a line is read before and behind a word. */
const REACH = 80

const KINDS: readonly RareKind[] = [
  'given',
  'surname',
  'both',
  'ambiguous',
  'login',
  'compound',
  'surnameEnd',
  'unknown',
]
const FORMS: readonly RareWord['form'][] = ['small', 'capitalized', 'capitals']
/** What may stand beside a word: a sign, or the class of a character. */
const BESIDE = [...'@/\\.-_:"\'`([{<>=~|,;)]}*#$!?+&%', 'break', 'blank', 'tab', 'digit', 'letter', 'other']
const CLASSES = new Uint8Array(0x250).fill(BESIDE.indexOf('other'))
for (let code = 0; code < CLASSES.length; code++) {
  const char = String.fromCharCode(code)
  const sign = BESIDE.indexOf(char)
  if (sign >= 0) CLASSES[code] = sign
  else if (/\p{L}/u.test(char)) CLASSES[code] = BESIDE.indexOf('letter')
  else if (/\d/.test(char)) CLASSES[code] = BESIDE.indexOf('digit')
}
CLASSES[10] = CLASSES[13] = BESIDE.indexOf('break')
CLASSES[9] = BESIDE.indexOf('tab')
CLASSES[32] = BESIDE.indexOf('blank')
const QUOTES: Readonly<Record<string, string>> = { '“': '"', '”': '"', '„': '"', '’': "'" }

/** Returns what stands at a place beside a word, by its number in `BESIDE`. */
function classAt(text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (code < CLASSES.length) return CLASSES[code]!
  // Behind the end, which is no number, and beyond Latin scripts.
  return BESIDE.indexOf(Number.isNaN(code) ? 'break' : (QUOTES[text[at]!] ?? 'other'))
}

const classBefore = (text: string, start: number): number =>
  text[start - 2] === '\\' && 'nrt'.includes(text[start - 1]!) ? BESIDE.indexOf('break') : classAt(text, start - 1)
const lengthOf = ({ start, end }: RareWord): number => (end - start < 5 ? end - start : end - start < 7 ? 6 : 7)

/** Returns a number that is the same for two words with the same near features, and for no others. */
export const nearPlace = (text: string, word: RareWord): number =>
  (((KINDS.indexOf(word.kind) * 3 + FORMS.indexOf(word.form)) * 8 + lengthOf(word)) * 64 +
    classBefore(text, word.start)) *
    64 +
  classAt(text, word.end)

/** What stands right before and behind a word, and the word's letters: most words are decided by these. */
export function nearFeatures(text: string, word: RareWord, features: string[]): void {
  const { kind, form } = word
  const before = BESIDE[classBefore(text, word.start)]!
  const behind = BESIDE[classAt(text, word.end)]!
  const length = lengthOf(word)
  features.push(
    `kind ${kind}`,
    `length ${length}`,
    `kind ${kind} ${length}`,
    `form ${form}`,
    `kind ${kind} ${form}`,
    `before ${before}`,
    `behind ${behind}`,
    `beside ${before} ${behind}`,
    `before ${form} ${before}`,
    `behind ${form} ${behind}`,
  )
}

const PART_OF_NAME = /[\p{L}\d_.@-]/u
const DOMAIN =
  /^(?:com|org|net|io|dev|app|eu|co|de|at|ch|nl|be|fr|es|it|pt|se|no|fi|dk|is|pl|cz|sk|hu|ro|bg|hr|si|rs|ua|ru|gr|tr|ie|uk|us|ca|mx|br|ar|cl|pe|in|jp|kr|cn|tw|hk|sg|au|nz|za|ng|ke|gh|il|ae|cloud|tech|health|local|lan|internal|intra|intern|corp|home|example|test|ai|sh|me|xyz|info|biz|studio|energy|coop|shop)$/
const PEOPLE = new Set(
  'ask asked asking tell told telling thanks thank thx ping pinged met invited hired blame blamed notify remind colleague says cc hi hello hey dear owner author reviewer reviewers assignee user login client customer company member contact person manager boss he she'.split(
    ' ',
  ),
)
const PREPOSITIONS = new Set('with from by for to and at of in on via'.split(' '))
const CODE_WORDS = new Set(
  'import require from install add package npm pip cargo gem using const let var function class def type interface return new extends implements apt brew export default'.split(
    ' ',
  ),
)
const CODE_LINE =
  /[;{}]\s*$|^\s*(?:import|const|let|var|(?:async )?def|class|return|if|elif|for|function|public|private|#include|use )\b|^\s*(?:from [\w.]+ import\b|@\w+(?:\.\w+)+\s*$)|=>|\(\) ?\{/
const PARTICLES = '(?:(?:de|van|von|der|da|la|le|bin|al|el|du) ){0,2}'
const NEXT_NAME = new RegExp(`^ ${PARTICLES}(\\p{Lu}\\p{Ll}+)`, 'u')
const NAME_BEFORE = new RegExp(`(\\p{Lu}\\p{Ll}+) ${PARTICLES}$`, 'u')
const WORD_BEHIND = /^[^\p{L}\n]{0,4}(\p{L}+)/u

const codesOf = (chars: string): ReadonlySet<number> => new Set([...chars].map((char) => char.charCodeAt(0)))
const AROUND_VALUE = codesOf(' \t"\'`@*')
const OPERATORS = codesOf(':=|')
const PATH_ENDS = codesOf(' \t\n"\'=(<>,;`')
const isLetterCode = (code: number): boolean =>
  (code > 96 && code < 123) || (code > 64 && code < 91) || (code > 0xbf && code < 0x2000)

/** Returns the word that ends before `at` in small letters, at most four signs away; an empty text where there is none. */
function wordBeforePlace(text: string, at: number, least: number): string {
  let end = at
  while (end > least && at - end < 4 && !isLetterCode(text.charCodeAt(end - 1))) end--
  let start = end
  while (start > least && isLetterCode(text.charCodeAt(start - 1))) start--
  return text.slice(start, end).toLowerCase()
}

/** Returns the label whose value begins at a place: `owner` of `"owner": "`. */
function labelBefore(text: string, at: number, least: number): string {
  let end = at
  while (end > least && AROUND_VALUE.has(text.charCodeAt(end - 1))) end--
  return end > least && OPERATORS.has(text.charCodeAt(end - 1)) ? wordBeforePlace(text, end - 1, least) : ''
}

/** Returns where what stands without a blank or a quote around a place begins. */
function startOfPath(text: string, at: number, least: number): number {
  let start = at
  while (start > least && !PATH_ENDS.has(text.charCodeAt(start - 1))) start--
  return start
}

const isRare = (word: string): boolean => rareKindOf(foldName(word)) !== null

/** What stands around a word on its line. */
export function lineFeatures(text: string, { start, end, kind, form }: RareWord, features: string[]): void {
  const from = breakBefore(text, start, Math.max(0, start - REACH))
  const to = breakBehind(text, end, end + REACH)
  const line = text.slice(from, to)
  const before = line.slice(0, start - from)
  const add = (feature: string): void => void features.push(feature)
  let [first, last] = [start, end]
  while (first > from && start - first < 60 && PART_OF_NAME.test(text[first - 1]!)) first--
  while (last < to && last - end < 60 && PART_OF_NAME.test(text[last]!)) last++
  const name = text.slice(first, last).replace(/[.-]+$/, '')
  if (name.includes('@')) add('in address')
  const labels = name.replace(/^.*@/, '').toLowerCase().split('.')
  if (labels.length > 1 && DOMAIN.test(labels.at(-1)!) && labels.at(-2)!.length > 2) {
    add('in host')
    if (labels.at(-2)!.includes(text.slice(start, end).toLowerCase()))
      add(labels.length > 2 ? 'domain of host' : 'domain')
  }
  if (/[-_]/.test(name) && !name.includes('.')) add('in joined words')
  const wordBefore = wordBeforePlace(text, first, from)
  if (wordBefore) {
    add(`word before ${wordBefore}`)
    if (PEOPLE.has(wordBefore)) add(`behind people ${form}`)
    if (PREPOSITIONS.has(wordBefore)) add(`behind preposition ${form}`)
    if (CODE_WORDS.has(wordBefore)) add('behind word of code')
  }
  const wordBehind = WORD_BEHIND.exec(text.slice(last, last + 30))?.[1]?.toLowerCase()
  if (wordBehind) add(`word behind ${wordBehind}`)
  const label = labelBefore(text, start, from)
  if (label) add(`label ${label}`)
  if (CODE_LINE.test(line)) add('line of code')
  if (isAmidCode(text, start))
    features.push('code', `code ${form}`, `code ${kind}`, `code before ${text[start - 1] ?? ''}`)
  const signs = countSigns(line)
  add(`signs ${signs}`)
  add(`signs ${signs} ${form}`)
  if (isInner(text, start - 1) || isInner(text, end)) add(`in identifier ${form}`)
  if (/^(?:\S*[$%#>❯] |PS .*> )/.test(line)) add('line of shell')
  if (/^\s*[\w "'-]{2,24}[:=|]\s*["']?$/.test(before)) add('value')
  if (/ {2}$|\t$|\| ?$/.test(before)) add('cell')
  const path = text.slice(startOfPath(text, first, from), first)
  if (path.includes('://')) add('in URL')
  else if (path.includes('/')) add('in path')
  if (isOdd(before, '`')) add('in backticks')
  if (text[end] === '(') add('called')
  if (isForeign(wordBefore) || isForeign(wordBehind)) add(`beside foreign ${form}`)
  if (isForeignLine(line)) features.push(`foreign ${form}`, `foreign ${form} ${kind}`)
  if (/[a-z]{2,} [a-z]{2,} [a-z]{2,}/.test(line)) add(`prose ${form}`)
  if (form !== 'capitalized') return
  add(`capitalized words ${Math.min(6, line.match(/\p{Lu}\p{Ll}/gu)?.length ?? 0)}`)
  const next = NEXT_NAME.exec(text.slice(end, end + 30))?.[1]
  if (next) add(isRare(next) ? `before name ${kind}` : 'before word')
  const previous = NAME_BEFORE.exec(text.slice(Math.max(0, start - 30), start))?.[1]
  if (previous) add(isRare(previous) ? `behind name ${kind}` : 'behind word')
}

/** Returns whether a word, in small letters, is one of another language that English has not. */
const isForeign = (word: string | undefined): boolean =>
  word !== undefined && FUNCTION_WORDS.has(word) && !ALSO_ENGLISH.has(word)
function isForeignLine(line: string): boolean {
  if (line === lastLine) return isLastForeign
  let count = 0
  for (const word of line.toLowerCase().match(/[^\s,.:;"'()]{2,}/g) ?? []) if (isForeign(word)) count++
  lastLine = line
  isLastForeign = count > 1
  return isLastForeign
}
let lastLine = ''
let isLastForeign = false
/** Words of other languages that English, a shell or a program has too. */
const ALSO_ENGLISH = new Set(
  'die den des was man war wo in an as so also um on or do no me to us we is it per para con sin son son es de la le les el il se si os san am des tu mon mes ton ces est par sur pour en un une con du van met een het te dir hat dem'.split(
    ' ',
  ),
)

/** Ends of lines and words that program code and data have, and output of tools and prose have not. */
const CODE_SIGNS =
  /[;{}(,[]\r?\n|=>|===|\b(?:const|function|return|import|export|var|let|typeof|new|null|elif|isinstance|None|lambda)\b|#(?:define|include|if|ifn?def|else|endif)\b|\bdef \w+\(|\bself\.|\)(?: -> .{1,40})?:\r?\n|\[\w+\]:|["'](?:,\s| \| )/g
const MOST_SIGNS = 5
const AROUND = 400
/** A text is read for code once in so many characters. */
const STEP = 256

/** Forgets what was read for code: to be called before another text is read. */
export function forgetCode(): void {
  lastStep = -1
}

/** Returns whether a place stands amid lines of code. */
function isAmidCode(text: string, at: number): boolean {
  const step = Math.floor(at / STEP)
  if (step === lastStep) return isLastCode
  const middle = step * STEP
  const around = text.slice(Math.max(0, middle - AROUND), middle + STEP + AROUND)
  CODE_SIGNS.lastIndex = 0
  let count = 0
  while (count < MOST_SIGNS && CODE_SIGNS.test(around)) count++
  lastStep = step
  isLastCode = count === MOST_SIGNS
  return isLastCode
}
let lastStep = -1
let isLastCode = false

/** Returns whether a letter or an underscore stands at a place. */
const isInner = (text: string, at: number): boolean => text[at] === '_' || isLetterCode(text.charCodeAt(at))

const SIGNS_OF_CODE = new Uint8Array(128)
for (const code of codesOf('(){}[];=<>"\'_,')) SIGNS_OF_CODE[code] = 1
/** Returns how much of a line is signs that code has more of than prose, from 0 to 4. */
function countSigns(line: string): number {
  let count = 0
  for (let i = 0; i < line.length; i++) if (SIGNS_OF_CODE[line.charCodeAt(i)] === 1) count++
  return count < 2 ? 0 : count < 5 ? 1 : count < 10 ? 2 : count < 18 ? 3 : 4
}

function breakBefore(text: string, start: number, least: number): number {
  let from = start
  while (from > least && text.charCodeAt(from - 1) !== 10) from--
  return from
}

function breakBehind(text: string, from: number, most: number): number {
  let to = from
  while (to < most && to < text.length && text.charCodeAt(to) !== 10) to++
  return to
}

function isOdd(text: string, sign: string): boolean {
  let count = 0
  for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + 1)) count++
  return count % 2 === 1
}
