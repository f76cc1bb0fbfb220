import ipaddr from 'ipaddr.js'
import { expect, test } from 'vitest'
import { EDGE_NETWORKS_V4, EDGE_NETWORKS_V6 } from '../../rules/networks.ts'
import { isNetworkV4, isPublicV4, isPublicV6 } from './network.ts'

/** Returns addresses at the borders of every network in the list, and some addresses between these borders. */
function addressesV4(): string[] {
  const firsts = Array.from({ length: 256 }, (_, octet) => `${octet}.`)
  const rests = (
    '0.0.0 0.1.1 0.2.9 2.3.4 18.0.1 19.255.255 20.0.0 31.196.7 51.100.9 52.193.1 63.9.9 64.0.1 88.99.1 ' +
    '113.9.9 127.9.9 128.0.0 168.1.1 175.48.3 254.1.1 255.255.255'
  ).split(' ')
  return firsts.flatMap((first) => [...rests, '0.113.5', '16.0.0'].map((rest) => first + rest))
}

const HEADS = (
  'none 0 1 64 100 2000 2001 2001:1ff 2001:200 2001:db8 2001:10 2001:4:112 2002 2620:4f:8000 ' +
  '2620:4f:8001 2a02 3fff 3fff:fff 3fff:1000 4000 5f00 5f01 64:ff9b 64:ff9b:1 64:ff9b:2 fbff fc00 fdff ' +
  'fe7f fe80 febf fec0 feff ff02 FFFF 12345 g'
).split(' ')
const TAILS = (
  ':: ::1 ::ffff ::ffff:1 ::ffff:0:1 ::ffff:0:1:2 ::ffff:8.8.8.8 ::8.8.8.8 ::8.8.8.300 ::1.2.3 ' +
  ':1:2:3:4:5:6 :1:2:3:4:5:6:7 :1:2:3:4:8.8.8.8 :1:2:3:4:5:8.8.8.8 ::2:3:4:5:6:7 ::2:3:4:5:6:7:8 ::1::2 ' +
  ':::1 :'
).split(' ')

const isInV4 = (address: string, networks: string): boolean =>
  networks.split(' ').some((network) => ipaddr.IPv4.parse(address).match(ipaddr.IPv4.parseCIDR(network)))
const isInV6 = (address: string, networks: string): boolean =>
  networks.split(' ').some((network) => ipaddr.IPv6.parse(address).match(ipaddr.IPv6.parseCIDR(network)))

test('isPublicV4 agrees with ipaddr.js, except in networks of delivery services', () => {
  for (const address of [...addressesV4(), '104.16.7.34', '104.15.255.255', '172.63.0.1', '199.232.255.1']) {
    const isPublic = ipaddr.IPv4.parse(address).range() === 'unicast' && !isInV4(address, EDGE_NETWORKS_V4)
    expect([address, isPublicV4(address)]).toEqual([address, isPublic])
  }
})

test('isPublicV6 agrees with ipaddr.js inside 2000::/3, except in networks of delivery services', () => {
  for (const address of [...HEADS, '2606:4700', '2a06:98c7', '2a06:98c8'].flatMap((head) =>
    TAILS.map((tail) => (head === 'none' ? '' : head) + tail),
  )) {
    const isPublic =
      ipaddr.IPv6.isValid(address) &&
      ipaddr.IPv6.parse(address).range() === 'unicast' &&
      isInV6(address, '2000::/3') &&
      !isInV6(address, EDGE_NETWORKS_V6)
    expect([address, isPublicV6(address)]).toEqual([address, isPublic])
  }
})

test('isNetworkV4 returns whether all bits after the prefix are 0', () => {
  expect([
    isNetworkV4('52.94.248.16', 28),
    isNetworkV4('52.94.248.17', 28),
    isNetworkV4('52.94.248.16', 32),
    isNetworkV4('96.0.0.0', 3),
  ]).toEqual([true, false, false, true])
})
