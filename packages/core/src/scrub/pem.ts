import type { Finding, Rule } from './rule.ts'

const OPEN = /-----BEGIN ((?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?)-----/y
/** A line of the body in any dress: quotes, diff and quote marks, escaped newlines, concatenation, line numbers. */
const BODY = /(?:[ \t>|+"',;:.()[\]-]{0,12}(?:\d{1,5}[:\t|]\s{0,3})?(?:\\{1,4}[nrt]|\r?\n|[ \t"'+,;]){0,12}){0,1}[A-Za-z0-9+/=]{1,4096}|(?:\\{1,4}[nrt]|[\s"'+,;>|]){1,12}/y

/**
 * A private key from its first line to its last (RFC 7468, OpenSSH, PGP), or as far as its lines go when the end is cut off.
 * Each long line of the body is a value of its own, so that a line quoted alone elsewhere goes too.
 */
export function findPem(text: string, start: number, _end: number, rule: Rule, found: Finding[]): void {
  OPEN.lastIndex = start
  const open = OPEN.exec(text)
  if (!open) return
  const closing = `-----END ${open[1]}-----`
  const body = start + open[0].length
  const dashes = text.indexOf('-----', body)
  let end = dashes
  if (dashes >= 0 && text.startsWith(closing, dashes) && dashes - body < 20_000) end += closing.length
  else {
    end = body
    for (let n = 0; n < 400 && (dashes < 0 || end < dashes); n++) {
      BODY.lastIndex = end
      const line = BODY.exec(text)
      if (!line || line[0] === '') break
      end = BODY.lastIndex
    }
    if (dashes >= 0) end = Math.min(end, dashes)
    while (end > body && /[\s"',;]/.test(text[end - 1]!)) end--
  }
  const inner = text.slice(body, end)
  const lines = inner.match(/[A-Za-z0-9+/]{12,}={0,2}/g)
  if (!lines || /(?:\.\.\.|<|\$\{)/.test(inner.slice(0, 40)) && lines.length < 2) return
  found.push({ start, end, rule, value: lines[0]!, also: lines.slice(1) })
}
