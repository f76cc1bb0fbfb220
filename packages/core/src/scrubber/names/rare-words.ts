import { isAccount, isPersonName, isSingleName } from '../detectors/identity/forms.ts'
import { pushIdentity } from '../detectors/identity/learned-identity.ts'
import type { Finding } from '../engine/rule.ts'
import { shapeOf } from '../engine/randomness.ts'
import { reachOf } from '../engine/scan-progress.ts'
import { isAutomation } from '../rules/common-words.ts'
import { isCustomer } from '../rules/identity-hosts.ts'
import { CREDIT, isTownAt, PUBLIC_NAMES } from './evidence.ts'
import { foldName } from './lexicon.ts'
import { forgetCode, lineFeatures, nearFeatures, nearPlace, type RareWord } from './rare-features.ts'
import { isTwoWords, rareKindOf, type RareKind } from './rare-kinds.ts'
import { eachRareWord, isInAddress, isInIdentifier } from './rare-scan.ts'
import { BIAS, LEAST_NEAR, RARE_WEIGHTS } from './rare-weights.ts'

const WEIGHTS: ReadonlyMap<string, number> = new Map(Object.entries(RARE_WEIGHTS))
/** The least sum of weights of a word that names somebody, in tenths. */
const THRESHOLD = 8
/** The same amid code, where most words of no dictionary are the program's own. */
const THRESHOLD_IN_CODE = 24

const features: string[] = []
const weigh = (first: number): number => features.reduce((sum, feature) => sum + (WEIGHTS.get(feature) ?? 0), first)

/** By what stands right beside a word and what it is made of: most words in most places come again. */
const nearWeights = new Map<number, number>()
function nearWeight(text: string, word: RareWord): number {
  const place = nearPlace(text, word)
  let weight = nearWeights.get(place)
  if (weight === undefined) {
    features.length = 0
    nearFeatures(text, word, features)
    nearWeights.set(place, (weight = weigh(BIAS)))
  }
  return weight
}

/**
 * Adds words that no dictionary has and that stand as names, logins, hosts and companies do, between `from` and `to`.
 * The part must stand in `bytes`.
 */
export function findRareWords(text: string, from: number, to: number, found: Finding[]): void {
  // An id that stands alone, such as the name of a trace, is no sentence about anybody.
  if (text.length <= MAX_ID && !/[\s/@]/.test(text)) return
  const reach = reachOf(found, 'rare-words')
  forgetCode()
  eachRareWord(text, from, to, (word) => {
    const near = nearWeight(text, word)
    if (near < LEAST_NEAR || isInIdentifier(text, word.start, word.end) || isInAddress(text, word.start, word.end))
      return
    if (word.start >= reach.end) [reach.end, reach.count] = [word.start + CLUSTER, 0]
    if (++reach.count > MOST_IN_CLUSTER) return
    features.length = 0
    lineFeatures(text, word, features)
    const weight = weigh(near)
    const isCode = features.includes('code')
    // A word inside of a name of code: `isSidechain`.
    if (word.form === 'capitalized' && /\p{L}/u.test(text[word.start - 1] ?? '')) return
    // A program's own abbreviation: `_xasse`, `XASSE`.
    const isPart = features.includes(`in identifier ${word.form}`)
    if (isCode && (word.form === 'capitals' || isPart)) return
    // A name of code: `search_onestop_flight`, `@contextlib.contextmanager`.
    const mayBeCode = isCode || isPart || features.includes('line of code')
    if (mayBeCode && word.form === 'small' && isTwoWords(text.slice(word.start, word.end))) return
    if (weight >= (isCode ? THRESHOLD_IN_CODE : THRESHOLD) && push(text, word, features.includes('in host'), found))
      found.at(-1)!.score = Math.min(0.99, 1 / (1 + Math.exp(-weight / 10)))
  })
}
const MAX_ID = 256
/** Nobody writes more names in so many characters. */
const CLUSTER = 1024
const MOST_IN_CLUSTER = 32

