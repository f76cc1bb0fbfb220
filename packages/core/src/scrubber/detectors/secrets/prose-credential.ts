import { beginsWord, isAlnum, isLetter } from '../../engine/character.ts'
import { isPlaceholderWord } from './assess.ts'
import { isRandom, shapeOf } from '../../engine/randomness.ts'
import type { Finding, Rule } from '../../engine/rule.ts'

/** Quotes and other marks of emphasis that may open a value, of any script. */
const OPEN = '["\'`«»“”„‚‘’「」『』【】〈〉*_(（]{0,3}'
/** A word or two between the name and what joins it to its value: `password for bob:`, `Kennwort der Datenbank ist`. */
const AMID =
  '(?:[ \\u00a0](?!(?:is|was|are|ist|est|es|to|jest|a|an|in|or|and|must|should|will|can|not)[ \\n])[^\\s:=：＝"`,;.|<>(){}?!]{1,24}){0,4}'
const JOIN =
  '(?:' +
  '[ \\t]{0,4}[:=：＝]\\*{0,2}[ \\t]{0,3}(?:\\n{1,2}[ \\t]{0,8})?' +
  "|[ \\t]{1,2}(?:is|was|is now|now|is set to|set to|is generated|changed to|reset to|updated to|ist|lautet|war|wäre|est|era|es|é|è|e['’]|jest|je|to|là|adalah|ialah|olan|olarak|är|er|on|av|это|был|היא|הוא|هي|هو|คือ|теперь|是|为|は|->|=>|→|—|–|-):?[ \\t]{1,3}" +
  '|[ \\t]{0,2}(?:是|为|為|设为|改为|改成|就是|は|が|는|은|가|이|คือ|→|—|–)[ \\t：:、]{0,3}' +
  ')'
const BODY = '([!#-&(-;=?-_a-~\\u00a1-\\u00aa\\u00ac-\\u00ba\\u00bc-\\u00ff]{3,64})'
const JOINED = new RegExp(`[\\p{L}]{0,5}["'\`*_）)]{0,3}${AMID}${JOIN}${OPEN}${BODY}`, 'uy')
/** `password Zx9kLm2q`, `(pw Tr33house!)`: nothing but a blank between. */
const BESIDE = new RegExp(`\\p{L}{0,5}["'\`*]{0,2}[ 「『]${OPEN}${BODY}`, 'uy')

/** How the value is joined: `english` in English prose, `foreign` behind a word that no code has, `beside` with only a blank between. */
type How = 'english' | 'foreign' | 'beside'

