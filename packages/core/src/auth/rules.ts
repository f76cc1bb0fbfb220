import { plainLine } from '../http/text.ts'
import type { Credential } from './store.ts'

const hour = 60 * 60 * 1000
const day = 24 * hour

/**
 * The time for which tokens and sessions are valid after their last use (accurate to a day), and the maximum time for
 * which a session is valid after its sign-in, in milliseconds.
 */
export const lifetimes = { token: 90 * day, session: 30 * day, sessionMax: 90 * day } as const

/** The time for which a sign-in code is valid, in milliseconds. */
export const codeLifeMs = 10 * 60 * 1000
/** The number of wrong guesses after which a code is refused. */
export const codeGuesses = 5
/**
 * The number of wrong guesses within a day after which an account gets long codes. Therefore other people's guesses do
 * not lock the account, and a long code cannot be guessed.
 */
export const guessesBeforeLongCodes = 20
/** The time for which a device authorization is valid, in milliseconds. */
export const deviceLifeMs = 15 * 60 * 1000
/** The minimum number of seconds between two polls of a device authorization (RFC 8628 `interval`). */
export const pollInterval = 5

/**
 * Returns the expiry to store with a use of a credential, or null if the use does not need to be stored. A use is
 * stored once an hour, and the expiry changes once a day, so that the cookie of a session is not sent again each hour.
 */
export function renewedExpiry(
  { kind, createdAt, expiresAt, usedAt }: Omit<Credential, 'user'>,
  now: number,
): number | null {
  const end =
    kind === 'token' ? now + lifetimes.token : Math.min(now + lifetimes.session, createdAt + lifetimes.sessionMax)
  if (end - expiresAt >= day) return end
  return usedAt === null || now - usedAt >= hour ? expiresAt : null
}

