import { ibanLength, isCard, isIban } from '../checks/checksum.ts'
import { beginsWord, isAlnum, isDigit, isLetter, isUpper, isJoining } from '../../engine/character.ts'
import type { Check } from '../../engine/rule.ts'
import type { IdNumber } from '../../rules/id-numbers.ts'
import { isFictitious, isInternational, isNational } from './phone-number.ts'
import type { Finder, Hit } from '../../engine/findings.ts'

const SPACE = 32
const PERCENT = 37
const QUOTE = 39
const OPEN = 40
const HYPHEN = 45
const DOT = 46
const UNDERSCORE = 95

const NEAR_PHONE =
  /(?:phone|(?:^|[^a-z])(?:t[eé]l(?:[eé](?:f|ph)on[eo]?)?|m[oó]vil|mobile?|mob|cell(?:ular|ulare)?|fax|ring(?: me)?(?: on| at)?|call(?:ing|ed)?(?: me)?|contact|whats ?app|signal|viber|sms|text me|handy|dial(?! (?:tc|ud)p)|reach me|(?:my|your|his|her|their|our|['’]s) number is|celular|cellulare|portable|gsm|natel|tlf|puh|telefoon|puhelin|cep)(?:[ -]?(?:nummer|numer|number|nr|no))?(?![a-z])|电话|電話|手机|手機|联系方式|携帯|連絡先|ファックス|전화|휴대폰|핸드폰|연락처|тел(?:ефон)?[.а-я]{0,3}|моб|мобильн|номер|τηλ|κινητό|هاتف|جوال|טלפון|נייד|फ़ोन|फोन|मोबाइल|โทร|điện thoại)[^\n]{0,24}$/i
/** A phrase before the phone number of a person. */
const SAYS_SO =
  /(?:(?:call|ring|text|phone|reach|dial) (?:me|us|him|her|them)(?: back)?(?: (?:at|on))?|(?:my|our|his|her|home|office|work) (?:phone |cell |mobile )?(?:number|phone|cell|mobile)(?: is)?)[ :]{1,2}$/i
/** An IP address. Four pairs of digits may also be a phone number. */
const IP_ADDRESS = /^(?!(?:\d\d\.){3}\d\d$)\d{1,3}(?:\.\d{1,3}){3}$/
/** Units after counts and measures. */
const UNIT = /^ ?(?:[nmuµ]s|bytes|ops|rows)(?![A-Za-z])|^\.\.\d/
const NEAR_CARD = /(?:card|karte|carte|tarjeta|carta|cart[aã]o|visa|\bcc|\bpan)[^\n]{0,24}$/i
/** Words before the number of an American Express card. After such words, the check digit is not required. */
const NEAR_AMEX = /(?:amex|express|card)[^\n]{0,24}$/i
const NEAR_SSN = /(?:ssn|social.{0,3}security|itin|tax(?:payer)?.{0,3}id)[^\n]{0,24}$/i

/** A kind of number with a compiled condition. */
export interface CompiledNumber extends IdNumber {
  readonly category: string
  readonly valid: Check
}

/**
 * Returns the kinds of numbers that may begin with `letters` letters and, if `letters` is 0, with `run` consecutive
 * digits.
 */
type Candidates = (letters: number, run: number) => readonly CompiledNumber[]

function candidatesOf(idNumbers: readonly CompiledNumber[]): Candidates {
  const buckets = new Map<number, readonly CompiledNumber[]>()
  return (letters, run) => {
    const key = letters > 0 ? -letters : run
    let list = buckets.get(key)
    if (!list) {
      list = idNumbers.filter(
        ({ letters: lead = '0', runs }) =>
          lead.includes(String(letters)) && (letters > 0 || !runs || runs.includes(run)),
      )
      buckets.set(key, list)
    }
    return list
  }
}

/** Creates the finder of cards, phone numbers, IBANs, social security numbers, and given identity numbers. */
export const numberFinder = (idNumbers: readonly CompiledNumber[]): Finder => {
  const candidates = candidatesOf(idNumbers)
  return (hit) => findDigits(hit, candidates)
}

/** Returns the words around a number without our own placeholders, which may be cut at the ends. */
const withoutPlaceholders = (context: string): string =>
  context.includes('_') ? context.replace(/\[[A-Z0-9_]+_\d+\]?|[A-Z0-9_]+_\d+\]/g, '') : context

/** A color in CSS (`rgb(59 130 246 / 0.5)`), and the id of an object in Python (`<AsyncMock id='140637858687568'>`). */
const NO_PERSON = /(?<!\w)(?:rgba?|hsla?|hwb|(?:ok)?l(?:ab|ch))\($|<[A-Z]\w{1,40}(?: [^<>\n]{1,30})? id='$/
/**
 * Finds the card, social security number or phone number that begins with this digit. Most numbers are short or part of
 * a longer text, so such numbers are excluded first.
 */
function findDigits(hit: Hit, candidates: Candidates): void {
  const { text, start } = hit
  const { length } = text
  const lead = start > 0 ? text.charCodeAt(start - 1) : SPACE
  // The digit is inside a number, a version or a name, or follows the first part of a date or of words with hyphens.
  if ((lead > 47 && lead < 58) || lead === DOT || lead === UNDERSCORE || (lead === HYPHEN && isAlnum(text, start - 2)))
    return
  // The digit belongs to an escape such as `%27`. The decoded text is searched separately.
  if (lead === PERCENT) return
  if ((lead === OPEN || lead === QUOTE) && NO_PERSON.test(text.slice(Math.max(0, start - 80), start))) return
  let stop = start + 1
  let code = SPACE
  for (; stop < length; stop++) {
    code = text.charCodeAt(stop)
    if (code > 57 || code < 48) break
  }
  const run = stop - start
  if (run < 6) {
    if (stop === length) return
    if (
      !isAlnum(text, stop) &&
      !goesOn(text, stop, code) &&
      !(isUpper(text, stop + 1) && isUpper(text, start - 1) && isUpper(text, start - 2))
    )
      return
  }
  // The number is the date and time of a log line.
  if (run === 4 && code === HYPHEN && text.charCodeAt(stop + 3) === HYPHEN && lead !== 43 && !isLetter(text, start - 1))
    return
  if (findIdNumber(hit, candidates) || (isAlnum(text, start - 1) && !beginsWord(text, start))) return
  if (lead === SPACE && isDigit(text, start - 2)) return
  readNumber(hit)
}

/** Finds the card, social security number or phone number that begins here. The number may contain separators. */
function readNumber({ text, start, rule, found }: Hit): void {
  const before = text[start - 1]
  let end = start
  let digits = ''
  const limit = Math.min(text.length, start + 32)
  while (end < limit) {
    const char = text.charAt(end)
    if (char >= '0' && char <= '9') digits += char
    else if (char === '/' && digits[0] === '0' && end - start < 6 && isDigit(text, end + 1) && isDigit(text, end + 4))
      end += 0
    else if (char === ' ' && text[end + 1] === '/' && text[end + 2] === ' ' && isDigit(text, end + 3)) end += 2
    else if (
      !(
        (char === ' ' || char === '-' || char === '.' || char === ')') &&
        (isDigit(text, end + 1) || (char === ')' && text[end + 1] === ' '))
      )
    )
      break
    end++
  }
  if (digits.length < 7 || isAlnum(text, end) || text[end] === '_' || (text[end] === '.' && isDigit(text, end + 1)))
    return
  const raw = text.slice(start, end)
  if (/^(\d)\1+$/.test(digits) || IP_ADDRESS.test(raw)) return
  // The number is a price: `$800-1200`.
  if (before !== undefined && '$€£¥₹'.includes(before)) return
  // The number is a time in milliseconds since 1970, or consists of digits in ascending order.
  if (/^1[5-9]\d{11}$|^0?123456789/.test(raw)) return
  const push = (category: string, placeholder: string, from = start): void => {
    found.push({
      start: from,
      end,
      rule: { id: rule.id, category, placeholder },
      value: digits,
      also: [text.slice(from, end)],
    })
  }
  const context = withoutPlaceholders(text.slice(Math.max(0, start - 48), start))
  if (
    digits.length >= 12 &&
    digits.length <= 19 &&
    /^\d{12,19}$|^\d{4}([ -])\d{4}\1\d{4}\1\d{1,7}$|^\d{4}([ -])\d{6}\2\d{4,5}$|^\d{4}([ -])\d{4}\3\d{4}\3\d{4}\3\d{1,3}$/.test(
      raw,
    ) &&
    isCard(digits) &&
    // A hyphen before the number is a minus. Cards with 13 digits are no longer issued, cards with more than 16 digits
    // are rare, and product codes and ids also have such lengths.
    before !== '-' &&
    ((digits.length > 13 && digits.length < 17) || NEAR_CARD.test(context)) &&
    !UNIT.test(text.slice(end, end + 8)) &&
    !isSerial(text, start, end)
  )
    return push('card', 'CARD')
  if (/^3[47]\d\d([ -])\d{6}\1\d{5}$/.test(raw) && NEAR_AMEX.test(context)) return push('card', 'CARD')
  if (digits.length === 7 && /^\d{3}[- ]\d{4}$/.test(raw) && SAYS_SO.test(context) && !isFictitious(raw))
    return push('phone', 'PHONE')
  if (before !== '-' && isNational(raw, digits, context)) return push('phone', 'PHONE')
  if (digits.length < (NEAR_PHONE.test(context.slice(-12)) ? 8 : 9)) return
  if (digits.length === 9 && (/^\d{3}([- .])\d{2}\1\d{4}$/.test(raw) || (raw.length === 9 && NEAR_SSN.test(context)))) {
    if (/^(?:000|666)|^\d{3}00|0000$|^(?:123456789|078051120|219099999)$/.test(digits)) return
    if (digits[0] === '9' && !/^9\d\d(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])/.test(digits)) return
    return push('ssn', 'SSN')
  }
  const from = before === '(' && raw.includes(')') ? start - 1 : start
  if (
    /^\d{3}(?:\) ?|[-. ])\d{3}[-. ]\d{4}$/.test(raw) ||
    (raw.startsWith('1') && /^1[-. ]\(?\d{3}\)?[-. ]\d{3}[-. ]\d{4}$/.test(raw))
  ) {
    if (
      /^1?[2-9]\d{2}[2-9]\d{6}$/.test(digits) &&
      !/\bv(?:ersion)?\.? ?$/i.test(context) &&
      !/^1?5555555555$/.test(digits)
    )
      return push('phone', 'PHONE', from)
  }
  // In `0044 20 ...`, the prefix `00` for calls to other countries replaces the plus.
  if (digits.startsWith('00') && digits.length >= 11 && /^00\d{1,3}[ .-]/.test(raw) && isInternational(digits.slice(2)))
    return push('phone', 'PHONE')
  if (
    digits.length <= 15 &&
    NEAR_PHONE.test(context) &&
    (digits.length === 10 ? /^[02-9]/.test(digits) : /^[01]/.test(digits) || /[ -]/.test(raw))
  )
    push('phone', 'PHONE', from)
}

/** The number of characters before and after a card in which other serial numbers are searched. */
const SERIES = 256

/**
 * Returns whether a card is in a list of numbers, or a number nearby that is not a card differs only in the last four
 * digits, as in a series.
 */
function isSerial(text: string, start: number, end: number): boolean {
  const around = text.slice(Math.max(0, start - SERIES), end + SERIES)
  if (/\d{9}, ?$/.test(text.slice(Math.max(0, start - 12), start)) || /^, ?\d{9}/.test(text.slice(end, end + 12)))
    return true
  const beginning = text.slice(start, end - 4)
  for (let at = around.indexOf(beginning); at >= 0; at = around.indexOf(beginning, at + 1)) {
    const other = around.slice(at, at + end - start)
    if (/\d{4}$/.test(other) && !isCard(other.replace(/\D/g, ''))) return true
  }
  return false
}

/** Returns whether the number continues with more digits after a separator. */
function goesOn(text: string, stop: number, code: number): boolean {
  if (code === 41) return isDigit(text, stop + 1) || isDigit(text, stop + 2)
  return (
    (code === 32 || code === 45 || code === 46 || code === 47) &&
    (isDigit(text, stop + 1) || (text.charCodeAt(stop + 1) === 47 && isDigit(text, stop + 3)))
  )
}

/** Finds an international phone number (E.164): `+` and 8 to 15 digits. */
export function findPlus({ text, start, rule, found }: Hit): void {
  if (!isDigit(text, start + 1) || text[start + 1] === '0' || isAlnum(text, start - 1)) return
  let end = start + 1
  let digits = ''
  const limit = Math.min(text.length, start + 26)
  while (end < limit) {
    const char = text.charAt(end)
    // In `+33 (0)1 ...`, the zero is for calls inside the country.
    if (char === '(' && text[end + 1] === '0' && text[end + 2] === ')' && isDigit(text, end + 3)) end += 2
    else if (char >= '0' && char <= '9') digits += char
    else if (
      !(
        ' -.()/'.includes(char) &&
        (isDigit(text, end + 1) ||
          ((char === ' ' || char === ')') && '( '.includes(text[end + 1] ?? 'x') && isDigit(text, end + 2)))
      )
    )
      break
    end++
  }
  if (
    digits.length < 8 ||
    digits.length > 15 ||
    isAlnum(text, end) ||
    text[end] === '%' ||
    !isInternational(digits) ||
    isFictitious(digits)
  )
    return
  found.push({ start, end, rule, value: digits, also: [text.slice(start, end)] })
}

const AMONG_NUMBERS = /(?:\d|(?:^|[\s"'=(])[A-Za-z]|[\da-f]{40} [a-z]{3,6}) $/
const SEPARATED = /[^A-Za-z0-9]/

/** Finds the number of a person or an account. The number may begin with up to six letters before this digit. */
function findIdNumber(hit: Hit, candidates: Candidates): boolean {
  const { text, start: digit } = hit
  let start = digit
  while (start > 0 && digit - start < 7 && isLetter(text, start - 1)) start--
  if (digit - start > 6 || isAlnum(text, start - 1) || (start > 0 && isJoining(text.charCodeAt(start - 1))))
    return false
  return findIdNumberIn(hit, start, candidates)
}

/** Finds an identity number in the word that begins at `start`. The hit begins at the first digit of this word. */
function findIdNumberIn({ text, start: digit, rule, found }: Hit, start: number, candidates: Candidates): boolean {
  // `AA 12 34 56 B`: a National Insurance number whose letters are separated.
  if (
    digit - start === 0 &&
    text[digit - 1] === ' ' &&
    isUpper(text, digit - 2) &&
    isUpper(text, digit - 3) &&
    !isAlnum(text, digit - 4)
  ) {
    const spaced = /^[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] \d{2} ?\d{2} ?\d{2} ?[A-D](?![A-Za-z0-9])/.exec(
      text.slice(digit - 3, digit + 12),
    )
    if (spaced) {
      found.push({
        start: digit - 3,
        end: digit - 3 + spaced[0].length,
        rule: { id: rule.id, category: 'government_id', placeholder: 'NATIONAL_INSURANCE' },
        value: spaced[0].replaceAll(' ', ''),
        also: [spaced[0]],
      })
      return true
    }
  }
  let stop = digit
  while (stop < digit + 20 && isDigit(text, stop)) stop++
  const run = stop - digit
  const letters = digit - start
  if (letters === 0 && run < 2 && !isAlnum(text, stop) && text[stop] !== ' ' && text[stop] !== '-') return false
  let digits = run
  for (let i = stop; i < digit + 24 && digits < 6; i++)
    if (isDigit(text, i)) digits++
    else if (!isAlnum(text, i) && !(isDigit(text, i + 1) && ' -./'.includes(text.charAt(i)))) break
  const mixed =
    (letters === 2 && run === 5) || (letters === 0 && run === 1 && isUpper(text, digit + 1) && isDigit(text, digit + 3))
  if (
    digits < (letters > 4 ? 4 : 6) &&
    !mixed &&
    !(letters === 0 && run === 1 && '13'.includes(text.charAt(digit)) && isAlnum(text, digit + 25)) &&
    !(letters === 2 && run === 2 && ibanLength(text.slice(start, digit)) > 0)
  )
    return false
  const list = candidates(letters, run)
  if (list.length === 0 && letters < 2) return false
  const window = text.slice(start, start + 48)
  const country = digit - start >= 2 ? ibanLength(window.slice(0, 2)) : 0
  if (country && /^[A-Z]{2}\d{2}/.test(window)) {
    let end = 0
    let bare = ''
    while (bare.length < country && end < window.length && /[A-Z0-9 -]/.test(window.charAt(end)))
      bare += window.charAt(end++).replace(/[ -]/, '')
    if (bare.length === country && !isAlnum(text, start + end) && isIban(bare)) {
      found.push({
        start,
        end: start + end,
        rule: { id: rule.id, category: 'bank_account', placeholder: 'IBAN' },
        value: bare,
        also: [window.slice(0, end)],
      })
      return true
    }
  }
  let context: string | undefined
  for (const { category, placeholder, pattern, valid, near, nearBare } of list) {
    const match = pattern.exec(window)
    if (!match) continue
    const raw = match[0]
    // The value is one of many numbers, as in a drawing (`M130 692 538 123 456 782`) or a list of objects of git.
    if (raw.includes(' ') && AMONG_NUMBERS.test(text.slice(Math.max(0, start - 48), start))) continue
    // The value is a part of a name: `20150805124838_add_table`.
    if (text[start + raw.length] === '_') continue
    const bare = raw.replace(/[ ./-]/g, '')
    if (/^(\d)\1*$|(\d)\2{8}/.test(bare)) continue
    if (!valid(placeholder === 'HETU' || placeholder === 'PERSONNUMMER' ? raw : bare)) continue
    const needed = near ?? (SEPARATED.test(raw) ? undefined : nearBare)
    if (needed) {
      context ??= withoutPlaceholders(
        `${text.slice(Math.max(0, start - 48), start)} ${text.slice(start + raw.length, start + raw.length + 24).replace(/\n[^]*/, '')}`,
      )
      if (!needed.test(context)) continue
    }
    found.push({
      start,
      end: start + raw.length,
      rule: { id: rule.id, category, placeholder },
      value: bare,
      also: [raw],
    })
    return true
  }
  return false
}
