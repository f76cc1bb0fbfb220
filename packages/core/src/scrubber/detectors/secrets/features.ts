import { isFiller, isMarked, isReference } from '../../engine/placeholder.ts'
import { isRandom, shapeOf, type Shape } from '../../engine/randomness.ts'
import { rememberWords } from '../../engine/remember.ts'
import type { KeyClass } from './key-name.ts'

/** The place of a candidate in its text: an assignment in code, configuration or a command; a sentence; or a table. */
export type Site = 'assignment' | 'sentence' | 'foreign-sentence' | 'beside' | 'foreign-beside' | 'answer' | 'cell'

/** Returns the score of a secret, from 0.5 to 0.99, or null for a candidate that is not a secret. */
export type ScoreSecret = (candidate: Candidate) => number | null

/** A value that may be a secret because of its name or its position. A score then decides whether it is a secret. */
export interface Candidate {
  readonly site: Site
  /** The class of the name. */
  readonly keyClass: KeyClass
  /** The name as written: `DB_PASSWORD`, `--token`. It is '' if only the position shows that the value is a secret. */
  readonly name: string
  readonly raw: string
  /** The quote around the value, or ''. */
  readonly quote: string
  /** The operator between the name and the value: `=`, `:`, `,`, `>`, ` `, `is`. */
  readonly operator: string
  /** Whether there are spaces around the operator. */
  readonly spaced: boolean
  /** The character after the value, '' at the end of the text. */
  readonly next: string
  /** The character before the name: `;` in a connection string, `&` in a query. */
  readonly lead: string
  /** Whether an authorization scheme precedes the value: `Bearer`, `Basic`. */
  readonly scheme: boolean
  /** Whether the value is not quoted and contains brackets that do not occur in code: `Kj(9)x[w]2`. */
  readonly bracketed: boolean
  /** Whether the previous line contains the name of a user. */
  readonly followsUser: boolean
}

/**
 * The features of a candidate, each with its possible levels. A weight belongs to one level, or to a pair of levels of
 * two features (`PAIRS`).
 */
export const LEVELS = {
  /** The syntax that joins the name and the value. */
  frame: [
    'quoted-equals',
    'quoted-colon',
    'call',
    'declaration',
    'argument',
    'alternative',
    'table',
    'element',
    'header',
    'verb',
    'blank-quoted',
    'blank',
    'env-line',
    'equals',
    'equals-spaced',
    'yaml-env',
    'colon',
    'colon-tight',
    'flag-quoted',
    'flag',
    'sentence',
    'quoted-sentence',
    'foreign',
    'quoted-foreign',
    'beside',
    'quoted-beside',
    'foreign-beside',
    'answer',
    'cell',
  ],
  /** The form of the value. If several forms match, the first form counts. */
  form: [
    'reference',
    'filler',
    'marked',
    'echo',
    'rules',
    'code',
    'uuid',
    'hash',
    'hex',
    'digits',
    'sentence',
    'words',
    'spaced',
    'foreign',
    'path',
    'file',
    'version',
    'term',
    'lower',
    'capital',
    'upper',
    'camel',
    'constant',
    'chain',
    'long-chain',
    'numbered-chain',
    'dotted',
    'word-digits',
    'mixed',
    'marks-and-digits',
    'marks',
    'pair',
    'other',
  ],
  length: ['3', '4', '6', '8', '12', '16', '24', '40'],
  /** Whether the sequence of characters looks random. */
  chance: ['plain', 'rare', 'random'],
  next: ['end', 'space', 'comma', 'close', 'open', 'tag', 'and', 'semicolon', 'quote', 'other'],
  lead: ['start', 'space', 'separator', 'colon', 'quote', 'member', 'other'],
  /** The kind of the name, in addition to the class of the name. */
  name: ['plain', 'exact', 'constant', 'chosen', 'setter', 'label', 'none'],
  /** Whether the value contains a word such as `token`, `label` or `input`. */
  word: ['none', 'held'],
  neighbour: ['none', 'user', 'bracketed'],
  /** The number of special characters in the value that are rare in names and paths. */
  marks: ['0', '1', '2', '3'],
} as const

