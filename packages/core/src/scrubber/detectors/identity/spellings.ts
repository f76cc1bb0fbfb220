import type { OwnedForm } from '../../engine/known-forms.ts'
import type { Meter, Steps } from '../../engine/meter.ts'
import type { Sketched } from '../../engine/fold.ts'
import { latinForms, romanize } from './latin.ts'

/** Letters with diacritics. A name may contain such a letter instead of the ASCII letter in its host. */
const OTHER = '\u00c0-\u024f\u1e00-\u1eff'
const LETTER = /[\p{L}\p{M}\d]/u
/** The number of characters that one step searches. A name may end up to `MARGIN` characters later. */
const PIECE = 65_536
const MARGIN = 64
/** The maximum number of spellings of one label. */
const MOST = 16

/** The maximum number of labels whose other spellings are searched, and the form of such a label. */
const MOST_LABELS = 4
const LABEL = /^[a-z\d]{6,40}$/

/** Returns the other spellings of the host labels in a list of forms. */
export function* spellings(forms: readonly OwnedForm[], texts: readonly Sketched[], meter: Meter): Steps<OwnedForm[]> {
  const found: OwnedForm[] = []
  const labels = forms.filter(({ form }) => form.isLabel && LABEL.test(form.text))
  for (const owned of labels.slice(0, MOST_LABELS))
    for (const text of yield* spellingsOf(owned.form.text, texts, meter)) found.push({ ...owned, form: { text } })
  return found
}

/**
 * Finds the names in a trace from which the label of a host was made: `Thistle & Kiln` for `thistleandkiln`,
 * `Brückenkopf` for `brueckenkopf`. Words in lower case are not a name.
 */
function* spellingsOf(label: string, texts: readonly Sketched[], meter: Meter): Steps<Set<string>> {
  const letters = label.replace(/and|[aou]e|aa|ss|[^]/g, (part, at) => (at > 0 ? '[ -]?' : '') + lettersOf(part))
  const pattern = new RegExp(
    `${letters}|[${beginningsOf(label)}][\u0370-\u04ff]{1,29}(?=( [\u0370-\u04ff]{2,30})?)`,
    'g',
  )
  const found = new Set<string>()
  const tested = new Set<string>()
  for (const { text } of texts)
    for (let from = 0; from < text.length && found.size < MOST; from += PIECE) {
      for (const { 0: name, 1: next = '', index } of text.slice(from, from + PIECE + MARGIN).matchAll(pattern)) {
        const [before = '', after = ''] = [text[from + index - 1], text[from + index + name.length]]
        if (LETTER.test(before) || LETTER.test(after) || /^[a-z]+$|^[a-z]+ [a-z]+$/.test(name)) continue
        for (const one of [name, name + next]) {
          if (!tested.has(one) && isMade(label, one)) found.add(one)
          tested.add(one)
        }
      }
      if (meter.spend(PIECE >> 2)) yield
    }
  return found
}

/** Returns the Cyrillic and Greek letters with which a spelling of a label may begin. */
const beginningsOf = (label: string): string =>
  Array.from({ length: 0x190 }, (_, i) => String.fromCharCode(0x370 + i))
    .filter((letter) => /\p{L}/u.test(letter) && label.startsWith(romanize(letter).toLowerCase() || '?'))
    .join('')

const isMade = (label: string, name: string): boolean =>
  latinForms(name.replace('&', 'and').replace(/[ -]/g, '')).some((latin) => latin.toLowerCase() === label)

/** Returns a regular expression for letters of a label. One letter with a diacritic may replace two letters. */
const lettersOf = (part: string): string =>
  part === 'and'
    ? '(?:[aA][nN][dD]|&)'
    : [...part].map((letter, i) => `[${letter}${letter.toUpperCase()}${OTHER}]${i > 0 ? '?' : ''}`).join('')
