import { crc32 } from 'node:zlib'
import { seededRandom } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import {
  classifyBearer,
  browserLabel,
  checksum,
  codeGuesses,
  codeLifeMs,
  guessesBeforeLongCodes,
  deviceLifeMs,
  lifetimes,
  pollInterval,
  renewedExpiry,
  machineLabel,
  generateMailCode,
  generateToken,
  localPath,
  randomString,
  mailCodePattern,
  toMailbox,
  normalizeMailCode,
  parseUserCode,
  generateSecret,
  generateUserCode,
} from './rules.ts'

const day = 24 * 60 * 60 * 1000

test('tokens, sessions and codes have the documented lifetimes and numbers of guesses', () => {
  expect({ ...lifetimes, codeLifeMs, codeGuesses, guessesBeforeLongCodes, deviceLifeMs, pollInterval }).toEqual({
    token: 7_776_000_000,
    session: 2_592_000_000,
    sessionMax: 7_776_000_000,
    codeLifeMs: 600_000,
    codeGuesses: 5,
    guessesBeforeLongCodes: 20,
    deviceLifeMs: 900_000,
    pollInterval: 5,
  })
})

test('generateToken ends a token with the CRC-32 of its random part, as zlib computes it', () => {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  const random = seededRandom(7)
  for (let i = 0; i < 200; i++) {
    const token = generateToken(random)
    expect(token).toMatch(/^trb_[0-9A-Za-z]{36}$/)
    const value = Array.from(token.slice(-6)).reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0)
    expect(value).toBe(crc32(token.slice(4, 34)))
    expect(classifyBearer(token)).toBe('token')
    expect(classifyBearer(token.slice(0, -1) + (token.endsWith('0') ? '1' : '0'))).toBe('malformed')
  }
  expect(checksum('')).toBe('000000')
  expect(['trb_', 'trb', 'TRB_x', 'eyJ', ''].map(classifyBearer)).toEqual([
    'malformed',
    'foreign',
    'foreign',
    'foreign',
    'foreign',
  ])
})

test('randomString returns each character of an alphabet equally often', () => {
  for (const size of [10, 20, 62]) {
    const alphabet = Array.from({ length: size }, (_, i) => String.fromCharCode(0x100 + i)).join('')
    let next = 0
    const drawn = randomString(alphabet, (256 - (256 % size)) * 4, (length) =>
      Uint8Array.from({ length }, () => next++ & 0xff),
    )
    const counts = new Map<string, number>()
    for (const character of drawn) counts.set(character, (counts.get(character) ?? 0) + 1)
    expect(counts.size).toBe(size)
    expect(new Set(counts.values()).size).toBe(1)
  }
})

test('generateSecret returns at least 256 bits', () => {
  const random = seededRandom(3)
  expect(30 * Math.log2(62)).toBeGreaterThanOrEqual(160)
  expect(generateSecret(random).length * Math.log2(62)).toBeGreaterThanOrEqual(256)
  for (const wrongGuesses of [0, 19]) expect(generateMailCode(random, wrongGuesses)).toMatch(/^\d{6}$/)
  expect(generateMailCode(random, 20)).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{10}$/)
  expect(10 * Math.log2(20)).toBeGreaterThan(43)
  expect(generateUserCode(random)).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
})

test.each([
  ['BCDF-GHJK', 'BCDF-GHJK'],
  ['bcdfghjk', 'BCDF-GHJK'],
  [' b c d f—g.h_j/k! ', 'BCDF-GHJK'],
  ['BCDF-GHJ', null],
  ['BCDF-GHJKL', null],
  ['ABCD-EFGH', null],
  ['BCDF-GHJ0', null],
  ['BCDFÉGHJK', null],
  ['', null],
  [`${'-'.repeat(56)}BCDFGHJK`, 'BCDF-GHJK'],
  [`${'-'.repeat(57)}BCDFGHJK`, null],
])('parseUserCode converts %j to the code %j', (typed, read) => {
  expect(parseUserCode(typed)).toBe(read)
})

test.each([
  ['/traces', '/traces'],
  ['/device?code=BCDF-GHJK', '/device?code=BCDF-GHJK'],
  ['/', '/'],
  ['//evil.example', '/traces'],
  ['/\\evil.example', '/traces'],
  ['\\\\evil.example', '/traces'],
  ['https://evil.example', '/traces'],
  ['javascript:alert(1)', '/traces'],
  ['/\t/evil.example', '/traces'],
  ['/\n/evil.example', '/traces'],
  [' /traces', '/traces'],
  ['evil', '/traces'],
  ['', '/traces'],
  [undefined, '/traces'],
  ['/a\\b', '/traces'],
  ['/..//evil.example', '/traces'],
  ['/.//evil.example', '/traces'],
  ['/a/../../b', '/traces'],
  ['/%2e%2e/b', '/traces'],
  ['/a%2fb?c=%2e%2e#d', '/a%2fb?c=%2e%2e#d'],
  ['/x\r\nset-cookie: a=b', '/traces'],
  [`/${'a'.repeat(2047)}`, `/${'a'.repeat(2047)}`],
  [`/${'a'.repeat(2048)}`, '/traces'],
])('localPath converts %j to the path %j', (next, path) => {
  expect(localPath(next)).toBe(path)
})

