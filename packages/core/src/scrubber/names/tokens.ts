import { rememberWords } from '../engine/remember.ts'
import { FUNCTION_WORDS, NEVER_NAME, SURNAME_END, WORD_END, type TokenKind } from './evidence.ts'
import { foldName, kindOf } from './lexicon.ts'

const MOST_WORDS = 6
const MOST_LETTERS = 40

export const SPACE = 32
const APOSTROPHE = 39
const HYPHEN = 45
const STOP = 46
export const isCapital = (code: number): boolean => (code > 64 && code < 91) || (code > 0xbf && code < 0x2000)
const isSmall = (code: number): boolean => (code > 96 && code < 123) || (code > 0xbf && code < 0x2000)

/** Returns where a capitalized word or an initial ends that begins at `at`; -1 where there is none. */
export function wordEnd(text: string, at: number): number {
  const first = text.charCodeAt(at)
  if (!isCapital(first) || (first > 127 && !/\p{Lu}/u.test(text[at]!))) return -1
  let end = at + 1
  if (text.charCodeAt(end) === STOP) return end + 1
  const last = at + MOST_LETTERS
  for (; end < last; end++) {
    const code = text.charCodeAt(end)
    if (isSmall(code)) continue
    const isJoint = code === APOSTROPHE || code === HYPHEN || code === 0x2019
    const next = text.charCodeAt(end + 1)
    // `O'Brien`, `Jean-Paul`, `McAdam`: a capital letter inside a word.
    if (isJoint && isCapital(next)) end++
    else if (!(isJoint && code !== HYPHEN && isSmall(next)) && !(isCapital(code) && end - at < 4)) break
  }
  return end
}

/** A capitalized word of a text. */
export interface Token {
  readonly start: number
  readonly end: number
  readonly word: string
  readonly kind: TokenKind
}

/** Reads the capitalized words of a row, of which the first one is known. */
export function readTokens(text: string, at: number, firstEnd: number): Token[] {
  const tokens: Token[] = []
  for (let [start, end] = [at, firstEnd]; end > 0; end = wordEnd(text, start)) {
    const word = text.slice(start, end)
    tokens.push({ start, end, word, kind: tokenKind(word) })
    if (tokens.length === MOST_WORDS || text.charCodeAt(end) !== SPACE) break
    start = skipParticles(text, end + 1)
  }
  return tokens
}

const PARTICLE =
  /(?:(?:de|da|del|della|di|dos|das|do|du|van|von|der|den|ter|ten|zu|zum|bin|ibn|al|el|la|le|af|av|y|ni) ){1,3}(?=\p{Lu})/uy
const PARTICLE_START = new Set([...'adevlbtzyn'].map((char) => char.charCodeAt(0)))

/** Returns whether another word of a name may follow at once. */
export const leadsOn = (text: string, end: number): boolean =>
  text.charCodeAt(end) === SPACE &&
  (isCapital(text.charCodeAt(end + 1)) || PARTICLE_START.has(text.charCodeAt(end + 1)))

function skipParticles(text: string, at: number): number {
  if (!PARTICLE_START.has(text.charCodeAt(at))) return at
  PARTICLE.lastIndex = at
  return PARTICLE.test(text) ? PARTICLE.lastIndex : at
}

const NAME_WORD =
  /^(?:(?:Mc|Mac|De|Di|La|Le|Van|Fitz|\p{Lu}['’])?\p{Lu}[\p{Ll}\p{M}]+(?:['’]\p{Ll}{2,})?(?:-\p{Lu}[\p{Ll}\p{M}]+){0,2}(?:['’]s)?|\p{Lu}\.?)$/u

/** `Bcc`, `Ltd`: an abbreviation. */
const NO_VOWEL = /^[B-DF-HJ-NP-TV-XZb-df-hj-np-tv-xz]+$/

function classifyToken(word: string): TokenKind {
  if (!NAME_WORD.test(word)) return 'word'
  if (word.replace('.', '').length === 1) return 'initial'
  const first = word.replace(/-.*|['’]s$/, '')
  if (NEVER_NAME.test(first) || FUNCTION_WORDS.has(foldName(first))) return 'word'
  const kind = kindOf(first)
  if (kind !== 'unknown') return kind
  return NO_VOWEL.test(first) || (WORD_END.test(first) && !SURNAME_END.test(foldName(first))) ? 'word' : kind
}

/** Returns what a capitalized word is: by the lexicon, by its letters, or an initial. */
export const tokenKind = rememberWords(classifyToken)