export type FeatureName = keyof typeof LEVELS
export const FEATURES = Object.keys(LEVELS) as readonly FeatureName[]

/** Pairs of features that indicate a secret better together than separately. */
export const PAIRS: readonly (readonly [FeatureName, FeatureName])[] = [
  ['frame', 'form'],
  ['frame', 'next'],
  ['frame', 'length'],
  ['frame', 'chance'],
  ['frame', 'name'],
  ['frame', 'lead'],
  ['frame', 'word'],
  ['form', 'length'],
  ['form', 'name'],
  ['form', 'chance'],
  ['form', 'word'],
  ['form', 'next'],
  ['form', 'neighbour'],
]

type Level<F extends FeatureName> = (typeof LEVELS)[F][number]
const at = <F extends FeatureName>(feature: F, level: Level<F>): number =>
  (LEVELS[feature] as readonly string[]).indexOf(level)

const FRAME = Object.fromEntries(LEVELS.frame.map((level, i) => [level, i])) as Record<Level<'frame'>, number>
const FORM = Object.fromEntries(LEVELS.form.map((level, i) => [level, i])) as Record<Level<'form'>, number>

/** Returns the levels of a candidate, in the order of `FEATURES`. Reads the first 256 characters of the value. */
export function featuresOf(candidate: Candidate): readonly number[] {
  const raw = stripAccents(candidate.raw.length > 256 ? candidate.raw.slice(0, 256) : candidate.raw)
  const shape = shapeOf(raw)
  const marks = countMarks(raw)
  const form = formOf(raw, candidate, shape, marks)
  return [
    frameOf(candidate),
    form,
    lengthOf(candidate.raw.length),
    isRandom(raw.replace(marks > 2 && MARKED.test(raw) ? /[^A-Za-z0-9]/g : /=+$/, ''))
      ? 2
      : shape.pairs >= 5 && shape.cost >= 5.4
        ? 1
        : 0,
    nextOf(candidate.next),
    leadOf(candidate.lead),
    nameLevel(candidate.name),
    HELD.test(raw) ? 1 : 0,
    candidate.bracketed ? 2 : candidate.followsUser ? 1 : 0,
    Math.min(marks, 3),
  ]
}

/** Returns a value without accents, so that `Käfer!19` has the same form as `Kafer!19`. */
const stripAccents = (raw: string): string =>
  /[\u00c0-\u024f]/.test(raw)
    ? raw
        .normalize('NFD')
        .replace(/\p{M}/gu, '')
        .replace(/[ßøłđæœı]/gi, 'o')
    : raw

function frameOf({ site, name, quote, operator, spaced, scheme, lead }: Candidate): number {
  if (site === 'sentence') return quote ? FRAME['quoted-sentence'] : FRAME.sentence
  if (site === 'foreign-sentence') return quote ? FRAME['quoted-foreign'] : FRAME.foreign
  if (site === 'beside') return quote ? FRAME['quoted-beside'] : FRAME.beside
  if (site === 'foreign-beside' || site === 'answer' || site === 'cell') return FRAME[site]
  if (scheme) return FRAME.header
  if (name.charCodeAt(0) === 45 && (operator === ' ' || operator === '='))
    return quote ? FRAME['flag-quoted'] : FRAME.flag
  if (operator === '(') return lead === ' ' ? FRAME.declaration : FRAME.call
  if (operator === ',') return FRAME.argument
  if (operator === '||' || operator === '->' || operator === '??') return FRAME.alternative
  if (operator === '|') return FRAME.table
  if (operator === '>') return FRAME.element
  if (operator === 'is') return FRAME.verb
  if (operator === ' ') return quote ? FRAME['blank-quoted'] : FRAME.blank
  const isColon = operator === ':'
  if (quote) return isColon ? FRAME['quoted-colon'] : FRAME['quoted-equals']
  if (isColon) return !spaced ? FRAME['colon-tight'] : CONSTANT.test(name) ? FRAME['yaml-env'] : FRAME.colon
  if (spaced) return FRAME['equals-spaced']
  return CONSTANT.test(name) ? FRAME['env-line'] : FRAME.equals
}