describe('renewedExpiry', () => {
  const token = { kind: 'token', createdAt: 0, expiresAt: 90 * day, usedAt: null } as const
  const session = { kind: 'session', createdAt: 0, expiresAt: 30 * day, usedAt: 0 } as const

  test('stores the first use of a token, and then one use an hour', () => {
    expect(renewedExpiry(token, 0)).toBe(90 * day)
    expect(renewedExpiry({ ...token, usedAt: 1 }, day / 24)).toBeNull()
    expect(renewedExpiry({ ...token, usedAt: 1 }, day / 24 + 1)).toBe(90 * day)
  })

  test('changes the expiry of a token once a day', () => {
    expect(renewedExpiry({ ...token, usedAt: 1 }, day - 1)).toBe(90 * day)
    expect(renewedExpiry({ ...token, usedAt: 1 }, day)).toBe(91 * day)
    expect(renewedExpiry({ ...token, usedAt: 300 * day, expiresAt: 390 * day }, 380 * day)).toBe(470 * day)
  })

  test('keeps a session for 30 days after its last use, and for 90 days after its sign-in', () => {
    expect(renewedExpiry(session, day / 24 - 1)).toBeNull()
    expect(renewedExpiry(session, day - 1)).toBe(30 * day)
    expect(renewedExpiry({ ...session, usedAt: day - 1 }, day)).toBe(31 * day)
    expect(renewedExpiry({ ...session, usedAt: 50 * day, expiresAt: 80 * day }, 70 * day)).toBe(90 * day)
    expect(renewedExpiry({ ...session, usedAt: 70 * day, expiresAt: 90 * day }, 89 * day)).toBe(90 * day)
  })
})

test('browserLabel names browser and system without a version', () => {
  const mozilla = 'Mozilla/5.0'
  const like = 'AppleWebKit/537.36 (KHTML, like Gecko)'
  const labels = [
    `${mozilla} (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0`,
    `${mozilla} (Windows NT 10.0; Win64; x64) ${like} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`,
    `${mozilla} (Macintosh; Intel Mac OS X 10_15_7) ${like} Chrome/140.0.0.0 Safari/537.36`,
    `${mozilla} (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) ` +
      'Version/18.5 Mobile/15E148 Safari/604.1',
    `${mozilla} (Linux; Android 10; K) ${like} Chrome/140.0.0.0 Mobile Safari/537.36`,
    `${mozilla} (Linux; Android 10; K) ${like} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
    '<b>Firefox/1\u202E</b> (X11; Linux',
    'curl/8.5.0',
    '',
    undefined,
  ].map(browserLabel)
  expect(labels).toEqual([
    'Firefox on Linux',
    'Edge on Windows',
    'Chrome on macOS',
    'Safari on iPhone',
    'Chrome on Android',
    'Samsung Internet on Android',
    'Firefox on Linux',
    'Browser',
    'Browser',
    'Browser',
  ])
})

test.each([
  ['a\u0000b\n c', 'a b c'],
  ['\u202Eevil', 'evil'],
  ['\u2028', 'unnamed machine'],
  ['Jane’s Mac', 'Jane’s Mac'],
])('machineLabel converts %j to the label %j', (sent, shown) => {
  expect(machineLabel(sent)).toBe(shown)
})

test.each([
  ['jane@example.com', 'jane@example.com'],
  ['jane+a@example.com', 'jane@example.com'],
  ['jane+a+b@example.com', 'jane@example.com'],
  ['jane+@example.com', 'jane@example.com'],
  ['+jane@example.com', '+jane@example.com'],
  ['jane@ex+ample.com', 'jane@ex+ample.com'],
])('mailboxOf(%j) returns %j', (address, mailbox) => {
  expect(toMailbox(address)).toBe(mailbox)
})

test.each([
  ['123456', '123456'],
  [' 123-456 ', '123456'],
  ['bcdf-ghjk ln', 'BCDF GHJK LN'.replaceAll(' ', '')],
  ['BCDF GHJK-zz', 'BCDF GHJK ZZ'.replaceAll(' ', '')],
])('mailCodePattern accepts %j, and normalizeMailCode returns %j', (entered, code) => {
  expect(entered).toMatch(mailCodePattern)
  expect(normalizeMailCode(entered)).toBe(code)
})

test.each(['', '12345', '1234567', 'BCDF-GHJK-L', 'BCDF-GHJK-LNN', 'ABCD-BCDF-KL', 'BCDF-GHJK-12', '12345B'])(
  'mailCodePattern refuses %j',
  (entered) => {
    expect(entered).not.toMatch(mailCodePattern)
  },
)
