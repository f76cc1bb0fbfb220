import { JOIN } from '../../rules/layouts.ts'
import { isLower } from '../../engine/character.ts'
import type { Hit } from '../../engine/findings.ts'

/**
 * A postal code and a town: `70197 Stuttgart`, `9717 CA Groningen`, `61-881 Poznań`. If a street and a number precede
 * them, the label of the address does not need a colon.
 */
const CODE_AND_TOWN = String.raw`(?:\d{4,5}(?: [A-Z]{2})?|\d{2}-\d{3}) \p{Lu}\p{Ll}`
/**
 * The text from a label to its value: the rest of the label, quotes, a colon, an equals sign, the end of a tag, or a
 * word for "is".
 */
const BEHIND_LABEL = new RegExp(
  String.raw`[\p{L}_]{0,16}(?:[ _-]?(?:line|[zZ]eile))?[ _-]?1?(?: [\p{L}]{1,14})?(?:["'\\]{0,4}(?:[ \t]{0,24}(?:=>|={2,3}|[:=：])[ \t]{0,2}|>| to )["'\\]{0,4}(?=[^\s"'\\<*(\[{])|${JOIN}| (?=\p{Lu}[\p{L}.'’ -]{2,40} \d{1,4} ?[a-z]?(?:[/-]\d{1,4})?, ${CODE_AND_TOWN}))`,
  'uy',
)
const QUOTED = /[^"\n\\<>{}=$|*@;]{6,140}(?=["\\])/y
const PLAIN = /[^"'\n\\<>{}=$|*@;&\t[\]()]{6,120}/y

/** A house number that is not part of a word, a version, a size or a time. */
const NUMBER =
  /(?<![\w.:/#+])(?<!\d-)(?:\d{1,6}(?:[-/]\d{1,4})?(?: ?[a-zA-Z])?)(?![\w%:=]|\.\d)|\d(?:号|號|番|丁目|[-−ー－]\d)/u
const WORD =
  /\p{Lu}\p{L}?[\p{Ll}'’.-]{2,}|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af\p{sc=Hebr}\p{sc=Arab}\p{sc=Thai}]{3}/u
/**
 * The beginnings of technical values after a label for an address, such as a memory address, a URL, or the words `Line`
 * and `Port`.
 */
const TECHNICAL =
  /^(?:0x|\d{1,3}\.\d{1,3}\.|[a-z]+:\/\/|localhost|(?:Line|Index|Port|Block|Page|Offset|Slot|Register|Node|Step|Server|Host|Table|Column|Type|Version|Chapter|Section|Error|Issue|Invalid|Memory|Bus|Device|Byte|Level|Email|Mail|Street|Address|Test|Item|Example|Option|Field|Value|User|Customer|Company|Bank|Wallet|Contract|Token|Public|Private|The|This|These|Use|See|Add|If|It|No|Not)\b)/
const UNITS =
  /\d+ (?:bytes?|bits?|of|or|and|to|items?|entries|characters?|chars|words?|is|are|seconds?|minutes?|ms|MB|GB|KB|times|lines?|columns?|more|different|new|issues?|comments?|points?)\b/

/** Finds an address after the name of a field or after a label, in the form of any country. */
export function findLabelledAddress({ text, start, end, rule, found }: Hit): void {
  // The keyword is inside a word. Only `adress` counts there, as in `Lieferadresse`.
  if (isLower(text, start - 1) && isLower(text, start) && !text.startsWith('adress', start)) return
  // The keyword `stra` counts in `strasse`, `straat` and `strada`, but not in `strategy`.
  if (end - start === 4 && /^stra/i.test(text.slice(start, end)) && !/^(?:ß|ss|at|da)/i.test(text.slice(end, end + 2)))
    return
  // The keyword is the beginning of a verb: `addressed`.
  if (/^(?:ess)?(?:ed|ing|able)\b/.test(text.slice(end, end + 8))) return
  BEHIND_LABEL.lastIndex = end
  const join = BEHIND_LABEL.exec(text)
  if (!join) return
  const from = end + join[0].length
  const quoted = text[from - 1] === '"'
  const shape = quoted ? QUOTED : PLAIN
  shape.lastIndex = from
  let value = shape.exec(text)?.[0]
  if (!value) return
  if (!quoted)
    value =
      /^.{12,}?(?:\p{Ll}{4}|\d{4})(?=[.!?] \p{Lu}| (?:svp|please|and|und|et|for now)\b)/u.exec(value)?.[0] ?? value
  value = value.replace(/[\s,.]+$/, '')
  if (
    value.length < 6 ||
    TECHNICAL.test(value) ||
    UNITS.test(value) ||
    !NUMBER.test(value) ||
    !WORD.test(value) ||
    /[_]|::|\p{Ll}{3}:\p{L}|\d{7}|^\d{1,3}[.)] |^\d+ {2}|\p{Ll}\p{Lu}/u.test(value)
  )
    return
  const words = value.split(/[\s,]+/).length
  const isUncased = /[\u3040-\u9fff\uac00-\ud7af\p{sc=Hebr}\p{sc=Arab}\p{sc=Thai}]/u.test(value)
  if (
    !isUncased &&
    (words < 2 ||
      words > 16 ||
      !/^[\p{Lu}\d]|^(?:ul|al|os|av|c|bd|rue|via|пл|ул|г|вул|м|пр|пер|бул|đường|проспект|улица|вулиця|по)[./ ]/u.test(
        value,
      ))
  )
    return
  found.push({ start: from, end: from + value.length, rule, value })
}
