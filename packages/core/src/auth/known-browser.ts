import { cookieName, readCookies, writeCookie, type PlainRequest } from '../http/message.ts'
import { toHex } from '../ids.ts'
import type { Digest, Random } from '../ports.ts'
import type { HmacCode } from './hmac.ts'
import { generateSecret } from './rules.ts'

export interface KnownBrowserDeps {
  readonly hmacCode: HmacCode
  readonly random: Random
  readonly digest: Digest
  readonly secure: boolean
}

/** The longest lifetime that browsers accept for a cookie (RFC 6265bis), in seconds. */
const maxAge = 400 * 24 * 60 * 60
/** The maximum number of accounts that the cookie of a browser contains. */
const maxAccounts = 5

interface BrowserCookie {
  /** A random id that identifies the browser. */
  readonly id: string
  /** One keyed hash for each account, newest first; the cookie does not reveal the addresses. */
  readonly accountHashes: readonly string[]
}

function readBrowserCookie(request: PlainRequest, secure: boolean): BrowserCookie | null {
  const value = readCookies(request.headers['cookie'])[cookieName(secure, 'browser')] ?? ''
  if (!/^[0-9A-Za-z]{43}(?:\.[0-9a-f]{32}){1,5}$/.test(value)) return null
  const [id = '', ...accountHashes] = value.split('.')
  return { id, accountHashes }
}

async function hashAccount(id: string, address: string, hmacCode: HmacCode): Promise<string[]> {
  return (await hmacCode(`browser\n${id}\n${address}`)).map((hash) => hash.slice(0, 32))
}

/**
 * Returns a hash of the browser and the e-mail address if the browser signed in with this address before, or null
 * otherwise.
 */
export async function recognizeBrowser(
  request: PlainRequest,
  address: string,
  deps: KnownBrowserDeps,
): Promise<string | null> {
  const cookie = readBrowserCookie(request, deps.secure)
  if (!cookie) return null
  const hashes = await hashAccount(cookie.id, address, deps.hmacCode)
  return hashes.some((hash) => cookie.accountHashes.includes(hash))
    ? toHex(deps.digest(`${cookie.id}\n${address}`))
    : null
}

/** Returns the `set-cookie` value by which the service later knows that the browser signed in with this address. */
export async function rememberBrowser(request: PlainRequest, address: string, deps: KnownBrowserDeps): Promise<string> {
  const { id, accountHashes } = readBrowserCookie(request, deps.secure) ?? {
    id: generateSecret(deps.random),
    accountHashes: [],
  }
  const hashes = await hashAccount(id, address, deps.hmacCode)
  const kept = [hashes[0], ...accountHashes.filter((hash) => !hashes.includes(hash))].slice(0, maxAccounts)
  return writeCookie(cookieName(deps.secure, 'browser'), [id, ...kept].join('.'), { maxAge, secure: deps.secure })
}
