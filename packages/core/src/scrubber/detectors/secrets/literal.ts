/** A literal that is assigned to a name, with the characters around the literal. */
export interface Value {
  start: number
  end: number
  /** The quote around the literal, or ''. */
  quote: string
  /** The operator between the name and the literal: `=`, `:`, `,`, `>`, ` ` ... */
  operator: string
  /** Whether there are spaces around the operator. */
  spaced: boolean
  /** The character directly after the literal. */
  next: string
  scheme: boolean
  /** Whether the literal is not quoted and contains brackets that do not occur in code: `Kj(9)x[w]2`. */
  bracketed: boolean
  /** The character before the name: `;` in a connection string, `-` of a flag. */
  lead: string
}

export const isBreak = (text: string, at: number): boolean => text[at] === '\n' || text[at] === '\r'

/**
 * The text between a name and its value in the next field, as in Kubernetes and task definitions: `- name:
 * DB_PASSWORD`, then `value: "..."`.
 */
const PAIRED = /["']?,?(?:\r?\n[ \t]{0,40}|(?<=,) {1,3})["']?[vV]alue["']?[ \t]{0,3}[:=][ \t]{0,3}/y
export function valueOfNextLine(text: string, at: number): number {
  if (text[at] !== ',' && !isBreak(text, at) && !isBreak(text, at + 1) && !isBreak(text, at + 2)) return 0
  PAIRED.lastIndex = at
  return PAIRED.test(text) ? PAIRED.lastIndex : 0
}

/** `token, err := "..."` */
export const FAILING = /^, ?(?:err|ok|_) ?:?=/

const OPEN = /\(\s{1,24}(?=["'`])/y
/**
 * Returns the index of the quoted value that follows an opening bracket and whitespace: `password = (`, then `"..."` on
 * the next line. Returns `at` if there is no such value.
 */
export function behindBracket(text: string, at: number): number {
  OPEN.lastIndex = at
  return OPEN.test(text) ? OPEN.lastIndex : at
}

const USER =
  /(?:^|[\n,{])[ \t-]{0,12}["']?(?:user(?:name)?|login|usr|uid|email)["']?(?:: ?|=| {1,3})[^\n]{1,60}(?:\n[ \t]{0,12}| {2,8})$/
/** Returns whether an unquoted value is on the line after `username: jane`, as in a list of logins. */
export const isBelowUserName = (text: string, from: number, { quote, operator }: Value): boolean =>
  !quote && (operator === ':' || operator === '=') && USER.test(text.slice(Math.max(0, from - 96), from))

/** Removes the inner quotes of a value with two pairs of quotes: `PASS='"word"'`. */
export function withoutInnerQuotes(text: string, value: Value): Value {
  while (value.start < value.end && text[value.start] === '"') value.start++
  while (value.end > value.start && text[value.end - 1] === '"') value.end--
  return value
}

const BRACKETED = /[^\s;,"'`<>=]{6,64}(?=[;\s]|$)/y

const BRACKETS = '([)]'

/**
 * Includes brackets in an unquoted password if they cannot be code: text follows the closing bracket, or the name
 * follows a `;` as in a connection string.
 */
export function widen(text: string, value: Value, lead: string): boolean {
  if (
    !BRACKETS.includes(value.next || ' ') &&
    !/[([]/.test(text.slice(value.start, Math.min(value.end, value.start + 64)))
  )
    return false
  BRACKETED.lastIndex = value.start
  const whole = BRACKETED.exec(text)?.[0]
  if (
    !whole ||
    whole.length < value.end - value.start ||
    !/\d/.test(whole) ||
    !/[A-Za-z]/.test(whole) ||
    /[{}$.\\]|\(\)|\[\]/.test(whole)
  )
    return false
  if (!/[)\]][A-Za-z0-9!@#%^&*]/.test(whole) && !(lead === ';' && /[()[\]].?$/.test(whole))) return false
  value.end = value.start + whole.length
  value.next = text[value.end] ?? ''
  return true
}