/** A value without spaces, and without the brackets and escapes of patterns and templates. */
const MARKED = /^[^\s[\]{}\\]{16,}$/
const CONSTANT = /^[A-Z][A-Z0-9_]*$/
const LETTER = /[A-Za-z]/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const HEX = /^(?:0x)?[0-9a-f]+$/i
/** A name that ends with a hash of files, such as the key of a cache: `Linux-pnpm-store-9f86…`. */
const HASHED_NAME = /^[a-z]\w{1,30}(?:-[\w.]{1,30}){0,6}-(?:[0-9a-f]{40}|[0-9a-f]{64})$/i
const IDENTIFIER = /^[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)+[.!?]?$/
const VALIDATOR = /^[a-z_]+(?::[\w,]+)?(?:\|[a-z_]+(?::[\w,]+)?)+$/
const PATH = /^(?:(?:~|\.{1,2}|[A-Z]:)?[\\/][\w.\\/@-]+|[\w.-]+(?:\/[\w.-]+){2,})$/
const FILE = /^[\w.-]*\.[a-z]{2,5}$/i
const VERSION = /^(?:\d{4}-\d\d-\d\d|\d{1,2}[-/.:]\d{1,2}[-/.:]|v?\d+\.\d+|\d{1,5}[.:]?\d*(?:px|ms|kb|mb|s|m|h|d|%)?$)/i
/** Names of algorithms, standards and counts: `sha256`, `oauth2`, `AES-256-CBC`, `32bit`. */
const TERM =
  /^(?:(?:sha|md|utf|base|int|uint|char|varchar|v|step|test|user|item|field|line|password|token|key|oauth|i18n|l10n|k8s|rfc|http|ipv|win|ascii|x509|pkcs|2fa|mfa|otp|u2f|fido)-?\d*[a-z]{0,2}|(?:aes|des|rsa|dsa|ecdsa|ed25519|ed|rs|hs|es|ps|hmac|pbkdf|argon|bcrypt|scrypt|chacha|camellia|x25519)-?\d*[a-z]{0,4}(?:[-_/]?(?:sha|cbc|gcm|ctr|ecb|kw|oaep|pss|pkcs|poly|cfb|ofb|hs|rs)?-?\d*[a-z]{0,7}){0,3}|\d+-?(?:char|digit|bit|byte|day|min|sec|hour|time|st|nd|rd|th|x)[a-z]*)$/i
/** A name in camel case that contains abbreviations with a digit: `AuthenticationMD5Password`. */
const ACRONYMS = /^(?:[a-z]{2,12})?(?=.*[A-Z][a-z]{3})(?:[A-Z][a-z]{2,16}|[A-Z]{1,5}v?\d{1,2}(?=[A-Z])){2,12}$/
/** Keywords of languages and parsers that may follow the name of a secret but are not secrets. */
const KEYWORD =
  /^(?:await|async|new|return|typeof|function|lambda|must|should|will|can|has|was|are|been|from|with|when|then|else|if|identifier|keyword|punctuator|punctuation|literal|bearer|basic|digest|comment|operator|whitespace|newline|header|query|body|session|request|response|client|server|refresh|access|revoked|expired|valid|plain|plaintext|prompt|stdin|file|env|auto|manual|latest|static|dynamic|public|private|internal|external|global|local|inherit|always|never|self|this|root|login|logout|click|pass|passed|fail|failed|before|after|checked|disabled|visited|change|submit|focus|blur|hover|active|button|checkbox|radio|email|name|url|title|label|description|message)$/i
const HELD =
  /passw|passphrase|word|secret|token|value|input|user|param|string|hash|null|none|true|false|field|text|label|encod|crypt|get|require|optional|invalid|incorrect|undefined|unknown|error|login|auth|name|key/i
