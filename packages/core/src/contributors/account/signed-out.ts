import { cookieName, readCookies, writeCookie, type PlainRequest } from '../../http/message.ts'

/**
 * Returns the `set-cookie` value that hands the name of a device or browser that was just signed out to the next page.
 * In the URL anybody could put a text of their own on the page.
 */
export const writeSignedOutName = (name: string, secure: boolean): string =>
  writeCookie(cookieName(secure, 'signed_out'), encodeURIComponent(name), { maxAge: 60, secure })

/** Returns the name of the device or browser that was just signed out, or null. */
export function readSignedOutName({ headers }: PlainRequest, secure: boolean): string | null {
  try {
    return decodeURIComponent(readCookies(headers['cookie'])[cookieName(secure, 'signed_out')] ?? '') || null
  } catch {
    return null
  }
}
