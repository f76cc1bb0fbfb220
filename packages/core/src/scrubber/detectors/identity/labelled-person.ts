import type { Finder, Hit } from '../../engine/findings.ts'
import { isEasternName, isLongForm, isPersonName } from './person-name.ts'
import { placeOf, pushIdentity } from './learned-identity.ts'

/** The text between a label and its value: `: `, `": "`, ` = `, `** `, `(s): `. */
const JOIN =
  /(?:\(s\))?\\{0,7}["'`*_\]]{0,3}[ \t]{0,12}(?:[:：]|=>?|>)[*_]{0,2}[ \t]{0,4}(?:(?:\r?\n|\\n)[ \t]{0,12}- )?\[?(?:\s|\\n){0,16}/uy
/** A word of a name. It does not end with an apostrophe, because such an apostrophe is a closing quote. */
const WORD = String.raw`\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?<!['’])`
const PARTICLE = String.raw`(?:van|von|de|der|den|da|di|del|dos|la|le|al|el|bin|ibn|zu|ter|y)`
/**
 * The parts of the regular expression for a full name: two words with capital letters, two words of a script without
 * letter case, or an East Asian name.
 */
const QUOTE = '\\\\{0,7}["\'`]'
const BEHIND = String.raw`(?=\1?(?:$|[\s"'\\,;<>|)}\]（(*]|\.(?:\s|$)))`
const CAPITALIZED = String.raw`${WORD}(?: (?:${WORD}|${PARTICLE}(?= ))){1,3}|${WORD}, ${WORD}(?: ${WORD})?`
const EASTERN = String.raw`[\p{Script=Han}々]{1,4} ?[\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}]{1,4}|[가-힣]{2,4}`
const UNCASED = String.raw`(?:[\p{Script=Arabic}\p{M}]{2,20}|[\p{Script=Devanagari}\p{M}]{2,20}) [\p{Script=Arabic}\p{Script=Devanagari}\p{M}]{2,20}`
/** The field `name` at the beginning of a record in a list: `[{ "name": `. */
const FIELD = String.raw`(?:(?:\{\s{0,16})?\\{0,7}["']?name\\{0,7}["']?\s?[:=]\s?)?`
const NAME = new RegExp(`${FIELD}@?(${QUOTE})?(${CAPITALIZED}|(?:${EASTERN})(?! [\`A-Z])|${UNCASED})${BEHIND}`, 'uy')
const NEXT =
  /\\{0,7}["'`]?(?: \([^()\n]{1,40}\)| <[^<>\n]{1,80}>)?\\{0,7}["'`]?(?:(?:,|\\n|\s){1,16}\\{0,7}["']?(?:e?-?mail|role|affiliation|url)\\{0,7}["']?\s?[:=]\s?\\{0,7}["']?[^\s"'\\]{1,80}\\{0,7}["']?){0,2}(?:\s{0,16}\})?(?:[,;、]| and| &| und| et| y|(?:\r?\n|\\n)[ \t]{0,12}-)(?:\s|\\n){0,12}/uy
const MOST = 8
/** The beginning of a further word that does not join two names. */
const GOES_ON = /^ (?!(?:and|und|et|y|e|i|og|och|en) )\p{Ll}{2}/u
const HEADING = /^[^\n]{1,60}\n([=~^`-])\1{3}/
const LONGEST_HEADING = 66

/** Finds the people after a label: `Reviewer: Jane Roe`, `"authors": ["Jane Roe", "Max Doe"]`, `作者：杨娟`. */
export const findLabelledPerson: Finder = (hit) => {
  const { text, start, end, found } = hit
  if (start > 0 && /[\p{L}\p{N}]/u.test(text.charAt(start - 1)) && text[start - 2] !== '\\') return
  // The label is in a key of a translation catalog: `"heading.contact"`.
  if (text[start - 1] === '.' && !/^ ?=/.test(text.slice(end, end + 2))) return
  // The label is the last word of such a key: `"headline.new_client"`, `['_manager']`, `<string name="no_sender"`.
  if (/(?:[a-z]\.\w+_|["']_(?:\w+_)?|<string name="\w*)$/.test(text.slice(Math.max(0, start - 40), start))) return
  // The label is in the name of a constant: `SERVICE_DISPLAY_NAME = "Work Station"`.
  if (/[A-Z\d]_[A-Z]$/.test(text.slice(Math.max(0, start - 2), start + 1))) return
  // The label is the name of a type: `struct Author: Equatable, Codable`.
  if (
    /\b(?:struct|class|enum|protocol|extension|interface|type|trait) $/.test(text.slice(Math.max(0, start - 10), start))
  )
    return
  JOIN.lastIndex = end
  if (!JOIN.test(text)) return
  let at = JOIN.lastIndex
  // A text without quotes is rather a label after a key with dots, and as the name to display: `displayName: Build All`.
  const isDisplayed = /^display/i.test(text.slice(start, start + 7))
  const isLabel = text[start - 1] === '.' || isDisplayed
  if (isLabel && !/["'`\\]/.test(text.slice(at - 1, at + 1))) return
  // A description explains a setting, a product or a command. A record of a person does not have one.
  if (isDisplayed && /^[^{}]{0,160}description["']?\s?[:=]/i.test(text.slice(at, at + 180))) return
  // A line of marks below a line makes it a heading.
  if (text[at - 1] === '\n' && HEADING.test(text.slice(at, at + LONGEST_HEADING))) return
  if (found.isReadAlready({ start, end: at }, 'labelled-person', 4)) return
  for (let count = 0; count < MOST; count++) {
    const name = nameAt(hit, at)
    if (name === 0) return
    NEXT.lastIndex = name
    if (!NEXT.test(text)) return
    at = NEXT.lastIndex
  }
}

/** Adds the name that begins here. Returns the index at which the name ends, or 0 if there is no name. */
function nameAt({ text, rule, found }: Hit, at: number): number {
  NAME.lastIndex = at
  const match = NAME.exec(text)
  const value = match?.[2]
  if (!match || !value) return 0
  if (/\p{Lu}/u.test(value) ? !isPersonName(value) : !isEasternName(value)) return 0
  // A comma ends a greeting in a catalog: `dear_customer: "Caro Cliente,"`.
  if (match[1] && text.startsWith(`,${match[1]}`, NAME.lastIndex)) return 0
  if (isLongForm(value, text, at)) return 0
  // A quoted sentence begins with two words that look like a name: `"displayName": "Defective ALDOB does not bind"`.
  if (match[1] && GOES_ON.test(text.slice(NAME.lastIndex, NAME.lastIndex + 6))) return 0
  pushIdentity(
    { kind: 'person', value, start: NAME.lastIndex - value.length, rule: { ...rule, ...placeOf(rule) } },
    found,
  )
  return NAME.lastIndex
}