/** Words of sentences, labels and messages that do not occur in passphrases. */
const PROSE =
  /(?:^|\s)(?:pass\w*|your|must|should|enter|please|is|are|not|no|required?|invalid|wrong|incorrect|forgot|reset|change|confirm|new|old|current|show|hide|sign|log|field|optional|user|at|the|a|an|to|of|in|string|for|be|by|from|or|if|when|that|this|it|least|characters|with|and|has|have)(?:\s|$)/i

/** A message begins with a capitalized word, ends with punctuation, or contains a label with a colon. */
const MESSAGE = /[\p{L}\d][:：] |[.:?,]$|^[A-Z][a-z]+ /u

function formOf(raw: string, { name, quote, next }: Candidate, shape: Shape, marks: number): number {
  if (shape.digits === raw.length && raw.length < 10 && !isFiller(raw) && LETTER.test(name)) return FORM.digits
  if (isReference(raw)) return FORM.reference
  if (isFiller(raw)) return FORM.filler
  if (isMarked(raw)) return FORM.marked
  if (raw.length < 2 * name.length + 8 && fold(raw) === fold(name)) return FORM.echo
  if (HASHED_NAME.test(raw)) return FORM.hash
  // The value is a type with parameters: `secret: Ref<string>`.
  if (!quote && next === '<' && /^[A-Z]\w*$/.test(raw)) return FORM.code
  const letters = shape.lowers + shape.uppers
  const { digits, others } = shape
  if (others === 0) {
    if (digits === 0) {
      if (raw.length < 14 && KEYWORD.test(raw)) return FORM.term
      if (shape.uppers === 0) return FORM.lower
      if (shape.lowers === 0) return FORM.upper
      return shape.uppers === 1 && raw.charCodeAt(0) < 91 ? FORM.capital : FORM.camel
    }
    if (letters === 0) return FORM.digits
    if (digits > 1 && HEX.test(raw))
      return raw.length === 40 || raw.length === 64 || raw.length === 128 ? FORM.hash : FORM.hex
    if (TERM.test(raw) || VERSION.test(raw)) return FORM.term
    if (ACRONYMS.test(raw) && /[A-Z][a-z]{3,}.*[A-Z][a-z]{3,}/.test(raw)) return FORM.camel
    return /^[A-Za-z]+\d{1,4}$/.test(raw) ? FORM['word-digits'] : FORM.mixed
  }
  if (UUID.test(raw)) return FORM.uuid
  if (/\s/.test(raw)) {
    if (/^[a-z]+(?: [a-z]+){1,7}$/.test(raw)) return PROSE.test(raw) ? FORM.sentence : FORM.words
    if (raw.split(/\s+/).length > 6 || MESSAGE.test(raw) || PROSE.test(raw)) return FORM.sentence
    return digits + marks > 0 ? FORM.spaced : FORM.sentence
  }
  if (/[\u0080-\uffff]/.test(raw)) return FORM.foreign
  if (/^sha\d{3}-/.test(raw)) return FORM.hash
  if (raw.length < 30 && TERM.test(raw)) return FORM.term
  if (VALIDATOR.test(raw)) return FORM.rules
  if (/^[A-Za-z_][\w.]*=[^=]/.test(raw)) return FORM.code
  if (!quote && (/[([{}]/.test(raw) || next === '(' || next === '[')) return FORM.code
  if (VERSION.test(raw)) return FORM.version
  if (PATH.test(raw)) return FORM.path
  if (IDENTIFIER.test(raw)) return FILE.test(raw) && !/[A-Z]/.test(raw) ? FORM.file : FORM.dotted
  if (FILE.test(raw) && marks === 0) return FORM.file
  if (/^[A-Z][A-Z0-9]*(?:[_-][A-Z0-9]+)+$/.test(raw) && digits <= 2) return FORM.constant
  if (/^[A-Za-z]+(?:[-_.:/][A-Za-z]+)+$/.test(raw))
    return /^[a-z]{2,16}(?:[-_][a-z]{2,16}){2,7}$/.test(raw) ? FORM['long-chain'] : FORM.chain
  if (/^[A-Za-z]*(?:\d{1,5}[A-Za-z]*)?(?:[-_.:/][A-Za-z]*(?:\d{1,5}[A-Za-z]*)?)+$/.test(raw))
    return /^[a-z0-9]{2,16}(?:[-_][a-z0-9]{2,16}){2,7}$/.test(raw) ? FORM['numbered-chain'] : FORM.pair
  if (digits > 0 && letters > 0) return marks > 0 ? FORM['marks-and-digits'] : FORM.mixed
  return marks > 0 ? FORM.marks : FORM.other
}

const fold = (text: string): string => text.replace(/[^A-Za-z0-9]/g, '').toLowerCase()

/** Counts the special characters that are rare in names, paths and base64. */
function countMarks(raw: string): number {
  let count = 0
  for (let i = 0; i < raw.length; i++) {
    const code = raw.charCodeAt(i)
    if (code > 126 || code < 33 || code === 45 || code === 46 || code === 47 || code === 58 || code === 95) continue
    if ((code > 47 && code < 58) || (code > 63 && code < 91) || (code > 96 && code < 123) || code === 61) continue
    count++
  }
  return count
}

const lengthOf = (length: number): number =>
  length < 4
    ? 0
    : length < 6
      ? 1
      : length < 8
        ? 2
        : length < 12
          ? 3
          : length < 16
            ? 4
            : length < 24
              ? 5
              : length < 40
                ? 6
                : 7

const NEXT = new Map(
  (
    [
      ['end', '\n\r'],
      ['space', ' \t\u00a0'],
      ['comma', ','],
      ['close', ')]}'],
      ['open', '(['],
      ['tag', '<'],
      ['and', '&'],
      ['semicolon', ';'],
      ['quote', '"\'`\\'],
    ] as const
  ).flatMap(([level, characters]) => [...characters].map((character) => [character, at('next', level)])),
)
const nextOf = (next: string): number => (next === '' ? 0 : (NEXT.get(next) ?? at('next', 'other')))

const LEAD = new Map(
  (
    [
      ['start', '\n\r'],
      ['space', ' \t'],
      ['separator', ';&?'],
      ['colon', ':/'],
      ['quote', '"\'`\\'],
      ['member', '.([{,@$#<'],
    ] as const
  ).flatMap(([level, characters]) => [...characters].map((character) => [character, at('lead', level)])),
)
const leadOf = (lead: string): number => (lead === '' ? 0 : (LEAD.get(lead) ?? at('lead', 'other')))

const EXACT = /^-{0,2}(?:password|passwd|passphrase|passcode|pwd|pw|secret)$/i
const ALONE = /^-{0,2}(?:all|any)?pass$/i
/** Secrets that people choose themselves. */
const CHOSEN =
  /(?:session|jwt|cookie|app|client|auth|token|signing|master|shared|hmac|webhook|encryption|refresh|access)[_.-]?secret(?:[_.-]?key)?(?:[_.-]?base)?$/i
/** A call that sets a password: `.withPassword("...")`. */
const SETTER =
  /(?:^|[._-])(?:with|set|use|add|put|enter|type|input)_?(?:user|db|database|admin|root|key_?store|trust_?store)?_?pass(?:word|wd|phrase|code)?$/i
const LABEL =
  /(?:label|message|text|error|title|hint|placeholder|prompt|pattern|url|uri|path|file|field|name|type|policy|mask)s?$/i

function nameOf(name: string): number {
  if (name === '') return at('name', 'none')
  if (EXACT.test(name)) return at('name', 'exact')
  if (ALONE.test(name) || LABEL.test(name)) return at('name', 'label')
  if (SETTER.test(name)) return at('name', 'setter')
  if (CHOSEN.test(name)) return at('name', 'chosen')
  return CONSTANT.test(name) ? at('name', 'constant') : at('name', 'plain')
}

const nameLevel = rememberWords(nameOf, (name) => !/\d/.test(name))
