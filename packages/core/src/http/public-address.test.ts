import { describe, expect, test } from 'vitest'
import { isPublicAddress, toPublicUrl } from './public-address.ts'

describe('toPublicUrl', () => {
  test.each(['https://acme.example/a?b=c', 'https://93.184.216.34/', 'https://[2606:4700::1111]/'])(
    'returns %s in normalized form',
    (address) => expect(toPublicUrl(address)).toBe(address),
  )

  test.each([
    ['a user without a password', 'https://user@acme.example/'],
    ['a password without a user', 'https://:word@acme.example/'],
    ['a user and a password', 'https://user:word@acme.example/'],
    ['a host without a dot', 'https://printer/'],
    ['a name of private networks', 'https://intranet/'],
    ['another port', 'https://acme.example:8443/'],
    ['http', 'http://acme.example/'],
    ['a script', 'javascript:alert(1)'],
    ['a name of the own network', 'https://printer.local/'],
    ['localhost', 'https://localhost/'],
    ['a name below localhost', 'https://a.localhost/'],
    ['a private address', 'https://10.0.0.1/'],
    ['an address of the machine', 'https://[::1]/'],
    ['a metadata address', 'https://169.254.169.254/'],
    ['no address', 'acme.example'],
    ['a number', 7],
    ['null', null],
  ])('returns null for %s', (_, address) => expect(toPublicUrl(address)).toBeNull())

  test('returns URLs of up to 2048 characters, and null for longer URLs', () => {
    const makeAddress = (length: number): string => `https://acme.example/${'a'.repeat(length - 21)}`
    expect(toPublicUrl(makeAddress(2048))).toHaveLength(2048)
    expect(toPublicUrl(makeAddress(2049))).toBeNull()
    // The URL must be within the limit both before and after normalization.
    expect(toPublicUrl('https://acme.example/'.padEnd(2049))).toBeNull()
    expect(toPublicUrl(`https://acme.example/${'é'.repeat(337)}${'a'.repeat(5)}`)).toHaveLength(2048)
    expect(toPublicUrl(`https://acme.example/${'é'.repeat(338)}`)).toBeNull()
  })
})

describe('isPublicAddress', () => {
  test.each([
    ['93.184.216.34', true],
    ['2606:4700::1111', true],
    ['10.0.0.1', false],
    ['172.16.0.1', false],
    ['192.168.0.1', false],
    ['100.64.0.1', false],
    ['127.0.0.1', false],
    ['::ffff:127.0.0.1', false],
    ['fe80::1', false],
    ['fc00::1', false],
    ['224.0.0.1', false],
    ['not an address', false],
  ])('for %s returns %s', (address, isPublic) => expect(isPublicAddress(address)).toBe(isPublic))
})
