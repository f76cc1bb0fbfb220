import { cookieName, readCookies, writeCookie, type PlainRequest } from '../http/message.ts'
import { codeLifeMs, normalizeAddress } from './rules.ts'

/**
 * A sign-in code that this browser requested. The code is kept in a cookie, so that the form for the code has its own
 * URL, which does not contain the e-mail address. The cookie is used only for display: a code is checked only against
 * its challenge.
 */
export interface SentCode {
  readonly email: string
  /** Milliseconds since the epoch. */
  readonly sentAt: number
  /** Whether this code replaced an earlier one for the same address. */
  readonly isNewCode: boolean
}

/** Returns the code that a browser requested, or null once it has expired. */
export function readSentCode(request: PlainRequest, now: number, secure: boolean): SentCode | null {
  const cookie = readCookies(request.headers['cookie'])[cookieName(secure, 'sent_code')] ?? ''
  const [, sentAt, isNewCode, email] = /^(\d{1,16})\.([01])\.([\w.!~*'()%-]{1,3000})$/.exec(cookie) ?? []
  if (email === undefined || now - Number(sentAt) >= codeLifeMs) return null
  try {
    return { email: decodeURIComponent(email), sentAt: Number(sentAt), isNewCode: isNewCode === '1' }
  } catch {
    return null
  }
}

/** Returns the `set-cookie` value that remembers a code that was just sent. */
export function formatSentCodeCookie(email: string, request: PlainRequest, now: number, secure: boolean): string {
  const earlier = readSentCode(request, now, secure)
  const isNewCode = earlier !== null && normalizeAddress(earlier.email) === normalizeAddress(email)
  const value = `${now}.${isNewCode ? 1 : 0}.${encodeURIComponent(email)}`
  return writeCookie(cookieName(secure, 'sent_code'), value, { maxAge: codeLifeMs / 1000, secure })
}

/** Returns the `set-cookie` value that forgets the code. */
export const removeSentCode = (secure: boolean): string =>
  writeCookie(cookieName(secure, 'sent_code'), '', { maxAge: 0, secure })
