import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { readCookies, writeCookie } from '../http/cookies.ts'
import type { PlainRequest } from '../http/message.ts'
import type { Who } from '../http/who.ts'
import { toHex } from '../ids.ts'

/** The operator, by bearer for programs and by cookie for the page `/admin` (routes with auth `admin-page`). */
export interface OperatorSession {
  /** Whether a bearer is the admin token; `off` when none is configured. */
  check: Who['operator']
  /** Whether this browser signed in as the operator within the last 12 hours; `off` when there is no admin token. */
  signedIn(request: PlainRequest, now: number): 'yes' | 'no' | 'off'
  /** A `set-cookie` value that signs this browser in. */
  start(now: number): string
  /** A `set-cookie` value that signs it out. */
  end(): string
}

const hours12 = 12 * 60 * 60

/**
 * Makes the operator's check. The cookie is `<expiry in ms>.<hmac>`, keyed by the admin token, so nothing is stored and a
 * new token ends every session. It is `SameSite=Strict`: no other site can make the operator's browser do anything.
 */
export function operatorSession(adminToken: string | null, secure: boolean): OperatorSession {
  const name = secure ? '__Host-tributary_operator' : 'tributary_operator'
  const key = adminToken === null ? null : sha256(utf8ToBytes(`tributary operator session\n${adminToken}`))
  const expected = adminToken === null ? null : sha256(utf8ToBytes(adminToken))
  const sign = (expiry: string): string => toHex(hmac(sha256, key!, utf8ToBytes(expiry)))
  return {
    check(bearer) {
      if (!expected) return 'off'
      return bearer !== null && same(sha256(utf8ToBytes(bearer)), expected) ? 'yes' : 'no'
    },
    signedIn(request, now) {
      if (!key) return 'off'
      const [, expiry, mac] = /^(\d{1,15})\.([0-9a-f]{64})$/.exec(readCookies(request.headers['cookie'])[name] ?? '') ?? []
      if (!expiry || !mac || !same(utf8ToBytes(mac), utf8ToBytes(sign(expiry)))) return 'no'
      return now < Number(expiry) ? 'yes' : 'no'
    },
    start(now) {
      const expiry = String(now + hours12 * 1000)
      return writeCookie(name, `${expiry}.${sign(expiry)}`, { maxAge: hours12, secure, sameSite: 'Strict' })
    },
    end: () => writeCookie(name, '', { maxAge: 0, secure, sameSite: 'Strict' }),
  }
}

/** Compares in a time that does not tell how much was right. */
function same(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length
  for (let i = 0; i < a.length; i++) difference |= a[i]! ^ (b[i] ?? 0)
  return difference === 0
}
