/** Returns the eight groups of an IPv6 address, or null when the text is not an address. */
function ipv6Groups(text: string): number[] | null {
  // `::ffff:1.2.3.4`: the last 32 bits may be written as IPv4.
  const [, start, ipv4] = /^(.*:)([^:]*\..*)$/.exec(text) ?? []
  const bytes = ipv4 === undefined ? null : ipv4Bytes(ipv4)
  if (ipv4 !== undefined && !bytes) return null
  const [a = 0, b = 0, c = 0, d = 0] = bytes ?? []
  const whole = bytes ? `${start}${hex(a * 256 + b)}:${hex(c * 256 + d)}` : text
  const halves = whole.split('::').map((half) => (half === '' ? [] : half.split(':')))
  const [head = [], tail = []] = halves
  const zeros = 8 - head.length - tail.length
  if (halves.length > 2 || (halves.length === 2 ? zeros < 1 : zeros !== 0)) return null
  const groups = [...head, ...Array.from({ length: zeros }, () => '0'), ...tail]
  return groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))
    ? groups.map((group) => Number.parseInt(group, 16))
    : null
}

function ipv4Bytes(text: string): number[] | null {
  const bytes = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number)
  return bytes?.every((byte) => byte <= 255) ? bytes : null
}

const hex = (number: number): string => number.toString(16)

/**
 * Returns the four bytes of an IPv4 address (also if it is mapped to IPv6), the eight groups of any other IPv6 address,
 * or null when the text is not an address. Ports, zones, brackets and spelling do not matter.
 */
function readAddress(address: string | null): number[] | null {
  const text = (address ?? '').trim()
  const [, bracketed] = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text) ?? []
  // A zone (`%eth0`) names a network interface of the receiving host and is not part of the address.
  const bare = (bracketed ?? text).replace(/%.*$/, '')
  const four = bracketed === undefined ? ipv4Bytes(bare.replace(/:\d{1,5}$/, '')) : null
  if (four) return four
  const groups = bare.includes(':') ? ipv6Groups(bare) : null
  if (groups === null || groups[5] !== 0xffff || groups.slice(0, 5).some((number) => number !== 0)) return groups
  return groups.slice(6).flatMap((number) => [number >> 8, number & 255])
}

/** Matches an IPv4 address in the notation of sockets. The addresses of most requests need no more parsing. */
const plainIpv4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/

/**
 * Returns the key by which a rate limit counts an address: the IPv4 address, the IPv4 address of IPv4-mapped IPv6, or
 * the /64 of other IPv6, because one subscriber has at least that many addresses. Null and texts that are not an
 * address have the key `unknown`. All of these share one limit, so that an invented address does not get a new limit.
 */
export function addressKey(address: string | null): string {
  if (address !== null && plainIpv4.test(address)) return address
  const numbers = readAddress(address)
  if (numbers === null) return 'unknown'
  return numbers.length === 4 ? numbers.join('.') : `${numbers.slice(0, 4).map(hex).join(':')}::/64`
}

/** Returns the version of an address and its bits, as text, or null when the text is not an address. */
function addressBits(address: string | null): string | null {
  const numbers = readAddress(address)
  if (numbers === null) return null
  const [version, width] = numbers.length === 4 ? ['4:', 8] : ['6:', 16]
  return version + numbers.map((number) => number.toString(2).padStart(width, '0')).join('')
}

/** Returns the bits with which all addresses of a network (CIDR notation) begin, or null for any other text. */
function networkBits(network: string): string | null {
  const [address = '', length, ...rest] = network.split('/')
  const bits = addressBits(address)
  if (bits === null || rest.length > 0) return null
  if (length === undefined) return bits
  return /^\d{1,3}$/.test(length) && Number(length) <= bits.length - 2 ? bits.slice(0, 2 + Number(length)) : null
}

/**
 * Returns a function that tests whether an address is in one of these networks (CIDR notation or single addresses). The
 * time of a test does not depend on the number of networks. Throws on a text that is not a network.
 */
export function createNetworkTest(networks: readonly string[]): (address: string | null) => boolean {
  const known = new Set<string>()
  for (const network of networks) {
    const bits = networkBits(network)
    if (bits === null)
      throw new Error(`"${network.slice(0, 64)}" is not a network, such as 192.0.2.0/24 or 2001:db8::/32`)
    known.add(bits)
  }
  const lengths = [...new Set([...known].map((bits) => bits.length))]
  return (address) => {
    const bits = addressBits(address)
    return bits !== null && lengths.some((length) => known.has(bits.slice(0, length)))
  }
}
