import { decodeUrl } from '../../engine/decode.ts'
import { isRandom } from '../../engine/randomness.ts'
import type { Hit } from '../../engine/findings.ts'
import { isPlaceholderWord } from '../../engine/placeholder.ts'

const AUTHORITY = /:\/\/([^\s:/"'`<>\\]{0,128}):([^\s/"'`<>\\]{1,512})@[\w.[\]{$-]{1,255}/y
const REFERENCE = /^(?:\$|%[a-z(]|#?\{|<|\*+$|x+$|\[[A-Z]|pass(?:word)?$|pw$|pwd$|[a-z]+\]$|your|secret$|user$)/i

/** Finds the password in `scheme://user:password@host` (RFC 3986, section 3.2.1). */
export function findCredentials({ text, start, rule, found }: Hit): void {
  AUTHORITY.lastIndex = start
  const match = AUTHORITY.exec(text)
  if (!match) return
  const [whole, user = ''] = match
  const at = whole.lastIndexOf('@')
  const from = start + 3 + user.length + 1
  const value = text.slice(from, start + at)
  if (REFERENCE.test(value) || isPlaceholderWord(value) || value.includes('://')) return
  found.push({ start: from, end: start + at, rule, value, also: [decodeUrl(value)] })
  // A random-looking user name is one of the two parts of a key, as in a Sentry DSN.
  if (user.length >= 20 && isRandom(user)) found.push({ start: start + 3, end: from - 1, rule, value: user })
}

const HEAD = /(?<![\w/:.@-])(?!mailto:)(?:[\w.-]{1,64}[\\/])?[\w.$-]{1,64}:(["']?)([^\s:@"'/\\]{4,64})\1$/
const HOST =
  /@(?:(?:tcp6?|unix)\(|(?:\d{1,3}(?:\.\d{1,3}){3}|localhost|[\w-]{1,40}\.(?:local|internal|corp|lan|htb))(?![\w-]|[\w.-]*@))/y

/**
 * Finds the password in `corp/jane:password@10.0.0.1`, without a scheme, before an IP address or a local host, and in a
 * data source of Go: `jane:password@tcp(10.0.0.1:3306)/tides`.
 */
export function findUserInfo({ text, start, rule, found }: Hit): void {
  HOST.lastIndex = start
  if (!HOST.test(text)) return
  const [, quote = '', value] = HEAD.exec(text.slice(Math.max(0, start - 200), start)) ?? []
  if (!value || REFERENCE.test(value) || !/\d|[!#$%^&*]/.test(value) || !/[A-Za-z]/.test(value)) return
  found.add(value, start - quote.length - value.length, rule)
}

const USER = /:\/\/([A-Za-z0-9_-]{20,255})(?::x-oauth-basic)?@[\w.-]{1,255}/y

/** Finds a token in place of a user name: `https://TOKEN@host`. */
export function findUrlUser({ text, end, rule, found }: Hit): void {
  USER.lastIndex = end - 3
  const value = USER.exec(text)?.[1]
  if (value && isRandom(value)) found.push({ start: end, end: end + value.length, rule, value })
}
