import { beginsWord, isAlnum, isDigit, isHex } from '../../engine/character.ts'
import type { Hit } from '../../engine/findings.ts'

/** Special-purpose networks (RFC 6890 and later): private, local, shared, reserved, multicast. */
const SPECIAL_V4 =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 ' +
  '192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 ' +
  '203.0.113.0/24 224.0.0.0/4 240.0.0.0/4'
/** Special-purpose networks inside 2000::/3. */
const SPECIAL_V6 = '2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20'
/** The first bits of 2000::/3. All public IPv6 addresses are in this network (IANA IPv6 Address Space Registry). */
const GLOBAL_V6 = '001'

/** Returns an IPv4 address as 32 binary digits. */
const bitsOfV4 = (address: string): string =>
  address.split('.').reduce((bits, octet) => bits + Number(octet).toString(2).padStart(8, '0'), '')

const QUAD = /^(.*:)(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})$/

/** Returns an IPv6 address as 128 binary digits, or null if the text is not an IPv6 address. */
function bitsOfV6(address: string): string | null {
  const [, groupsBefore, quad] = QUAD.exec(address) ?? []
  const tail = quad === undefined ? '' : bitsOfV4(quad)
  if (tail !== '' && tail.length !== 32) return null
  // `::1.2.3.4` is the old form of an IPv4 address in IPv6.
  const head = groupsBefore === '::' ? '::ffff' : (groupsBefore?.replace(/([^:]):$/, '$1') ?? address)
  const halves = head.split('::').map((half) => (half === '' ? [] : half.split(':')))
  const groups = halves.flat()
  const missing = (quad ? 6 : 8) - groups.length
  if (halves.length > 2 || (halves.length === 2 ? missing < 1 : missing !== 0)) return null
  if (!groups.every((group) => /^[\da-f]{1,4}$/i.test(group))) return null
  const bits = (half: readonly string[]): string =>
    half.map((group) => parseInt(group, 16).toString(2).padStart(16, '0')).join('')
  return bits(halves[0] ?? []) + '0'.repeat(16 * missing) + bits(halves[1] ?? []) + tail
}

/** Returns a function that returns whether an address is in one of these networks, which are separated by blanks. */
export function networkMatcher(networks: string): (address: string) => boolean {
  const bitsOf = (address: string): string =>
    address.includes(':') ? `6 ${bitsOfV6(address) ?? ''}` : `4 ${bitsOfV4(address)}`
  const prefixes = networks.split(' ').map((network) => {
    const [address, length] = network.split('/') as [string, string]
    return bitsOf(address).slice(0, 2 + Number(length))
  })
  return (address) => {
    const bits = bitsOf(address)
    return prefixes.some((prefix) => bits.startsWith(prefix))
  }
}
const isSpecial = networkMatcher(`${SPECIAL_V4} ${SPECIAL_V6}`)

/** Returns whether an IPv4 address is the address of a network with this prefix: all bits after the prefix are 0. */
export const isNetworkV4 = (address: string, prefix: number): boolean =>
  prefix < 31 && !bitsOfV4(address).slice(prefix).includes('1')

/** Returns whether an IPv4 address is public. Each of its four numbers must be at most 255. */
export const isPublicV4 = (address: string): boolean => !isSpecial(address)

/** Returns whether a text is a public IPv6 address. */
export const isPublicV6 = (address: string): boolean =>
  bitsOfV6(address)?.startsWith(GLOBAL_V6) === true && !isSpecial(address)

const FOUR = /(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?![\w])(?!\.\w)/y
const VERSION =
  /(?:version(?: number)?|(?<![a-z])(?:ver|v|rel)|release|build|section|chapter|clause|@|[=~<>!]=|~>|\^|~|blob|tree|tags?|otp|chrome|firefox|safari|edge?|opera|[a-z]\w*:[a-z][a-z-]{3,24}(?=:))["']?[\s:=/(]{0,3}["'`]?$/i

/** Finds a public IPv4 address. Ignores private, loopback, documentation and multicast addresses, and versions. */
export function findIpv4({ text, start, rule, found }: Hit): void {
  // The keyword is the first dot, so this loop goes back to the first digit.
  let from = start
  while (from > 0 && start - from < 3 && isDigit(text, from - 1)) from--
  if (from === start || !isDigit(text, start + 1)) return
  const before = text[from - 1]
  if (before === '.' || before === '-' || before === '_' || (isAlnum(text, from - 1) && !beginsWord(text, from))) return
  FOUR.lastIndex = from
  const match = FOUR.exec(text)
  if (!match) return
  const value = match[0]
  const context = text.slice(Math.max(0, from - 24), from)
  if (VERSION.test(context) || !isPublic(value)) return
  const end = from + value.length
  if (text[end] === '-' && isAlnum(text, end + 1)) return
  // The address of a network: `52.94.248.16/28`.
  const [, prefix] = text[end] === '/' ? (/^\/(\d\d?)(?![\d.])/.exec(text.slice(end, end + 4)) ?? []) : []
  if (prefix && isNetworkV4(value, Number(prefix))) return
  // The value is a part of coordinates in a drawing: `2,3.45.71.71,0,0`, `.58 1.23.82.72-.18`.
  if (before === ',' && isDigit(text, from - 2) && text[end] === ',' && isDigit(text, end + 1)) return
  if (
    /^\d\.(?:\d\d?\.){2}\d\d?$/.test(value) &&
    /\.\d+ $/.test(context) &&
    /^[ -]\d*\.\d/.test(text.slice(end, end + 6))
  )
    return
  // A number without a leading zero is nearby, as in a path of SVG: `m.58 1.36.28.36-.18`.
  if (
    /^\d\d?(?:\.\d\d?){3}$/.test(value) &&
    /(?:^|[\s,a-zA-Z-])\.\d/.test(text.slice(Math.max(0, from - 24), from) + ' ' + text.slice(end, end + 24))
  )
    return
  found.push({ start: from, end, rule, value })
}

/** An IPv4 address inside an IPv6 address: mapped (RFC 4291), or translated by NAT64 (RFC 6052). */
const MAPPED = /^(?:(?:0{1,4}:){0,5}:?:?ffff|64:ff9b:(?:0{1,4}:){0,4}):?([\da-f]{1,4}):([\da-f]{1,4})$/i

function isPublic(address: string): boolean {
  if (address.includes(':')) {
    const [, ...groups] = MAPPED.exec(address) ?? []
    const [high, low] = groups.map((group) => parseInt(group, 16))
    if (high === undefined || low === undefined) return isPublicV6(address)
    return isPublicV4([high >> 8, high & 255, low >> 8, low & 255].join('.'))
  }
  const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number]
  // Addresses with small numbers are usually versions or object ids. `1.1.x.x` and `8.8.x.x` are exceptions.
  if ((a === 1 && (b === 2 || b === 3)) || (a === 2 && (b === 5 || b === 16))) return false
  if (a < 20 && (d === 0 || (b < 10 && c < 10 && d < 100))) return false
  // The address of a network (`64.0.0.0`), or numbers that were counted up (`101.102.103.104`).
  if ((c === 0 && d === 0) || (b - a === 1 && c - b === 1 && d - c === 1)) return false
  if (a < 10 && b < 30 && c < 30 && d < 30 && !(a === 1 && b === 1) && !(a === 8 && b === 8)) return false
  return isPublicV4(address)
}