const ENGLISH = /^[ (]?pass(?:w(?:or)?d| ?phrase|code)?$|^[ (]?pwd?$|token|key|secret/i
const CODE = /^["'`*]{0,3}\s{0,4}[:=](?!\*)/
const REFERENCE = /^(?:https?:|[$<{%]|\[[A-Z]|\*{3}|[./~]{1,2}\/|@|--)|^[\w.-]+@[\w-]+\.|(?:\.\.\.|…)$/
const TERM =
  /^(?:sha|md|base|utf|pbkdf|argon|oauth|ed25519|ecdsa|rsa|aes|bcrypt|scrypt|2fa|mfa|otp|u2f|fido|i18n|l10n|k8s|v\d|rfc|http|ipv|win|ascii|x509|pkcs|hs\d|rs\d|es\d|\d+[-a-z]{0,3}(?:char|digit|bit|day|min|sec|hour|time|st$|nd$|rd$|th$|x$))/i
const WORD = /pass|word|secret|token|value|input|field|hash|crypt|reset|get|user/i
const DATE = /^\d{1,4}[-/.:]\d{1,2}[-/.:T]\d/

/**
 * Finds a password that a sentence states, in any language: the rule's keyword, what joins it to a value, and a word that no
 * dictionary has. Where only a blank stands between, digits must stand among the letters.
 */
export function findProseCredential(text: string, start: number, end: number, rule: Rule, found: Finding[]): void {
  const ascii = text.charCodeAt(start) < 128
  if (
    ascii &&
    isAlnum(text, start) &&
    ((isLetter(text, start - 1) && !beginsWord(text, start)) ||
      '_.$/'.includes(text[start - 1] ?? ' ') ||
      (text[start - 1] === '-' && text[start - 2] === '-'))
  )
    return
  // `hasLower` is no `haslo`.
  const word = text.slice(start, end)
  if (ascii && /[a-z][A-Z]/.test(word)) return
  JOINED.lastIndex = end
  const joined = JOINED.exec(text)
  // What code writes as well, with a colon or an equals sign right behind, is for the rule `assignment`.
  const english = ascii && ENGLISH.test(word)
  if (english && isLetter(text, end)) return
  if (
    joined &&
    !(english && CODE.test(joined[0])) &&
    take(text, joined, JOINED.lastIndex, english ? 'english' : 'foreign', rule, found)
  )
    return
  BESIDE.lastIndex = end
  const beside = BESIDE.exec(text)
  if (beside) take(text, beside, BESIDE.lastIndex, 'beside', rule, found, !english)
}

function take(
  text: string,
  match: RegExpExecArray,
  stop: number,
  how: How,
  rule: Rule,
  found: Finding[],
  foreign = false,
): boolean {
  const body = match[1]!
  const quote = /["'`*「『“„«]$/.test(match[0].slice(0, match[0].length - body.length))
  const value = body
    .replace(/(?:[.,;:)\]}*_]|\\[nrt].*|\\)+$/, '')
    .replace(/[?!]$/, (mark) =>
      /\d[?!]$/.test(body) || /[^A-Za-z?!][?!]$/.test(body) || quote ? mark : mark === '!' ? mark : '',
    )
  const from = stop - body.length
  if (!isChosen(value, how, quote, rule.category === 'password', foreign)) return false
  if (text[from + value.length] === '(' || text[from + value.length] === '[') return false
  found.push({ start: from, end: from + value.length, rule, value, ...(value.length < 6 ? { local: true } : {}) })
  return true
}

function isChosen(value: string, how: How, quote: boolean, password: boolean, foreign: boolean): boolean {
  if (value.length < 4 || isPlaceholderWord(value) || REFERENCE.test(value) || TERM.test(value) || DATE.test(value))
    return false
  if (!password) return value.length >= 16 && isRandom(value.replace(/=+$/, ''))
  const symbols = value.replace(/[\p{L}\d\-_./:'’,]/gu, '').length
  const { digits, lowers, uppers } = shapeOf(value)
  const letters = lowers + uppers
  if (/[({[<]/.test(value) && /^[A-Za-z_$][\w$.]*[({[<]/.test(value)) return false
  if (/^[\w-]+(?:\.[\w-]+)*\.[a-z]{2,5}$/i.test(value) || /^[\w.-]*\/[\w./-]*$/.test(value)) return false
  if (letters === 0)
    return (
      how !== 'beside' &&
      (digits >= 4 && digits === value.length
        ? value.length <= 12 && (how === 'foreign' || quote)
        : symbols > 0 && digits > 2)
    )
  if (digits > 0 && symbols > 0) return true
  if (how === 'beside' && ((foreign && value.length >= 8) || /^[a-z]+(?:[A-Z][a-z]+)+\d{1,4}$/.test(value)))
    return digits > 0 && !/[/:]/.test(value)
  if (how === 'beside' && quote && value.length >= 7 && /[a-z][A-Z]/.test(value) && !WORD.test(value)) return true
  if (
    how === 'beside' &&
    digits > 0 &&
    isRandom(value) &&
    /[a-z].*[A-Z]|[A-Z].*[a-z]/.test(value) &&
    !/[/:.]/.test(value)
  )
    return true
  if (how === 'beside')
    return (
      value.length >= 7 &&
      digits > 0 &&
      (/[A-Za-z]\d+[A-Za-z]/.test(value) || (/\d[A-Za-z]+\d/.test(value) && !/^\d/.test(value))) &&
      !/[-./:]/.test(value)
    )
  if (digits > 0) return value.length >= 5 && !/^(?:[A-Za-z]+[-_/.:]\d{1,2}|\d+[A-Za-z]{1,3})$/.test(value)
  if (symbols > 1 && value.length >= 6) return true
  if (/^[a-z]{3,}(?:-[a-z]{3,}){2,5}$/.test(value)) return true
  return quote && how === 'foreign' && value.length >= 6
}
