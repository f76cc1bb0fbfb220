import type { Rule } from '../engine/rule.ts'

/** The text between a label and its value: a colon, an equals sign or a word for number is required. */
const GAP = String.raw`[\p{L}\d_ .'’-]{0,24}?(?:["'\\]{0,3}\s?[:=#№：>]|[nN][or°º]\.?|[Nn]umber|[Nn]ummer|[Nn]umero|номер) ?["'\\:=#>(（]{0,6}\s?["'\\]{0,3}(?<![A-Za-z0-9])`

/**
 * The label begins a word, also in `userPassport`. Letters beyond ASCII may precede it, because keywords leave them
 * out.
 */
const ALONE = String.raw`(?:(?<![A-Za-z])|(?<=\\[nrt])|(?<![A-Z])(?=[A-Z]))`

const either = (words: string): string =>
  words.replace(/[a-zа-яё](?![^[]*\])/g, (char) =>
    char === char.toUpperCase() ? char : `[${char}${char.toUpperCase()}]`,
  )

/**
 * Makes a rule for values that only a label before them reveals: a label in any language, a bounded gap, the value.
 * @param words the source of an expression for the labels, in lower case. The keywords begin its matches, and case does
 * not matter.
 * @param value the source of an expression for the value. Case matters, so that prose does not match.
 */
export const labelledRule = (
  id: string,
  category: string,
  placeholder: string,
  keywords: readonly string[],
  words: string,
  value: string,
  valid: (value: string) => boolean,
): Rule => ({
  id,
  category,
  placeholder,
  keywords,
  inside: true,
  pattern: new RegExp(`${ALONE}(?:${either(words)})${GAP}(${value})(?![\\w-]|\\.\\d)`, 'uy'),
  valid,
})
