import { isRandom } from './random.ts'
import type { Finding, Rule } from './rule.ts'

const AUTHORITY = /:\/\/([^\s:/@"'`<>\\]{0,128}):([^\s/"'`<>\\]{1,512})@[\w.[\]-]{1,255}/y
const REFERENCE = /^(?:\$|%|\{|<|\*+$|x+$|\[[A-Z]|pass(?:word)?$|pw$|pwd$|your|secret$|user$)/i

/** The password in `scheme://user:password@host` (RFC 3986, section 3.2.1). */
export function findCredentials(text: string, start: number, _end: number, rule: Rule, found: Finding[]): void {
  AUTHORITY.lastIndex = start
  const match = AUTHORITY.exec(text)
  if (!match) return
  const at = match[0].lastIndexOf('@')
  const from = start + 3 + match[1]!.length + 1
  const value = text.slice(from, start + at)
  if (REFERENCE.test(value) || value.includes('://')) return
  found.push({ start: from, end: start + at, rule, value })
}

const USER = /:\/\/([A-Za-z0-9_-]{20,255})(?::x-oauth-basic)?@[\w.-]{1,255}/y

/** A token that stands where a name would: `https://TOKEN@host`. */
export function findUrlUser(text: string, _start: number, end: number, rule: Rule, found: Finding[]): void {
  USER.lastIndex = end - 3
  const value = USER.exec(text)?.[1]
  if (value && isRandom(value)) found.push({ start: end, end: end + value.length, rule, value })
}
