import { matchRule, type Finder } from '../../engine/findings.ts'
import { beginsWord } from '../../engine/character.ts'
import { classifyKeyName } from './key-name.ts'

/**
 * Finds tokens with a characteristic text in the middle. The rule's pattern matches from this text on, and `head`
 * matches the part before this text.
 */
export const findAroundMarker =
  (head: RegExp, reach: number, exact = true): Finder =>
  ({ text, start, rule, found }) => {
    const tail = matchRule({ text, start, rule })
    if (!tail) return
    const match = head.exec(text.slice(Math.max(0, start - reach), start))
    if (!match) return
    let from = start - match[0].length
    // In `\\nabc`, the `n` belongs to the escape.
    if (text[from - 1] === '\\' && 'nrt'.includes(text.charAt(from)) && head.test(text.slice(from + 1, start))) from++
    if (exact && !beginsWord(text, from)) return
    const end = start + tail[0].length
    found.push({ start: from, end, rule, value: text.slice(from, end) })
  }

const ACCOUNT_KEY = findAroundMarker(/(?<![A-Za-z0-9+/=-])[A-Za-z0-9+/]{86}$/, 88, false)
const NAME = /([\w-]{1,60})\\{0,7}["'`]?\s{0,3}(?:=>|:=|[:=])\s{0,3}\\{0,7}["'`]?$/
const OF_KEY = /key|secret|private|credential|account|storage|azure|cosmos|primary|secondary/i
/**
 * Finds a key of 64 bytes in base64, as Azure issues it. A SHA-512 hash has the same form, so the name of the value must
 * indicate a key, or the text before a value without an own name.
 */
export const findAccountKey: Finder = (hit) => {
  const before = hit.text.slice(Math.max(0, hit.start - 206), Math.max(0, hit.start - 86))
  const name = NAME.exec(before)?.[1]
  const named = !name || /^value$/i.test(name) ? OF_KEY.test(before) : OF_KEY.test(name) && classifyKeyName(name)
  if (named) ACCOUNT_KEY(hit)
}

/** Finds values whose form is common. The rule's pattern counts only after a word that identifies the value. */
export const findAfterWord =
  (before: RegExp, reach: number): Finder =>
  ({ text, start, rule, found }) => {
    const match = matchRule({ text, start, rule })
    if (!match || !beginsWord(text, start) || !before.test(text.slice(Math.max(0, start - reach), start))) return
    const end = start + match[0].length
    const value = match[1] ?? match[0]
    if (rule.valid && !rule.valid(value)) return
    found.push({ start: end - value.length, end, rule, value })
  }

const DISCORD = findAroundMarker(/[MNO][\w-]{23,27}$/, 28)
/**
 * Finds three parts of fixed length with a dot between them. Tries the pattern only if the second dot is at the
 * expected position.
 */
export const findDiscord: Finder = (hit) => {
  if (hit.text.charCodeAt(hit.start + 7) === 46) DISCORD(hit)
}
