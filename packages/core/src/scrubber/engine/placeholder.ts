import type { Meter, Steps } from './meter.ts'
import { kindOf, type Finding } from './rule.ts'
import type { PlaceholderUse } from './scrubber-types.ts'

/**
 * Returns a placeholder such as `[EMAIL_1]`: the word of its rule, and a number. Equal values in a trace have the same
 * number.
 */
const placeholderOf = (word: string, number: number): string => `[${word}_${number}]`

/** The end of a placeholder. It is rarer than the beginning, so the search excludes most texts quickly. */
const TAIL = /_\d{1,9}\]/
/** The number of characters that are searched in one step, and the length of the longest placeholder. */
const PIECE = 65_536
const LONGEST = 56
const PLACEHOLDER = /\[([A-Z][A-Z0-9_]{0,40})_(\d{1,9})\]/g

/**
 * Returns the highest number of each word in the placeholders that the texts already contain, so that a new value never
 * gets an old placeholder. A client may have scrubbed the first half of a conversation itself.
 */
export function* takenNumbers(texts: readonly string[], meter: Meter): Steps<Map<string, number>> {
  const taken = new Map<string, number>()
  for (const text of texts)
    for (let from = 0; from < text.length; from += PIECE) {
      const piece = text.length <= PIECE ? text : text.slice(from, from + PIECE + LONGEST)
      if (meter.spend(piece.length >> 3)) yield
      if (!piece.includes(']') || !TAIL.test(piece)) continue
      for (const { 1: word = '', 2: digits } of piece.matchAll(PLACEHOLDER)) {
        const number = Number(digits)
        if (number > (taken.get(word) ?? 0)) taken.set(word, number)
        if (meter.spend(16)) yield
      }
    }
  return taken
}

export const startsPlaceholder = (text: string, at: number): boolean =>
  text[at] === '[' && /^\[[A-Z][A-Z0-9_]{0,40}_\d{1,9}\]/.test(text.slice(at, at + 56))

/** Returns whether a character may be in the word or the number of a placeholder. */
export const isUpperName = (code: number): boolean =>
  (code > 64 && code < 91) || (code > 47 && code < 58) || code === 95

/** Returns whether an index is inside a placeholder: the index of `EMAIL` or `1` in `[EMAIL_1]`. */
export function isInPlaceholder(text: string, at: number): boolean {
  const least = Math.max(0, at - LONGEST)
  let start = at - 1
  while (start > least && isUpperName(text.charCodeAt(start))) start--
  return startsPlaceholder(text, start)
}

/** The placeholders of the values of one trace. */
export class Placeholders {
  private readonly numbers: Map<string, number>
  private readonly names = new Map<string, Omit<PlaceholderUse, 'value'>>()

  /** @param taken the result of `takenNumbers`. */
  constructor(taken: Map<string, number>) {
    this.numbers = taken
  }

  /** Assigns a placeholder to the value. Returns false if the value already has one. */
  add(finding: Finding): boolean {
    const { value, rule, score = 1 } = finding
    if (this.names.has(value)) return false
    const number = (this.numbers.get(rule.placeholder) ?? 0) + 1
    this.numbers.set(rule.placeholder, number)
    const placeholder = placeholderOf(rule.placeholder, number)
    const kind = kindOf(finding)
    const { category, id } = rule
    this.names.set(value, { placeholder, category, rule: id, kind, score: Math.round(score * 100) / 100 })
    return true
  }

  /** Returns every value with its placeholder. */
  list(): PlaceholderUse[] {
    return [...this.names].map(([value, name]) => ({ ...name, value }))
  }

  /** Returns the placeholder of a finding's value. Assigns a placeholder if the value does not have one. */
  of(finding: Finding): Pick<PlaceholderUse, 'placeholder' | 'category'> {
    const name = this.names.get(finding.value)
    if (name) return name
    this.add(finding)
    return this.names.get(finding.value)!
  }
}

