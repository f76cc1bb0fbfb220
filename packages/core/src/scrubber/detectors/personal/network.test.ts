import ipaddr from 'ipaddr.js'
import { expect, test } from 'vitest'
import { EDGE_NETWORKS } from '../../rules/published-values.ts'
import { isNetworkV4, isPublicV4, isPublicV6, networkMatcher } from './network.ts'

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

test('isPublicV4 agrees with ipaddr.js', () => {
  for (const address of addressesV4())
    expect([address, isPublicV4(address)]).toEqual([address, ipaddr.IPv4.parse(address).range() === 'unicast'])
})

test('isPublicV6 agrees with ipaddr.js inside 2000::/3', () => {
  const all = ipaddr.IPv6.parseCIDR('2000::/3')
  for (const address of HEADS.flatMap((head) => TAILS.map((tail) => (head === 'none' ? '' : head) + tail))) {
    const parsed = ipaddr.IPv6.isValid(address) ? ipaddr.IPv6.parse(address) : null
    expect([address, isPublicV6(address)]).toEqual([address, parsed?.range() === 'unicast' && parsed.match(all)])
  }
})

test('networkMatcher agrees with ipaddr.js', () => {
  const isInEdge = networkMatcher(EDGE_NETWORKS)
  const networks = EDGE_NETWORKS.split(' ').map((network) => ipaddr.parseCIDR(network))
  const borders = ['104.16.7.34', '104.15.255.255', '104.28.0.0', '172.63.0.1', '199.232.255.1', '2606:4700::1']
  for (const address of [...addressesV4(), ...borders, '2a06:98c7::', '2a06:98c8::', '2a04:4e42::7']) {
    const parsed = ipaddr.parse(address)
    const isIn = networks.some(([first, length]) => parsed.kind() === first.kind() && parsed.match([first, length]))
    expect([address, isInEdge(address)]).toEqual([address, isIn])
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
