import type { PlainRequest } from './message.ts'

/**
 * Returns the client's address: the socket's, or with `trustedProxies` n the n-th entry from the right of
 * `x-forwarded-for`. With fewer entries than trusted proxies no trusted proxy wrote them, so the socket's address is
 * returned.
 */
export function clientAddress(request: PlainRequest, trustedProxies: number): string | null {
  if (trustedProxies <= 0) return request.address
  const hops = (request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((hop) => hop.trim())
    .filter((hop) => hop !== '')
  return hops.at(-trustedProxies)?.slice(0, 64) ?? request.address
}

/**
 * Returns whether a request by cookie comes from our own pages: the browser sends
 * `sec-fetch-site` `same-origin` or `none`, or an `origin` that is ours or configured.
 */
export function isFromOwnPages(request: PlainRequest, origins: readonly string[]): boolean {
  const site = request.headers['sec-fetch-site']
  if (site === 'same-origin' || site === 'none') return true
  const origin = request.headers['origin']
  return origin !== undefined && origins.includes(origin)
}

/**
 * Returns the `/64` network of an IPv6 address, or the IPv4 address that it maps; null when the text is not an IPv6
 * address.
 */
function ipv6Key(text: string): string | null {
  // `::ffff:1.2.3.4`: the last 32 bits may be written as IPv4.
  const wrapped = /^(.*:)([^:]*\..*)$/.exec(text)
  const four = wrapped ? ipv4Bytes(wrapped[2]!) : null
  if (wrapped && !four) return null
  const whole = four ? `${wrapped![1]}${hex(four[0]! * 256 + four[1]!)}:${hex(four[2]! * 256 + four[3]!)}` : text
  const halves = whole.split('::').map((half) => (half === '' ? [] : half.split(':')))
  const [head = [], tail = []] = halves
  const zeros = 8 - head.length - tail.length
  if (halves.length > 2 || (halves.length === 2 ? zeros < 1 : zeros !== 0)) return null
  const groups = [...head, ...Array.from({ length: zeros }, () => '0'), ...tail]
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return null
  const numbers = groups.map((group) => Number.parseInt(group, 16))
  if (numbers.slice(0, 5).every((number) => number === 0) && numbers[5] === 0xffff) {
    return numbers
      .slice(6)
      .flatMap((number) => [number >> 8, number & 255])
      .join('.')
  }
  return `${numbers.slice(0, 4).map(hex).join(':')}::/64`
}

function ipv4Bytes(text: string): number[] | null {
  const bytes = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number)
  return bytes?.every((byte) => byte <= 255) ? bytes : null
}

const hex = (number: number): string => number.toString(16)

/**
 * Returns the key that a rate limit counts an address by: IPv4 as it is, IPv4-mapped IPv6 as IPv4, other IPv6 by its
 * /64, since one subscriber holds at least that many addresses. Ports, zones, brackets and spelling do not matter. A
 * text that is not an address, null included, is `unknown`: all of these share one limit, so that an invented address
 * gets no new one.
 */
export function addressKey(address: string | null): string {
  const text = (address ?? '').trim()
  const [, bracketed] = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text) ?? []
  // A zone names a network interface of the receiving host.
  const bare = (bracketed ?? text).replace(/%.*$/, '')
  if (bracketed === undefined) {
    const four = ipv4Bytes(bare.replace(/:\d{1,5}$/, ''))
    if (four) return four.join('.')
  }
  return (bare.includes(':') ? ipv6Key(bare) : null) ?? 'unknown'
}