const SIX = /[0-9A-Fa-f:]{2,39}(?:\.\d{1,3}){0,3}/y
const MAC = /[0-9A-Fa-f]{2}([:-])(?:[0-9A-Fa-f]{2}\1){4}[0-9A-Fa-f]{2}(?![0-9A-Fa-f:-]|\.\.|…)/y

/**
 * MAC addresses that do not belong to a single device: multicast and broadcast (an odd first octet), the IANA block of
 * virtual routers, containers, and invented addresses, of which four octets in a row are equal.
 */
const NO_DEVICE = /^.[13579bdf]|^00[:-]00[:-]5e|^02[:-]42[:-]ac|([\da-f]{2})(?:[:-]\1){3}/

/** A label directly before an address: `Mac:`, `IP:`. */
const LABEL = /(?:ip|v6|mac|addr(?:ess)?):$/i

/** `19:48:13` and `fields.py:1474:7` have too few parts for an IPv6 address, unless `::` omits parts. */
const FEW_PARTS = /[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4}){1,2}(?![0-9A-Fa-f:])/y

/** Finds an IPv6 address or a MAC address. The keyword is a colon between hexadecimal digits. */
export function findColons({ text, start, rule, found }: Hit): void {
  if (!isHex(text, start - 1) && text[start + 1] !== ':') return
  if (!isHex(text, start + 1) && text[start + 1] !== ':') return
  let from = start
  const floor = Math.max(0, start - 4)
  while (from > floor && isHex(text, from - 1)) from--
  if (text[from - 1] === ':' ? !LABEL.test(text.slice(Math.max(0, from - 8), from)) : !beginsWord(text, from)) return
  FEW_PARTS.lastIndex = from
  if (FEW_PARTS.test(text)) return
  MAC.lastIndex = from
  const mac = MAC.exec(text)
  if (mac) {
    const value = mac[0].toLowerCase()
    if (!NO_DEVICE.test(value))
      found.push({
        start: from,
        end: from + value.length,
        rule: { id: rule.id, category: 'mac_address', placeholder: 'MAC_ADDRESS' },
        value,
        // Without separators, the address is in UUIDs of version 1 and in names of interfaces.
        also: [mac[0], value.replace(/[:-]/g, ''), value.replace(/[:-]/g, '').toUpperCase()],
      })
    return
  }
  SIX.lastIndex = from
  const match = SIX.exec(text)
  if (!match) return
  const value = match[0].replace(/[.:]+$/, (tail) => (tail === '::' ? tail : ''))
  if (value.length < 9 || value.split(':').length < 4 || isAlnum(text, from + value.length)) return
  if (!isPublic(value) || (value.endsWith('::') && text[from + value.length] === '/')) return
  found.push({ start: from, end: from + value.length, rule, value: value.toLowerCase(), also: [value] })
}

/** Finds `3C-22-FB-9A-10-4E`, a MAC address in the form of Windows and IEEE 802. The keyword is the first hyphen. */
export function findHyphens(hit: Hit): void {
  const { text, start } = hit
  if (
    text.charCodeAt(start + 3) !== 45 ||
    text.charCodeAt(start + 6) !== 45 ||
    text[start - 3] === '-' ||
    !beginsWord(text, start - 2)
  )
    return
  findColons(hit)
}

const DOTS = /[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}(?![\w.])/y

/** Finds `001a.2b3c.4d5e`, a MAC address in the form of Cisco. The keyword is the first dot. */
export function findDots({ text, start, rule, found }: Hit): void {
  if (text.charCodeAt(start + 5) !== 46 || start < 4 || text[start - 5] === '.' || !beginsWord(text, start - 4)) return
  DOTS.lastIndex = start - 4
  const value = DOTS.exec(text)?.[0]
  if (value && /[a-f]/i.test(value) && /\d/.test(value))
    found.push({ start: start - 4, end: start + 10, rule, value: value.toLowerCase(), also: [value] })
}
