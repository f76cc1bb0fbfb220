/**
 * Characters that a program reads and a person does not see: zero-width characters, bidirectional controls, tag
 * characters, variation selectors, fillers and annotation marks (Unicode's Default_Ignorable_Code_Point, and U+FFF9 to
 * U+FFFB). Another person's text can hide a second text in such characters.
 */
export const hidden = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu

// Four of these characters join words and emojis. `keepJoiners` keeps the joiners that have an effect.
const unjoined = /(?!\u200c|\u200d|\ufe0e|\ufe0f)[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu
const joining = /(?:\u200c|\u200d|\ufe0e|\ufe0f)+/g

// oxlint-disable-next-line no-control-regex -- the expression matches control characters
const control = /[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]/g
const breaks = /\r\n?|[\v\f\u0085\u2028\u2029]/g
/** The empty Braille cell looks like a space. */
const blank = /[\s\u2800]/

/**
 * Returns the joiners of a run that have an effect: a selector for the preceding character, and a joiner between two
 * characters.
 */
function keepJoiners(run: string, index: number, text: string): string {
  const before =
    index === 0 || blank.test(text.charAt(index - 1))
      ? ''
      : (/^(?:\ufe0e|\ufe0f)?(?:\u200c|\u200d)?/.exec(run)?.[0] ?? '')
  const next = text[index + run.length]
  return next === undefined || blank.test(next) ? before.replace(/\u200c|\u200d/, '') : before
}

/**
 * Returns text of several lines without control characters except tab and line feed, and without invisible characters
 * except the joiners of words and emojis. Every line break becomes `\n`. Idempotent.
 *
 * ```ts
 * plainText('on\u202ee\r\nt\u{e0077}wo') // 'one\ntwo'
 * ```
 */
export function plainText(text: string): string {
  return text
    .toWellFormed()
    .replace(breaks, '\n')
    .replace(control, '')
    .replace(unjoined, '')
    .replace(joining, keepJoiners)
}

/**
 * Returns one line, such as a name or a subject: line breaks, tabs and control characters become single spaces, and the
 * ends are trimmed.
 */
export function plainLine(text: string): string {
  return plainText(text.replace(control, ' '))
    .replace(/[\s\u2800]+/g, ' ')
    .trim()
}

/** Replaces NUL, at which SQLite truncates text, and lone surrogates, which UTF-8 cannot encode, by U+FFFD. */
export function sanitizeText(text: string): string {
  const formed = text.isWellFormed() ? text : text.toWellFormed()
  return formed.includes('\0') ? formed.replaceAll('\0', '\uFFFD') : formed
}

/** Converts a valid ISO 8601 time with `Z` or an offset to UTC. `Date` reads only offsets with a colon and minutes. */
export function toUtc(text: string): string {
  const readable = text.replace(/([+-]\d\d):?(\d\d)?$/, (_, hours, minutes = '00') => `${hours}:${minutes}`)
  return new Date(readable).toISOString()
}
