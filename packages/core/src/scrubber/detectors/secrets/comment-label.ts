import { isRandom } from '../../engine/randomness.ts'
import type { Hit } from '../../engine/findings.ts'

const BEFORE =
  /[=:]\s{0,3}\\{0,7}["'`]([^"'`\s\\]{16,200})\\{0,7}["'`]\s{0,3}[;,]?[ \t]{0,8}(?:#|\/\/|--|\/\*)\s{0,3}(?:[\w']{1,12} ){0,3}$/
/** `echo VALUE # its token` */
const BARE = /(?:^|[\s=:])([A-Za-z0-9][\w.+/=-]{15,200})[ \t]{1,4}(?:#|\/\/)\s{0,3}(?:[\w'-]{1,20} ){0,3}$/
const AFTER =
  /^s?:?\s{0,3}(?:\*\/)?(?:\r?\n|\\{1,4}n)[ \t]{0,16}(?:const |let |var |final |static )?[\w.$]{1,40}\s{0,3}[=:]\s{0,3}\\{0,7}["'`]([^"'`\s\\]{16,200})\\{0,7}["'`]/
const MARK = /(?:^|\n|\\n|["'])[ \t]{0,16}(?:#|\/\/|--|\/\*+)\s{0,3}(?:[\w']{1,12} ){0,4}$/
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Finds a value whose comment describes it: `x = "..." # api key`, or `# token` on the line before. */
export function findCommentLabel({ text, start, end, rule, found }: Hit): void {
  const next = text[end] ?? '\n'
  if (!'\r\n s:.*\\"'.includes(next)) return
  // Most of these keywords are not in a comment.
  const near = text.slice(Math.max(0, start - 64), start)
  if (!near.includes('#') && !near.includes('//') && !near.includes('--') && !near.includes('/*')) return
  const before = text.slice(Math.max(0, start - 272), start)
  let value = (BEFORE.exec(before) ?? BARE.exec(before))?.[1]
  let from = value === undefined ? -1 : start - before.length + before.lastIndexOf(value)
  if (
    value === undefined &&
    (next === '\n' || next === '\r' || next === ':' || next === 's' || next === '\\') &&
    MARK.test(before)
  ) {
    const after = text.slice(end, end + 300)
    value = AFTER.exec(after)?.[1]
    from = value === undefined ? -1 : end + after.indexOf(value)
  }
  if (
    value === undefined ||
    !(UUID.test(value) || /^[0-9a-f]{32,64}$/.test(value) || (isRandom(value) && !/[/.]/.test(value.slice(0, 12))))
  )
    return
  if (/example|your|xxxx|placeholder/i.test(value)) return
  found.push({ start: from, end: from + value.length, rule, value })
}

const NAMED_AS = /(?:^|\s)["'`]?([^\s"'`]{6,128})["'`]?$/

/** Finds `use VALUE as the password`. */
export function findAsPassword({ text, start, rule, found }: Hit): void {
  const before = text.slice(Math.max(0, start - 136), start)
  const value = NAMED_AS.exec(before)?.[1]
  if (
    !value ||
    !/\d/.test(value) ||
    !/[A-Za-z]/.test(value) ||
    /^(?:[$<{%]|https?:)|[.)]$/.test(value) ||
    /example|your/i.test(value)
  )
    return
  const from = start - before.length + before.lastIndexOf(value)
  found.push({ start: from, end: from + value.length, rule, value })
}

const ECHO = /(?:echo|printf)(?: -[neE]{1,3})? \\{0,7}["']?([^"'\n|$\\]{4,400}?)(?:\\{1,4}n)?\\{0,7}["']? ?$/

/**
 * Finds the value that is piped to a command that reads a password: `echo PASSWORD | sudo -S`, `| chpasswd`, `| docker
 * login --password-stdin`.
 */
export function findPiped({ text, start, end, rule, found }: Hit): void {
  let bar = start
  const floor = Math.max(0, start - 120)
  while (bar > floor && text[bar] !== '|' && text[bar] !== '\n') bar--
  if (text[bar] !== '|') return
  const from = Math.max(0, bar - 440)
  const before = text.slice(from, bar)
  let value = ECHO.exec(before)?.[1]
  if (!value) return
  if (text.slice(bar, end).includes('chpasswd')) value = value.slice(value.indexOf(':') + 1)
  if (/^(?:y(?:es)?$|[$<%{[]|\s)/i.test(value) || value.length < 4) return
  found.add(value, from + before.lastIndexOf(value), rule)
}
