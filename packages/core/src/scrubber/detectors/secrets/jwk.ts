import type { Hit } from '../../engine/findings.ts'

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