const PERSON = { id: 'rare-name', category: 'person', placeholder: 'PERSON' }
const ACCOUNT = { id: 'rare-account', category: 'account_name', placeholder: 'ACCOUNT' }
const ORGANIZATION = { id: 'rare-organization', category: 'organization', placeholder: 'ORG' }

const ROW_BEFORE = /(?:\p{Lu}[\p{L}\p{M}'’]+[ -]){1,3}$/u
const ROW_BEHIND = /^(?:[ -]\p{Lu}[\p{L}\p{M}'’]+){1,3}/u
const isNameKind = (kind: RareKind): boolean => kind === 'given' || kind === 'surname' || kind === 'both'
const isRareName = (word: string): boolean => rareKindOf(foldName(word.replace(/['’].*/, ''))) !== null

function push(text: string, { start, end, kind, form }: RareWord, isInHost: boolean, found: Finding[]): boolean {
  if (isInHost) {
    const label = labelAround(text, start, end)
    if (!isCustomer(label.value) || isAutomation(label.value)) return false
    pushIdentity('organization', label.value, label.start, ORGANIZATION, found)
    return true
  }
  if (form === 'capitalized') {
    const row = rowAround(text, start, end)
    const name = row.value
    // A namespace of code: `Roe\Tides\Console`.
    if (text[row.start - 1] === '\\' && text[row.start + name.length] === '\\') return false
    if (!(name.includes(' ') ? isPersonName(name) : isSingleName(name)) || isPublic(text, row.start, name)) return false
    if (isTownAt(text, row.start, name) || NAMED_AFTER.test(text.slice(end, end + 24))) return false
    const isCompany = kind === 'compound' && !name.includes(' ')
    pushIdentity(isCompany ? 'organization' : 'person', name, row.start, isCompany ? ORGANIZATION : PERSON, found)
    if (name.length < 6) found.at(-1)!.forms = () => [{ text: name, capitalized: true }]
    return true
  }
  const login = loginAround(text, start, end)
  if (!isNameKind(kind) && PULLED.test(text.slice(Math.max(0, login.start - 96), login.start))) return false
  // The name of a member: `"geofence": {`.
  if (/^["'`]\s?:/.test(text.slice(end, end + 3))) return false
  if (!isPronounceable(text.slice(start, end))) return false
  if (!isAccount(login.value) || !isCustomer(login.value) || ownsNamesake(text, login)) return false
  pushIdentity('account', login.value, login.start, ACCOUNT, found)
  return true
}

/** What is named after somebody long known: `Eiffel Tower`, `Dijkstra's algorithm`. */
const NAMED_AFTER =
  /^(?:['’]s)? (?:Tower|Bridge|Street|Square|Park|Museum|Airport|Cathedral|Palace|Castle|Station|University|Institute|Foundation|Prize|Award|theorem|algorithm|distribution|transform|filter|coefficient|constant|law|paradox|number|sequence|curve|tree|graph|matrix|equation|test|diagram)s?\b/i
/** An image of a container that is fetched, whose owner is seldom the author. */
const PULLED =
  /(?:\bimage["']?:\s{0,4}|^FROM |\nFROM |\b(?:docker|podman) (?:pull|run) (?:-[^\n]{0,60} )?)["']?[\w.-]{0,40}(?:\/[\w./-]{0,40})?$/

/** Five consonants in a row, or pairs of letters that words do not have: a generated id, not a login made of a name. */
const isPronounceable = (word: string): boolean =>
  !/[b-df-hj-np-tv-xz]{5}/i.test(word) && shapeOf(word).cost < MOST_COST
/** Of a pair of letters, in bits: 2 of 100 words in logins of the held-out cases cost more, and 3 of 5 random ones. */
const MOST_COST = 6.2

const PLACE =
  '(?:San|Santa|Santo|São|Los|Las|El|La|Saint|St\\.?|New|Old|Fort|Mount|Lake|Port|Cape|Costa|Puerto|Rio|Rue|Via|Calle) '
const PLACE_BEFORE = new RegExp(`\\b${PLACE}$`)
const BEGINS_PLACE = new RegExp(`^${PLACE}`)

/** A label of something else than people. */
const THING_BEFORE = /\b(?:title|subject|song|album|book|chapter|theme|font|model|product)["'`*]{0,3} ?[:=] ?["'`]?$/i

/** Returns whether a name is that of a place, of the holder of a licence or of somebody of public life. */
function isPublic(text: string, start: number, name: string): boolean {
  const before = text.slice(Math.max(0, start - 60), start)
  if (CREDIT.test(before) || THING_BEFORE.test(before) || PLACE_BEFORE.test(before) || BEGINS_PLACE.test(name))
    return true
  const end = start + name.length
  const row = (ROW_BEFORE.exec(before)?.[0] ?? '') + name + (ROW_BEHIND.exec(text.slice(end, end + 60))?.[0] ?? '')
  const words = foldName(row.replace(/['’]s\b/g, '').replaceAll('-', ' ')).split(/ +/)
  return words.some((_, i) => [2, 3].some((count) => PUBLIC_NAMES.has(words.slice(i, i + count).join(' '))))
}

interface Span {
  readonly value: string
  readonly start: number
}

/** Returns whether a repository has its owner's name, as public projects do: `pydicom/pydicom`, `pydicom__pydicom`. */
const ownsNamesake = (text: string, { value, start }: Span): boolean =>
  ['/', '__'].some(
    (joint) =>
      text.startsWith(joint + value, start + value.length) ||
      (start > value.length && text.startsWith(value + joint, start - value.length - joint.length)),
  )

/** Returns the part of a host's name between two full stops. */
function labelAround(text: string, start: number, end: number): Span {
  const first = /[A-Za-z\d-]*$/.exec(text.slice(Math.max(0, start - 40), start))![0].length
  const last = /^[A-Za-z\d-]*/.exec(text.slice(end, end + 40))![0].length
  return { value: text.slice(start - first, end + last), start: start - first }
}

/** Returns a capitalized word with those beside it that no dictionary has either. */
function rowAround(text: string, start: number, end: number): Span {
  const before = ROW_BEFORE.exec(text.slice(Math.max(0, start - 60), start))?.[0] ?? ''
  const behind = ROW_BEHIND.exec(text.slice(end, end + 60))?.[0] ?? ''
  let [first, last] = [start, end]
  for (const word of before.match(/[^ -]+[ -]/g)?.reverse() ?? []) {
    if (!isRareName(word.slice(0, -1))) break
    first -= word.length
  }
  for (const word of behind.match(/[ -][^ -]+/g) ?? []) {
    if (!isRareName(word.slice(1))) break
    last += word.length
  }
  return { value: text.slice(first, last).replace(/['’]s?$/, ''), start: first }
}

/** Returns a word with the initials, digits and other names that are joined to it: `u.petrescu`, `jroe82`. */
function loginAround(text: string, start: number, end: number): Span {
  const isPart = (part: string): boolean =>
    part.length === 1 || /^\d+$/.test(part) || (part.length > 2 && isRareName(part.replace(/\d+$/, '')))
  let [first, last] = [start, end]
  const digits = /^\d{1,4}(?![A-Za-z\d])/.exec(text.slice(end, end + 5))?.[0] ?? ''
  last += digits.length
  for (let part; (part = /(?<![A-Za-z\d])[A-Za-z\d]+[._-]$/.exec(text.slice(Math.max(0, first - 30), first))?.[0]);) {
    if (!isPart(part.slice(0, -1))) break
    first -= part.length
  }
  for (let part; (part = /^[._-][A-Za-z\d]+(?![A-Za-z\d])/.exec(text.slice(last, last + 30))?.[0]);) {
    if (!isPart(part.slice(1))) break
    last += part.length
  }
  return { value: text.slice(first, last), start: first }
}
