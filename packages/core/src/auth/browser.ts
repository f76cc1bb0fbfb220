import { cookieName, readCookies, writeCookie, type PlainRequest } from '../http/message.ts'
import { toHex } from '../ids.ts'
import type { Digest, Random } from '../ports.ts'
import type { HmacCode } from './hmac.ts'
import { secret } from './rules.ts'

export interface KnownBrowserDeps {
  readonly keyed: HmacCode
  readonly random: Random
  readonly digest: Digest
  readonly secure: boolean
}

/** The longest that browsers keep a cookie (RFC 6265bis), in seconds. */
const maxAge = 400 * 24 * 60 * 60
/** Accounts that one browser remembers, the latest first. */
const mostAccounts = 5

interface Remembered {
  /** A random name of the browser. */
  readonly id: string
  /** One keyed hash for each account; the cookie does not tell which accounts they are. */
  readonly marks: readonly string[]
}

function read(request: PlainRequest, secure: boolean): Remembered | null {
  const value = readCookies(request.headers['cookie'])[cookieName(secure, 'browser')] ?? ''
  if (!/^[0-9A-Za-z]{43}(?:\.[0-9a-f]{32}){1,5}$/.test(value)) return null
  const [id = '', ...marks] = value.split('.')
  return { id, marks }
}

async function marksOf(id: string, address: string, keyed: HmacCode): Promise<string[]> {
  return (await keyed(`browser\n${id}\n${address}`)).map((hash) => hash.slice(0, 32))
}

/** Returns a hash that names the browser and the address if the browser signed in as it before, else null. */
export async function recognizeBrowser(
  request: PlainRequest,
  address: string,
  deps: KnownBrowserDeps,
): Promise<string | null> {
  const remembered = read(request, deps.secure)
  if (!remembered) return null
  const marks = await marksOf(remembered.id, address, deps.keyed)
  return marks.some((mark) => remembered.marks.includes(mark))
    ? toHex(deps.digest(`${remembered.id}\n${address}`))
    : null
}

/** Returns the `set-cookie` value by which the browser is recognized as one that signed in as the address. */
export async function rememberBrowser(request: PlainRequest, address: string, deps: KnownBrowserDeps): Promise<string> {
  const { id, marks } = read(request, deps.secure) ?? { id: secret(deps.random), marks: [] }
  const own = await marksOf(id, address, deps.keyed)
  const kept = [own[0], ...marks.filter((mark) => !own.includes(mark))].slice(0, mostAccounts)
  return writeCookie(cookieName(deps.secure, 'browser'), [id, ...kept].join('.'), { maxAge, secure: deps.secure })
}
