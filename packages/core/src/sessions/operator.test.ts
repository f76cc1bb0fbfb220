import { expect, test } from 'vitest'
import { asked } from '../http/fixture.ts'
import { operatorSession } from './operator.ts'

const token = 'an-obviously-fake-admin-token'
const hours12 = 12 * 60 * 60 * 1000
const now = 1_700_000_000_000
const withCookie = (line: string) => asked('GET', '/admin', { headers: { cookie: line.split(';', 1)[0]! } })

test('the bearer must be the admin token to the character', () => {
  const operator = operatorSession(token, false)
  expect([token, `${token}x`, token.slice(1), '', null].map(operator.check)).toEqual(['yes', 'no', 'no', 'no', 'no'])
})

test('the cookie holds for twelve hours less a millisecond, and only as it was signed', () => {
  const operator = operatorSession(token, true)
  const line = operator.start(now)
  expect(line).toMatch(/^__Host-tributary_operator=1700043200000\.[0-9a-f]{64}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure$/)
  const held = (cookie: string, at = now) => operator.signedIn(withCookie(cookie), at)
  expect([held(line), held(line, now + hours12 - 1), held(line, now + hours12)]).toEqual(['yes', 'yes', 'no'])
  expect(held(line.replace('=17000432', '=17000433'))).toBe('no')
  expect(held(line.replace(/[0-9a-f];/, (end) => (end === '0;' ? '1;' : '0;')))).toBe('no')
  expect(held('__Host-tributary_operator=')).toBe('no')
  expect(held(operatorSession(`${token}2`, true).start(now))).toBe('no')
  expect(operatorSession(token, false).signedIn(withCookie(line), now)).toBe('no')
})

test('without an admin token there is no operator', () => {
  const operator = operatorSession(null, true)
  expect([operator.check(token), operator.check(null), operator.signedIn(withCookie('a=b'), now)]).toEqual(['off', 'off', 'off'])
})
