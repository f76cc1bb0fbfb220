import { isCard } from './checksum.ts'
import { beginsWord, isAlnum, isDigit } from './character.ts'
import type { Finding, Rule } from './rule.ts'

const NEAR_PHONE = /(?:phone|(?:^|[^a-z])(?:tel(?:efon[eo]?)?|mobile|cell(?:ular)?|fax|call(?:ing|ed)?(?: me)?|contact|whats ?app|sms|text me|handy|dial|reach me|number is))(?![a-z])[^\n]{0,24}$/i
const NEAR_SSN = /(?:ssn|social.{0,3}security|itin|tax(?:payer)?.{0,3}id)[^\n]{0,24}$/i

/** Cards, social security numbers and phone numbers begin with a digit: one look at the run of digits that starts here. */
export function findNumber(text: string, start: number, _end: number, rule: Rule, found: Finding[]): void {
  if (isDigit(text, start - 1) || (isAlnum(text, start - 1) && !beginsWord(text, start))) return
  const before = text[start - 1]
  if (before === '.' || (before === '-' && isAlnum(text, start - 2)) || before === '_') return
  if (before === ' ' && isDigit(text, start - 2)) return
  let end = start
  let digits = ''
  const limit = Math.min(text.length, start + 32)
  while (end < limit) {
    const char = text[end]!
    if (char >= '0' && char <= '9') digits += char
    else if (!((char === ' ' || char === '-' || char === '.' || char === ')') && (isDigit(text, end + 1) || (char === ')' && text[end + 1] === ' ')))) break
    end++
  }
  if (digits.length < 9 || isAlnum(text, end) || text[end] === '_' || (text[end] === '.' && isDigit(text, end + 1))) return
  const raw = text.slice(start, end)
  const push = (category: string, placeholder: string, from = start): void => {
    found.push({ start: from, end, rule: { id: rule.id, category, placeholder }, value: digits, also: [text.slice(from, end)] })
  }
  if (digits.length >= 12 && digits.length <= 19 && /^\d{12,19}$|^\d{4}([ -])\d{4}\1\d{4}\1\d{1,7}$|^\d{4}([ -])\d{6}\2\d{4,5}$|^\d{4}([ -])\d{4}\3\d{4}\3\d{4}\3\d{1,3}$/.test(raw) && isCard(digits)) return push('card', 'CARD')
  const context = text.slice(Math.max(0, start - 48), start)
  if (digits.length === 9 && (/^\d{3}([- .])\d{2}\1\d{4}$/.test(raw) || (raw.length === 9 && NEAR_SSN.test(context)))) {
    if (/^(?:000|666)|^\d{3}00|0000$/.test(digits) || digits === '123456789' || digits === '078051120') return
    if (digits[0] === '9' && !/^9\d\d(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])/.test(digits)) return
    return push('ssn', 'SSN')
  }
  const open = before === '(' ? start - 1 : start
  if (/^\d{3}(?:\) ?|[-. ])\d{3}[-. ]\d{4}$/.test(raw) || (raw.startsWith('1') && /^1[-. ]\(?\d{3}\)?[-. ]\d{3}[-. ]\d{4}$/.test(raw))) {
    if (/^1?[2-9]\d{2}[2-9]\d{6}$/.test(digits)) return push('phone', 'PHONE', raw.includes(')') ? open : start)
  }
  if (digits.length <= 15 && NEAR_PHONE.test(context) && (digits.length === 10 ? /^[02-9]/.test(digits) : /^[01]/.test(digits) || /[ -]/.test(raw))) push('phone', 'PHONE')
}

/** `+` and a country's number, E.164: 8 to 15 digits. */
export function findPlus(text: string, start: number, _end: number, rule: Rule, found: Finding[]): void {
  if (!isDigit(text, start + 1) || text[start + 1] === '0' || isAlnum(text, start - 1)) return
  let end = start + 1
  let digits = ''
  const limit = Math.min(text.length, start + 26)
  while (end < limit) {
    const char = text[end]!
    if (char >= '0' && char <= '9') digits += char
    else if (!(' -.()/'.includes(char) && (isDigit(text, end + 1) || ((char === ' ' || char === ')') && '( '.includes(text[end + 1] ?? 'x') && (isDigit(text, end + 2)))))) break
    end++
  }
  if (digits.length < 8 || digits.length > 15 || isAlnum(text, end)) return
  found.push({ start, end, rule, value: digits, also: [text.slice(start, end)] })
}
