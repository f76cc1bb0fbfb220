import { decodeUrl } from '../../engine/decode.ts'
import type { Hit } from '../../engine/findings.ts'
import { isRandom } from '../../engine/randomness.ts'

const CRUMB = /([\w.-]{1,64})=([^;\s"'\\,]{8,4096})/g
const HARMLESS = /^(?:path|domain|expires|max-age|samesite|version|_ga\w*|_gid|lang|locale|theme|tz)$/i

/**
 * Finds random-looking values in a Cookie or Set-Cookie header, or in a flag such as `curl -b`. A short value counts
 * only if its name refers to a session or a secret.
 */
export function findCookie({ text, start, end, rule, found }: Hit): void {
  const reach = found.reachOf('cookie')
  if (start < reach.end) return
  const isFlag = text[start] === ' ' || text[start] === '-'
  const [line] = text.slice(end, end + 4096).split(isFlag ? /["'\n]/ : '\n', 1) as [string]
  reach.end = end + line.length
  CRUMB.lastIndex = 0
  for (let match = CRUMB.exec(line); match; match = CRUMB.exec(line)) {
    const [whole, name, value] = match as unknown as [string, string, string]
    if (HARMLESS.test(name)) continue
    const plain = decodeUrl(value)
    if (
      !(/sess|sid|auth|token|jwt|login|remember|csrf|key/i.test(name) || value.length >= 16) ||
      !plain.split(/[.:|%&=]/).some((part) => part.length >= 8 && isRandom(part))
    )
      continue
    const from = end + match.index + whole.length - value.length
    found.push({ start: from, end: from + value.length, rule, value })
  }
}

/** `"name:password"`, `name:'password'` */
const USER = /\s{0,3}(["']?)[^\s:"'/\\]{0,128}:(["']?)([^\s"']{1,256})\2\1(?=\s|$|\\|["'`])/y
/** A key in place of the name, with an empty password: `-u sk_live_...:`. */
const KEY = /\s{0,3}["']?([^\s:"'/\\]{16,128}):["']?(?=\s|$|\\(?:["'nrt\s]|$))/y
const VARIABLE =
  /^(?:\\{1,4}\$\{|-{1,2}[a-z]+$|[\\"']+$|\$|<|%|\{|\*+$|x+$|\[[A-Z]|y{3,}$|password[>}]?$|pass$|pwd$|token$|your)/i

/** Finds `curl -u name:password`, and a key with an empty password. */
export function findCurl({ text, start, end, rule, found }: Hit): void {
  if (!' "\'='.includes(text.charAt(end - 1)) && !/[\s"'A-Za-z]/.test(text[end] ?? ' ')) return
  const before = text.slice(Math.max(0, start - 600), start)
  if (!before.includes('curl') && !before.includes('http') && !before.includes('wget')) return
  const last = text.charAt(end - 1)
  const from = last === '"' || last === "'" ? end - 1 : end
  KEY.lastIndex = USER.lastIndex = from
  const key = KEY.exec(text)?.[1]
  if (key && isRandom(key) && !VARIABLE.test(key)) return found.add(key, text.indexOf(key, from), rule)
  const [, outer = '', inner = '', value] = USER.exec(text) ?? []
  if (!value || VARIABLE.test(value) || value.startsWith('//')) return
  const stop = USER.lastIndex - outer.length - inner.length
  found.push({ start: stop - value.length, end: stop, rule, value, ...(value.length < 6 ? { local: true } : {}) })
}

const FLAG =
  /[^\n|;&]{0,200}?(?: -p ?| -P ?| -a | --password[ =]| --pass[ =]|^ ?-p ?)(["']?)(?!\d{1,5}(?::\d{1,5})?(?:\s|$))([^\s"'`-][^\s"'`]{2,128})\1(?=\s|$|["'`;&|])/y

/** Finds a password in a flag of a command that accepts passwords: `sshpass -p`, `mysql -p`, `redis-cli -a`. */
export function findFlag({ text, start, end, rule, found }: Hit): void {
  FLAG.lastIndex = text[end - 1] === '-' ? end - 2 : text.startsWith('-p', end - 2) ? end - 3 : end
  const [, quote = '', value] = FLAG.exec(text) ?? []
  if (!value || start > FLAG.lastIndex || VARIABLE.test(value)) return
  const from = FLAG.lastIndex - quote.length - value.length
  // After a space, the clients of MySQL read the name of a database: `mysql -u jane -p tides`.
  if (/^(?:mysql|mariadb)/i.test(text.slice(start, end)) && / -p $/.test(text.slice(from - 4, from))) return
  found.add(value, from, rule)
}
