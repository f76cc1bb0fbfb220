import { crc32 } from 'node:zlib'
import { seededRandom } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { bearerKind, checksum, draw, extended, machineLabel, mailCode, mintToken, ownPath, readUserCode, secret, userCode } from './rules.ts'

const day = 24 * 60 * 60 * 1000

test('tokens end in the CRC-32 of their random part, as zlib counts it', () => {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  const random = seededRandom(7)
  for (let i = 0; i < 200; i++) {
    const token = mintToken(random)
    expect(token).toMatch(/^trb_[0-9A-Za-z]{36}$/)
    const value = Array.from(token.slice(-6)).reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0)
    expect(value).toBe(crc32(token.slice(4, 34)))
    expect(bearerKind(token)).toBe('token')
    expect(bearerKind(token.slice(0, -1) + (token.endsWith('0') ? '1' : '0'))).toBe('broken')
  }
  expect(checksum('')).toBe('000000')
  expect(['trb_', 'trb', 'TRB_x', 'eyJ', ''].map(bearerKind)).toEqual(['broken', 'foreign', 'foreign', 'foreign', 'foreign'])
})

test('every character of an alphabet is drawn as often as any other: bytes past its last whole multiple are thrown away', () => {
  for (const size of [10, 20, 62]) {
    const alphabet = Array.from({ length: size }, (_, i) => String.fromCharCode(0x100 + i)).join('')
    let next = 0
    const drawn = draw(alphabet, (256 - (256 % size)) * 4, (length) => Uint8Array.from({ length }, () => next++ & 0xff))
    const counts = new Map<string, number>()
    for (const character of drawn) counts.set(character, (counts.get(character) ?? 0) + 1)
    expect(counts.size).toBe(size)
    expect(new Set(counts.values()).size).toBe(1)
  }
})

test('secrets carry the bits they promise', () => {
  const random = seededRandom(3)
  expect(30 * Math.log2(62)).toBeGreaterThanOrEqual(160)
  expect(secret(random).length * Math.log2(62)).toBeGreaterThanOrEqual(256)
  expect(mailCode(random)).toMatch(/^\d{6}$/)
  expect(userCode(random)).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
})

test.each([
  ['BCDF-GHJK', 'BCDF-GHJK'], ['bcdfghjk', 'BCDF-GHJK'], [' b c d f—g.h_j/k! ', 'BCDF-GHJK'], ['BCDF-GHJ', null], ['BCDF-GHJKL', null],
  ['ABCD-EFGH', null], ['BCDF-GHJ0', null], ['BCDFÉGHJK', null], ['', null], [`${'-'.repeat(100)}BCDFGHJK`, null],
])('the user code %j is read as %j', (typed, read) => {
  expect(readUserCode(typed)).toBe(read)
})

test.each([
  ['/traces', '/traces'], ['/device?code=BCDF-GHJK', '/device?code=BCDF-GHJK'], ['/', '/'],
  ['//evil.example', '/traces'], ['/\\evil.example', '/traces'], ['\\\\evil.example', '/traces'], ['https://evil.example', '/traces'],
  ['javascript:alert(1)', '/traces'], ['/\t/evil.example', '/traces'], ['/\n/evil.example', '/traces'], [' /traces', '/traces'],
  ['evil', '/traces'], ['', '/traces'], [undefined, '/traces'], ['/a\\b', '/traces'], ['/..//evil.example', '/traces'], ['/.//evil.example', '/traces'], ['/a/../../b', '/traces'], ['/%2e%2e/b', '/traces'], ['/a%2fb?c=%2e%2e#d', '/a%2fb?c=%2e%2e#d'], ['/x\r\nset-cookie: a=b', '/traces'], [`/${'a'.repeat(3000)}`, '/traces'],
])('after signing in, next %j leads to %j', (next, path) => {
  expect(ownPath(next)).toBe(path)
})

test('a use is written down when it is the first of a token, and when it moves the end by a day', () => {
  expect(extended('token', 90 * day, null, 0)).toBe(90 * day)
  expect(extended('token', 90 * day, 1, day - 1)).toBeNull()
  expect(extended('token', 90 * day, 1, day)).toBe(91 * day)
  expect(extended('session', 7 * day, null, day - 1)).toBeNull()
  expect(extended('session', 7 * day, null, day)).toBe(8 * day)
})

test.each([['a\u0000b\n c', 'a b c'], ['\u202Eevil', 'evil'], ['\u2028', 'unnamed machine'], ['Jane’s Mac', 'Jane’s Mac']])('the machine name %j is shown as %j', (sent, shown) => {
  expect(machineLabel(sent)).toBe(shown)
})
