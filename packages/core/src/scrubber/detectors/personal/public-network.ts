import { EDGE_NETWORKS_V4, EDGE_NETWORKS_V6, SPECIAL_NETWORKS_V4, SPECIAL_NETWORKS_V6 } from '../../rules/networks.ts'

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

const prefixes = (networks: string, bitsOf: (address: string) => string | null): readonly string[] =>
  networks.split(' ').map((network) => {
    const [address, length] = network.split('/') as [string, string]
    return (bitsOf(address) ?? '').slice(0, Number(length))
  })
const prefixesV4 = prefixes(`${SPECIAL_NETWORKS_V4} ${EDGE_NETWORKS_V4}`, bitsOfV4)
const prefixesV6 = prefixes(`${SPECIAL_NETWORKS_V6} ${EDGE_NETWORKS_V6}`, bitsOfV6)

/** Returns whether an IPv4 address is the address of a network with this prefix: all bits after the prefix are 0. */
export const isNetworkV4 = (address: string, prefix: number): boolean =>
  prefix < 31 && !bitsOfV4(address).slice(prefix).includes('1')

/** Returns whether an IPv4 address is public and may belong to a person. Each of its four numbers must be at most 255. */
export function isPublicV4(address: string): boolean {
  const bits = bitsOfV4(address)
  return !prefixesV4.some((prefix) => bits.startsWith(prefix))
}

/** Returns whether a text is a public IPv6 address that may belong to a person. */
export function isPublicV6(address: string): boolean {
  const bits = bitsOfV6(address)
  return bits?.startsWith(GLOBAL_V6) === true && !prefixesV6.some((prefix) => bits.startsWith(prefix))
}
