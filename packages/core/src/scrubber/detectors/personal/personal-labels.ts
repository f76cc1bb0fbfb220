import { compileCondition } from '../../engine/rule.ts'
import { rememberWords } from '../../engine/remember.ts'
import { LETTERS, NEUTRAL, personalData, TECHNICAL, type PersonalKind } from '../../rules/personal-labels.ts'

const checks = {
  /** Accepts a date, unless its day, month or year is zero, or its first two parts are both above 12. */
  birthDate: (value: string): boolean =>
    !/(?:^|\D)0+(?:\D|$)|^(?:1[3-9]|[2-9]\d)[-/.](?:1[3-9]|[2-9]\d)[-/.]/.test(value.slice(0, 10)),
}

/** The properties of each kind, with its compiled condition. */
export const personalKinds = Object.fromEntries(
  Object.entries(personalData).map(([kind, { category, placeholder, shape, valid = [] }]) => [
    kind,
    { category, placeholder, shape, valid: compileCondition(valid, checks) },
  ]),
) as Record<PersonalKind, { category: string; placeholder: string; shape: string; valid: (value: string) => boolean }>

/** Returns the name of a field in the form of the table: `Geb.-Datum` as `geb_datum`, `birthDate` as `birth_date`. */
const keyOfLabel = (name: string): string => foldLabel(name.replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1_$2'))

const foldLabel = (name: string): string =>
  (/[^\x00-\x7f]/.test(name)
    ? withoutAccents(name).replace(/[^\p{L}\p{M}\d]+/gu, '_')
    : name.toLowerCase().replace(/[^a-z\d]+/g, '_')
  ).replace(/^_|_$/g, '')

const withoutAccents = (name: string): string =>
  name
    .replace(/[ºª°]/g, ' ')
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .replace(/[ßøłıđæœð]/g, (letter) => LETTERS[letter] ?? letter)

interface Labels {
  readonly kind: PersonalKind
  readonly isEveryday: boolean
  readonly isEnglish: boolean
  readonly roots: readonly string[]
  readonly pattern: RegExp
  /** Matches every word that can contain the beginning of a match of `pattern`. */
  readonly firstWord: RegExp
}

const expandRoot = (root: string): readonly string[] =>
  root.endsWith('#') ? ['n', 'id', 'ref', 'code'].map((word) => root.slice(0, -1) + word) : [root]

/** The start of a word. */
const BEGINNING = '(?<![^_])'

const labels: readonly Labels[] = Object.entries(personalData).flatMap(
  ([kind, { labels: everyday, otherLabels, ownedLabels }]) =>
    [everyday, otherLabels, ownedLabels].flatMap((list, i) => {
      if (!list) return []
      const isEnglish = i !== 1
      // A longer label is tried first: `birth_d` before `birth`.
      const roots = list
        .split(/\s+/)
        .flatMap(expandRoot)
        .toSorted((a, b) => b.length - a.length)
      const patterns = roots.map((root) => patternOf(root, isEnglish))
      const firstWord = new RegExp(patterns.map(firstWordOf).join('|'))
      const pattern = new RegExp(patterns.join('|'), 'g')
      return { kind: kind as PersonalKind, isEveryday: i === 0, isEnglish, roots, pattern, firstWord }
    }),
)

/**
 * Returns the source of a regular expression for a label. A long word, or a word that is not ASCII, is also found
 * inside a longer word: `Kundentelefonnummer`.
 */
function patternOf(root: string, isEnglish: boolean): string {
  const key = keyOfLabel(root)
  if (/[^\x00-\x7f]/.test(key)) return key
  const isPhrase = key.includes('_')
  if (isEnglish) return `${BEGINNING}${key}${isPhrase ? '[^_]*' : 's?(?![^_])'}`
  if ((key.length < 5 && !isPhrase) || /[$:]$/.test(root)) return `${BEGINNING}${key}s?(?![^_])`
  return key.length > 6 && !isPhrase ? key : `${BEGINNING}${key}`
}

/** Returns the source for the first word of a match of `patternOf`: `^post$` for `(?<![^_])post_code[^_]*`. */
function firstWordOf(pattern: string): string {
  const whole = pattern.replace(BEGINNING, '^').replace('(?![^_])', '$').replace('[^_]*', '')
  return whole.replace(/_[^]*/, '$')
}

/** Returns the keywords of a label: words in ASCII, or words with a character beyond Latin-1. */
function keywordsOf(root: string, isEnglish: boolean): readonly string[] {
  if (root.endsWith(':')) return [':', '.', '=', '"'].map((mark) => root.slice(0, -1) + mark)
  const parts = root.split('_').map((part) => (/[^\x00-\xff]/.test(part) ? part : keyOfLabel(part)))
  const plain = root.split('_').filter((part) => part.length > 4 && /^[\x00-\x7f]+$/.test(part))
  const longest =
    parts.find((part) => part.length > 2 && /[^\x00-\xff]/.test(part)) ??
    (plain.length > 0 ? plain : parts).reduce((a, b) => (b.length > a.length ? b : a))
  if (parts.length > 1 && (isEnglish || longest.length < 5))
    return ['_', ' ', '-', ...(isEnglish ? [''] : []), ...(longest.length < 5 ? ['.', '. ', '.-', '/'] : [])].map(
      (gap) => parts.join(gap),
    )
  const written = root.split('_')[parts.indexOf(longest)] ?? ''
  // The ASCII parts of a word are keywords too, such as `vil` in `móvil`.
  return written === longest ? [longest] : [longest, ...(written.match(/[a-z]{4,}|(?<=[^a-z])[a-z]{3}$/g) ?? [])]
}

/** Short keywords that are also found inside a word: `customerPhone`. */
const INSIDE = new Set(
  'phone mobile birth dob zip ssn iban npi mrn bsn imei imsi iccid lat lng lon serial nasc'.split(' '),
)

const keywords = labels.flatMap(({ roots, isEnglish }) =>
  roots.flatMap((root) =>
    keywordsOf(root.replace('$', ''), isEnglish).map((word) => ({
      word,
      // The keyword of `loan_n` is `loann`, which occurs inside `setLoanNumber`.
      isInside:
        word.length > 6 || INSIDE.has(word) || (word.length > 4 && word !== root && word === root.replace('_', '')),
    })),
  ),
)

const nameKeywords = labels
  .filter(({ kind }) => kind === 'name')
  .flatMap(({ roots, isEnglish }) => roots.flatMap((root) => keywordsOf(root.replace('$', ''), isEnglish)))
  .map((keyword) => keyword.replace(/[.]/g, '\\.'))
/** Matches the beginning of a label for a name. */
export const NAME_LABEL = new RegExp(['holder|name|inh|姓|氏|名|이름|성명', ...new Set(nameKeywords)].join('|'), 'i')

const inside = new Set(keywords.filter(({ isInside }) => isInside).map(({ word }) => word))
/** A keyword of at least this length is found regardless of the text after the keyword. */
const LEAST_BEGINNING = 7

/**
 * The keywords that are also found inside a word: `customerPhone`, `Kundentelefonnummer`. A keyword that begins with
 * another keyword is left out, because the finder reads the whole name of the field.
 */
export const personalKeywords: readonly string[] = [...inside].filter(
  (word) =>
    !Array.from(word, (_, end) => word.slice(0, end)).some(
      (part) => part.length >= LEAST_BEGINNING && inside.has(part),
    ),
)
/** The keywords that are found only at the beginning of a word. */
export const personalBeginnings: readonly string[] = [
  // The first word of a label such as `Policy #`.
  ...'patient member policy claim group'.split(' '),
  ...new Set(keywords.filter(({ isInside }) => !isInside).map(({ word }) => word)),
]

/**
 * Returns the kinds of values that a field or a column with this name may contain: `patente` is a driving licence or a
 * number plate.
 */
export const classifyPersonalLabel = rememberWords((name): readonly PersonalKind[] | null => {
  const key = keyOfLabel(name)
  if (TECHNICAL.test(key)) return null
  // The name is also tried as one word, as for `MyKad` and `WhatsApp`.
  const whole = foldLabel(name)
  const kinds = new Set(whole === key ? kindsOf(key) : [...kindsOf(key), ...kindsOf(whole)])
  return kinds.size > 0 ? [...kinds] : null
})

const anyFirstWord = new RegExp(labels.map(({ firstWord }) => firstWord.source).join('|'))
const NO_LABELS: readonly Labels[] = []

/** Returns the labels that may begin in a word. Results are stored by word, because labels consist of few words. */
const labelsOf = rememberWords((word): readonly Labels[] =>
  anyFirstWord.test(word) ? labels.filter(({ firstWord }) => firstWord.test(word)) : NO_LABELS,
)

const kindsOf = (key: string): readonly PersonalKind[] => {
  const possible = new Set(key.split('_').flatMap(labelsOf))
  if (possible.size === 0) return []
  return labels
    .filter((one) => possible.has(one))
    .flatMap(({ kind, isEveryday, pattern }) => {
      const rest = key.replace(pattern, '')
      if (rest === key) return []
      const others = rest.split('_')
      const isOfKind = isEveryday
        ? others.every((word) => /^\d*$/.test(word) || NEUTRAL.has(word) || word === kind)
        : others.length < 6
      return isOfKind ? [kind] : []
    })
}
