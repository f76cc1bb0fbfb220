/**
 * What a reader does not see though a program reads it: zero-width characters, bidirectional controls, tag characters, variation
 * selectors, fillers and annotation marks (Unicode's Default_Ignorable_Code_Point, and U+FFF9 to U+FFFB). A stranger's text
 * can carry a second text in them, which nobody who judges it sees.
 */
export const hidden = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu

// Of these, four have an honest use inside a word or an emoji: there, one of each may stand.
const uncalled = /(?!\u200c|\u200d|\ufe0e|\ufe0f)[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu
const joining = /(?:\u200c|\u200d|\ufe0e|\ufe0f)+/g

// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const control = /[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]/g
const breaks = /\r\n?|[\v\f\u0085\u2028\u2029]/g
/** Braille's empty cell is a space to whoever looks. */
const blank = /[\s\u2800]/

/** A run of joiners as far as it joins: a selector of the character before, a joiner between two characters. */
function joined(run: string, at: number, text: string): string {
  const before = at === 0 || blank.test(text[at - 1]!) ? '' : /^(?:\ufe0e|\ufe0f)?(?:\u200c|\u200d)?/.exec(run)![0]
  const next = text[at + run.length]
  return next === undefined || blank.test(next) ? before.replace(/\u200c|\u200d/, '') : before
}

/**
 * Text of more lines as it is shown: no control character but tab and line feed, nothing hidden but what joins a word or an
 * emoji; every line break is `\n`. Plain twice is plain once.
 *
 * ```ts
 * plainText('on\u202ee\r\nt\u{e0077}wo') // 'one\ntwo'
 * ```
 */
export function plainText(text: string): string {
  return text.toWellFormed().replace(breaks, '\n').replace(control, '').replace(uncalled, '').replace(joining, joined)
}

/** The same for what is one line, such as a name or a subject: breaks, tabs and controls become spaces, single, none at the ends. */
export function plainLine(text: string): string {
  return plainText(text.replace(control, ' '))
    .replace(/[\s\u2800]+/g, ' ')
    .trim()
}

/** Makes text fit to keep: NUL, which SQLite cuts at, and lone surrogates, which UTF-8 cannot say, become U+FFFD. */
export function sanitizeText(text: string): string {
  const formed = text.isWellFormed() ? text : text.toWellFormed()
  return formed.includes('\0') ? formed.replaceAll('\0', '\uFFFD') : formed
}
