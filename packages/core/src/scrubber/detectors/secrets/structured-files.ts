import type { Hit } from '../../engine/findings.ts'
import { isRandom } from '../../engine/randomness.ts'
import { isEncodedPublic } from './pem.ts'

const REACH = 4000
/** The field `data` or `stringData` and the lines below it. `JSON_DATA` matches the same in JSON. */
const DATA =
  /(?<=^|\n)[ \t]{0,8}(?:stringData|data):[ \t]*\r?\n((?:[ \t]{1,12}[\w.-]{1,80}: ?[^\n]{0,4096}\r?\n?){1,64})/g
const LINE = /([\w.-]{1,80}): ?["']?([^\s"']{4,4096})/g
const JSON_DATA = /"(?:stringData|data)"\s{0,4}:\s{0,4}\{([^{}]{1,4096})\}/g
const JSON_LINE = /"([\w.-]{1,80})"\s{0,3}:\s{0,3}"([^"]{4,4096})"/g
const SECRET_NAME = /pass|pwd|secret|token|key|cred|cert|auth|dsn|url|conn|private/i
const BASE64 = /^[A-Za-z0-9+/]{4,}={0,2}$/

/** Finds the values of a Kubernetes Secret: in base64 under `data`, unencoded under `stringData`. */
export function findKubernetesSecret({ text, start, rule, found }: Hit): void {
  const reach = found.reachOf('kubernetes')
  if (start < reach.end) return
  const before = text.lastIndexOf('\n---', start)
  const from = Math.max(before, start - REACH, 0)
  const after = text.indexOf('\n---', start)
  const to = Math.min(after < 0 ? text.length : after, start + REACH)
  reach.end = to
  const window = text.slice(from, to)
  for (const [block, line] of [
    [DATA, LINE],
    [JSON_DATA, JSON_LINE],
  ] as const)
    for (const { 0: whole, 1: body = '', index: bodyStart } of window.matchAll(block)) {
      const base = from + bodyStart + whole.indexOf(body)
      for (const { 0: entry, 1: name = '', 2: value = '', index } of body.matchAll(line)) {
        if (!SECRET_NAME.test(name) && !isRandom(value)) continue
        if (/^[$<%{[]/.test(value) || !(BASE64.test(value) || whole.includes('stringData'))) continue
        if (isEncodedPublic(value)) continue
        found.add(value, base + index + entry.length - value.length - (line === JSON_LINE ? 1 : 0), rule)
      }
    }
}

const PART = /\\{0,7}"(?:d|k|p|q|dp|dq|qi)\\{0,7}"\s{0,4}:\s{0,4}\\{0,7}"([\w-]{16,1400})(?=\\{0,7}")/g

/** Finds the private members of a JSON Web Key (RFC 7517 and 7518), before or after its `kty`. */
export function findJwk({ text, start, end, rule, found }: Hit): void {
  const reach = found.reachOf('jwk')
  const from = Math.max(start - 2_000, reach.end, 0)
  // Both searches are bounded. Otherwise, they would read a whole text without braces for each keyword.
  const back = text.slice(from, start + 1).lastIndexOf('{')
  const open = back < 0 ? from : from + back
  const limit = Math.min(text.length, end + 6_000)
  const close = text.slice(end, limit).indexOf('}')
  const to = close < 0 ? limit : end + close
  const window = text.slice(open, to)
  for (const { 0: whole, 1: value = '', index } of window.matchAll(PART))
    found.add(value, open + index + whole.length - value.length, rule)
  reach.end = to
}

const RESULT = /"result\\{0,7}":\s{0,3}\\{0,7}"([^"\n\\]{8,256})(?=\\{0,7}")/g
const RESULT_REACH = 1_500

/**
 * Finds the password in Terraform's state. The keys are in alphabetic order, so the password precedes the type of its
 * resource.
 */
export function findTerraformResult({ text, start, rule, found }: Hit): void {
  const from = Math.max(0, start - RESULT_REACH)
  const before = text.slice(from, start)
  let last: RegExpExecArray | undefined
  for (const match of before.matchAll(RESULT)) last = match
  // If another type is between them, the password belongs to another resource.
  if (!last || /"type\\{0,7}"/.test(before.slice(last.index, -40))) return
  const [whole, value = ''] = last
  found.add(value, from + last.index + whole.length - value.length, rule)
}