// The first match counts, because the `user-agent` of a browser also contains the names of compatible browsers.
const systems = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['CrOS', 'ChromeOS'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const
const browsers = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['CriOS/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const

/**
 * Returns the name of a browser without its version for the list of sessions, such as `Firefox on Linux`, from its
 * `user-agent`.
 */
export function browserLabel(userAgent: string | undefined): string {
  const find = (names: readonly (readonly [string, string])[]) => names.find(([part]) => userAgent?.includes(part))?.[1]
  const [browser = 'Browser', system] = [find(browsers), find(systems)]
  return system ? `${browser} on ${system}` : browser
}

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const userCodeLetters = 'BCDFGHJKLMNPQRSTVWXZ'
type Random = (length: number) => Uint8Array

/**
 * Returns random characters of an alphabet, each equally likely: bytes beyond the last multiple of its size are
 * discarded.
 */
export function randomString(alphabet: string, length: number, random: Random): string {
  const limit = 256 - (256 % alphabet.length)
  let text = ''
  while (text.length < length) {
    for (const byte of random(length - text.length)) if (byte < limit) text += alphabet[byte % alphabet.length]
  }
  return text
}

/** Returns a secret of 256 random bits, 43 characters of base62: the value of a session cookie, or a device code. */
export const generateSecret = (random: Random): string => randomString(digits, 43, random)
export const isSecret = (text: string): boolean => /^[0-9A-Za-z]{43}$/.test(text)

/**
 * Returns a sign-in code: six digits, or ten letters (43 bits) if there were too many wrong guesses for the account.
 */
export const generateMailCode = (random: Random, wrongGuesses: number): string =>
  wrongGuesses < guessesBeforeLongCodes
    ? randomString('0123456789', 6, random)
    : randomString(userCodeLetters, 10, random)

/** Matches an entered sign-in code of either length, with single spaces or dashes between its characters. */
export const mailCodePattern = new RegExp(
  `^\\s*(?:\\d(?:[ -]?\\d){5}|[${userCodeLetters}](?:[ -]?[${userCodeLetters}]){9})\\s*$`,
  'i',
)
/** Returns an entered sign-in code in the form that is hashed. Ignores case, spaces and dashes. */
export const normalizeMailCode = (entered: string): string => entered.replace(/[\s-]/g, '').toUpperCase()

/** Returns a user code (RFC 8628), `XXXX-XXXX`, without vowels, so that the code does not spell a word. */
export function generateUserCode(random: Random): string {
  const letters = randomString(userCodeLetters, 8, random)
  return `${letters.slice(0, 4)}-${letters.slice(4)}`
}

/**
 * Returns an entered user code in the form that is hashed, or null when it is malformed. Ignores case and punctuation.
 */
export function parseUserCode(entered: string): string | null {
  const letters = entered
    .slice(0, 64)
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
  return /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/.test(letters) ? `${letters.slice(0, 4)}-${letters.slice(4)}` : null
}

// No test can notice a change of `256`: an index is a byte and never exceeds 255.
const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

/**
 * Returns the last six characters of a token: CRC-32 (as in zip) of the thirty characters before them, in base62.
 * Secret scanners verify this checksum.
 */
export function checksum(text: string): string {
  let crc = 0xffffffff
  for (let i = 0; i < text.length; i++) crc = (crcTable[(crc ^ text.charCodeAt(i)) & 0xff] ?? 0) ^ (crc >>> 8)
  let value = (crc ^ 0xffffffff) >>> 0
  let out = ''
  for (let i = 0; i < 6; i++) {
    out = digits.charAt(value % 62) + out
    value = Math.floor(value / 62)
  }
  return out
}

/** Returns a new bearer token: a prefix, thirty base62 characters (178 random bits), and a checksum. */
export function generateToken(random: Random, prefix: 'trb_' | 'trbb_' | 'trbs_' = 'trb_'): string {
  const body = randomString(digits, 30, random)
  return `${prefix}${body}${checksum(body)}`
}

/**
 * Returns `token` if a bearer has the form of a token of this service, `malformed` if it has this form with a wrong
 * checksum, and `foreign` if it has another form.
 */
export function classifyBearer(bearer: string): 'token' | 'malformed' | 'foreign' {
  if (!bearer.startsWith('trb_')) return 'foreign'
  return isTokenWith('trb_', bearer) ? 'token' : 'malformed'
}

/** Returns whether a text has the form of a token with this prefix, with a right checksum. */
function isTokenWith(prefix: 'trb_' | 'trbb_' | 'trbs_', text: string): boolean {
  const [, secret, sum] = /^([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/.exec(text.slice(prefix.length)) ?? []
  return text.startsWith(prefix) && secret !== undefined && checksum(secret) === sum
}

/** Returns whether a bearer has the form of a buyer's token, `trbb_…`, with a right checksum. */
export const isBuyerToken = (bearer: string): boolean => isTokenWith('trbb_', bearer)

/** Returns whether a text has the form of a sponsor's token, `trbs_…`, with a right checksum. */
export const isSponsorToken = (text: string): boolean => isTokenWith('trbs_', text)

/**
 * Converts an e-mail address to the form in which it is stored and compared: lower case, because mail servers in
 * practice ignore case.
 */
export const normalizeAddress = (entered: string): string => entered.trim().toLowerCase()

/** Returns the mailbox of a normalized address, without its `+tag`: mails to `jane+x@` arrive at `jane@`. */
export const toMailbox = (address: string): string => address.replace(/^([^+@]+)\+[^@]*/, '$1')

/**
 * Returns the path to redirect to after a sign-in, or the fallback if the path could lead to another host. Browsers
 * interpret two slashes or a backslash at the start as a host, and remove tabs and line breaks first.
 */
export function localPath(next: string | undefined, fallback = '/traces'): string {
  if (next === undefined || next.length > 2048 || !/^\/(?!\/)[\x21-\x5b\x5d-\x7e]*$/.test(next)) return fallback
  // Browsers normalize dots: `/..//host` would become `//host`. A path with `..` must not leave the mount path either.
  const { pathname, search, hash } = new URL(next, 'http://local')
  return pathname + search + hash === next ? next : fallback
}

/** Returns the path to redirect an operator to after a sign-in: a path below `/admin`, or `/admin` itself. */
export function operatorPath(next: string | undefined): string {
  const path = localPath(next, '/admin')
  return path.startsWith('/admin/') ? path : '/admin'
}

/**
 * Returns a machine's name to display next to a code that people compare: one line without hidden or bidirectional
 * characters.
 */
export function machineLabel(name: string): string {
  const label = plainLine(name)
  return label === '' ? 'unnamed machine' : label
}