/** Text in the place of a secret: references to a secret, and words that describe a secret. */
const REFERENCE =
  /^(?::[a-z][a-z_-]{1,20}\d{0,2}$|%\d{1,2}\$[a-z]$|%3C\w+%3E$|[*'-]{1,2}[a-z][a-z-]{1,20}\*?$|\[[A-Z]|[$%#@]?[{<(](?![^})>]{0,3}$)|\$[A-Za-z_({]|@[A-Za-z]\w*[.(]|%[A-Za-z_]+(?:%|$)|<|\*{3,}|\.{3}|x{3,}|X{3,}|-{2,}|_{3,}|\?{2,}|&|\\?\/\/|[a-z]+:\/\/|arn:|vault:|secrets?[.:/]|env[.:(]|ENV\[|process\.|os\.|System\.|self\.|this\.|config[.[]|settings\.|ctx\.|req(?:uest)?\.|params[.[]|props\.|args\.|opts?\.|options\.|data\.|state\.|user\.|var\.|local\.|module\.|import\.|{{|url\()/i
const FILLER =
  /^(?:none|null|nil|undefined|true|false|yes|no|on|off|enabled|disabled|string|str|number|int|integer|bool|boolean|object|array|any|void|bytes|text|required|optional|redacted|masked|hidden|removed|secrets?|passwords?|passwd|tokens?|keys?|value|test|testing|example|sample|dummy|fake|foo|bar|baz|change_?-?me|todo|tbd|utf-?8|latin-?1|ascii|n\/a|empty|default|unknown|invalid|missing|incorrect|wrong|visible|12345678|guest|postgres|rabbitmq|minioadmin|username|user|admin|your|my|the|a|an|is|not|or|and|for|in|of|to)$/i
const MARKED =
  /(?:example|placeholder|your[-_ ]|[-_ ]here$|change[-_]?me|changeit|dummy|redacted|insert[-_ ]|replace[-_ ]|[-_]goes[-_]|xxxx|\*\*\*\*|<[^>]*>|\$\{[\w.:-]+\}|\{\{[^{}]+\}\}|1234567890ab|123456789012|abcdefghijkl|0123456789|deadbeef|not[-_]?(?:a|an|real|set)[-_ ]|(?:^|[-_])(?:fake|sample|some|todo|foobar)(?:$|[-_])|^(?:fake|foo_?bar)\W?\d{0,3}\W?$)/i
/** A token that is masked except for its beginning: `sk_test_xxxxxxxxxxxx`. */
const CROSSED_OUT = /^[\w-]{0,12}(?:x{12,}|X{12,}|\*{8,})$/
/** The first characters of a secret, which cannot be used: `3dcd784c-...`. */
const CUT = /^.{1,23}(?:\.{3}|…)$/
/** Sample keys of AWS, keys that reCAPTCHA and MinIO publish for tests, and the sample seed of one-time passwords. */
const DOCUMENTED = /EXAMPLE(?:KEY)?$|^6LeIxAcTAAAA|^JBSWY3DPEHPK3PXP$|^Q3AM3UQ867SPQQA4|^zuf\+tfteSlswRu7BJ86/
/** A constant in the place of a secret: `RAW_PASSWORD`. */
const CONSTANT = /^[A-Z]{2,}(?:_[A-Z]{2,})+$/
const COLOUR = /^#[0-9a-f]{3,8}$/i
/** One of our own placeholders inside the value, also without its last bracket. Replacing it again would never end. */
const OWN = /\[[A-Z][A-Z0-9_]*_\d+(?:\]|$)/

export const isCrossedOut = (raw: string): boolean => CROSSED_OUT.test(raw)
export const isDocumented = (raw: string): boolean => DOCUMENTED.test(raw)
export const isCut = (raw: string): boolean => CUT.test(raw)
export const holdsPlaceholder = (raw: string): boolean => raw.includes('[') && OWN.test(raw)

export const isReference = (raw: string): boolean => REFERENCE.test(raw)
export const isFiller = (raw: string): boolean =>
  (raw.length <= 12 && FILLER.test(raw)) || COLOUR.test(raw) || isOneCharacter(raw)
/** Returns whether a value is base64 that encodes only fillers: `Zm9vOmJhcg==` is `foo:bar`. */
export function isEncodedFiller(raw: string): boolean {
  if (raw.length > 64 || raw.length % 4 > 0 || !/^[A-Za-z\d+/]+={0,2}$/.test(raw)) return false
  const parts = atob(raw).split(/[:\n]/)
  return parts.every((part) => part === '' || isFiller(part) || isMarked(part)) && parts.some((part) => part !== '')
}
export const isMarked = (raw: string): boolean => MARKED.test(raw.length > 256 ? raw.slice(0, 256) : raw)

/** Returns whether a word is only in the place of a secret, such as a reference, a filler or the name of a constant. */
export const isPlaceholderWord = (raw: string): boolean =>
  holdsPlaceholder(raw) || isReference(raw) || isFiller(raw) || isMarked(raw) || CONSTANT.test(raw)

function isOneCharacter(raw: string): boolean {
  const first = raw.charCodeAt(0)
  for (let i = 1; i < raw.length; i++) if (raw.charCodeAt(i) !== first) return false
  return true
}
