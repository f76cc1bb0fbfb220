import { createTestStores, fixture, type Fixture } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { addressKey, createNetworkTest } from './address.ts'

describe('createNetworkTest', () => {
  const isKnown = createNetworkTest(['192.0.2.0/25', '198.51.100.9', '2001:db8:1::/48', '2001:db8:2::5', '10.1.2.3/8'])

  test.each([
    ['192.0.2.0', true],
    ['192.0.2.127', true],
    ['192.0.2.128', false],
    ['::ffff:192.0.2.7', true],
    ['192.0.2.7:5555', true],
    ['198.51.100.9', true],
    ['198.51.100.8', false],
    ['10.255.0.1', true],
    ['2001:db8:1:ffff::1', true],
    ['[2001:DB8:1::9]:443', true],
    ['2001:db8:2::5', true],
    ['2001:db8:2::6', false],
    ['unknown', false],
    [null, false],
  ])('returns whether a network contains %s', (address, expected) => {
    expect(isKnown(address)).toBe(expected)
  })

  test.each(['', '192.0.2.0/33', '192.0.2.0/', '192.0.2.0/-1', '192.0.2/24', '2001:db8::/129', '1.2.3.4/8/8', 'x'])(
    'throws on %j',
    (network) => {
      expect(() => createNetworkTest([network])).toThrow(`"${network}" is not a network, such as 192.0.2.0/24`)
    },
  )

  test('accepts every address of the IP version of a network of length 0', () => {
    const isIpv4 = createNetworkTest(['0.0.0.0/0'])
    expect([isIpv4('203.0.113.9'), isIpv4('2001:db8::1')]).toEqual([true, false])
  })
})

describe('addressKey', () => {
  test.each([
    ['1.2.3.4', '1.2.3.4'],
    [' 1.2.3.4 ', '1.2.3.4'],
    ['1.2.3.4:5555', '1.2.3.4'],
    ['001.002.003.004', '1.2.3.4'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['::FFFF:102:304', '1.2.3.4'],
    ['0:0:0:0:0:ffff:1.2.3.4', '1.2.3.4'],
    ['[::ffff:1.2.3.4]:443', '1.2.3.4'],
    ['::ffff:1.2.3.4%eth0', '1.2.3.4'],
    ['255.255.255.255', '255.255.255.255'],
  ])('returns the IPv4 address of %j', (address, key) => {
    expect(addressKey(address)).toBe(key)
  })

  test.each([
    '2001:db8:1:2::',
    '2001:db8:1:2:3:4:5:6',
    '2001:0DB8:0001:0002::FFFF',
    '[2001:db8:1:2::1]',
    '[2001:db8:1:2::1]:65535',
    '2001:db8:1:2::1%eth0',
    '[2001:db8:1:2::1%25eth0]:80',
    '2001:db8:1:2:ffff:ffff:1.2.3.4',
    '2001:db8:1:2:3:4:5::',
    ' 2001:db8:1:2::9',
  ])('returns the same /64 for %j', (address) => {
    expect(addressKey(address)).toBe('2001:db8:1:2::/64')
  })

  test.each([
    ['[::1]:80', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['::1.2.3.4', '0:0:0:0::/64'],
    ['1::ffff:1.2.3.4', '1:0:0:0::/64'],
    ['64:ff9b::1.2.3.4', '64:ff9b:0:0::/64'],
  ])('returns the /64 of %j', (address, key) => {
    expect(addressKey(address)).toBe(key)
  })

  test.each([
    null,
    '',
    'unknown',
    'localhost',
    '1.2.3',
    '1.2.3.256',
    '1.2.3.4.5',
    '1.2.3.4:',
    '1.2.3.4:x',
    '[1.2.3.4]',
    ':',
    ':::',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1::2::3',
    '1:2:3:4::5:6:7:8::9',
    '12345::',
    'g::1',
    '::ffff:1.2.3',
    '::1.2.3.4:5',
    '1:2:3:4:5:6:7:1.2.3.4',
    '[::1',
    '::1]',
    '[::1]:',
    '[::1]x',
    '%eth0',
    '1:2:3:4:5:6:7:8::',
    'x'.repeat(64),
    '::1, ::2',
  ])('returns "unknown" for %j', (address) => {
    expect(addressKey(address)).toBe('unknown')
  })
})

describe('rate limits by address', () => {
  const once = { limit: 1, windowMs: 60_000 }
  const rates = { device_start: once, reports: once, mail_code: once, operator: once, events: once }
  const adminToken = 'operator-'.repeat(3)

  test.each<[string, (from: string, made: Fixture) => Promise<{ readonly status: number }>]>([
    [
      'POST /api/cli/device/start',
      (address, { ask }) => ask('POST', '/api/cli/device/start', { address, json: { machine: 'm' } }),
    ],
    ['POST /api/v1/feedback', (address, { ask }) => ask('POST', '/api/v1/feedback', { address, json: {} })],
    ['POST /sign-in', (address, { ask }) => ask('POST', '/sign-in', { address, form: { email: 'ann@mail.example' } })],
    ['POST /admin/sign-in', (address, { ask }) => ask('POST', '/admin/sign-in', { address, form: { token: 'wrong' } })],
    [
      'GET /api/admin/jobs',
      (address, { ask }) => ask('GET', '/api/admin/jobs', { address, headers: { authorization: 'Bearer wrong' } }),
    ],
    ['GET /api/ad/imp/{nonce}', (address, { ask }) => ask('GET', '/api/ad/imp/x', { address })],
  ])('%s counts all spellings of an IPv6 /64 network as one address', async (_, ask) => {
    const made = fixture({ stores: createTestStores(), adminToken, rates })
    const statuses = []
    for (const address of [
      '2001:db8::1',
      '[2001:DB8:0:0:f::2]:443',
      '2001:db8:0:1::1',
      '::ffff:192.0.2.7',
      '192.0.2.7:5555',
    ]) {
      statuses.push((await ask(address, made)).status === 429)
    }
    expect(statuses).toEqual([false, true, false, false, true])
  })
})
