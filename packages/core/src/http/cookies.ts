/** The cookies of a request by name; of one sent twice the first counts (RFC 6265 gives no order to trust). */
export function readCookies(header: string | undefined): Record<string, string> {
  const cookies: Record<string, string> = Object.create(null)
  for (const part of (header ?? '').split(';')) {
    const at = part.indexOf('=')
    if (at < 1) continue
    const name = part.slice(0, at).trim()
    if (!(name in cookies)) cookies[name] = part.slice(at + 1).trim()
  }
  return cookies
}

export interface CookieOptions {
  /** Seconds; 0 removes the cookie. */
  readonly maxAge: number
  readonly secure: boolean
  readonly sameSite?: 'Lax' | 'Strict'
}

/** A `set-cookie` value for the whole site that no script can read. */
export function writeCookie(name: string, value: string, options: CookieOptions): string {
  const { maxAge, secure, sameSite = 'Lax' } = options
  return `${name}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=${sameSite}${secure ? '; Secure' : ''}`
}
