import { plainLine } from '../http/text.ts'
import type { Credential } from './store.ts'

const day = 24 * 60 * 60 * 1000

/**
 * How long a token and a session live after their last use, which is stored at most once a day, and a session at the most
 * after its sign-in (decisions sections 3 and 13).
 */
export const lifetimes = { token: 90 * day, session: 30 * day, sessionInAll: 90 * day } as const

/** Decisions sections 3 and 4. */
export const codeLifeMs = 10 * 60 * 1000
/** Wrong guesses that end a code, and wrong guesses at all codes of an account within a day (decisions section 13). */
export const codeGuesses = 5
export const dailyGuesses = 20
export const deviceLifeMs = 15 * 60 * 1000
/** Seconds between two polls of a device login that nobody polled too fast. */
export const pollInterval = 5

/**
 * Returns until when a credential is valid if it is used now, or null when that need not be stored: less than a day has
 * passed since its use was stored last.
 */
export function extended({ kind, createdAt, expiresAt, usedAt }: Omit<Credential, 'user'>, now: number): number | null {
  const isFirstUse = kind === 'token' && usedAt === null
  if (!isFirstUse && now - (usedAt ?? createdAt) < day) return null
  const end =
    kind === 'token' ? now + lifetimes.token : Math.min(now + lifetimes.session, createdAt + lifetimes.sessionInAll)
  return Math.max(end, expiresAt)
}

// The first that is found counts: each browser names those that it is compatible with, too.
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
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['CriOS/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const

/** Returns what a browser is called in the list of sessions, `Firefox on Linux`, from its `user-agent`. No version is kept. */
export function browserLabel(userAgent: string | undefined): string {
  const find = (names: readonly (readonly [string, string])[]) => names.find(([part]) => userAgent?.includes(part))?.[1]
  const [browser = 'Browser', system] = [find(browsers), find(systems)]
  return system ? `${browser} on ${system}` : browser
}

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const userCodeLetters = 'BCDFGHJKLMNPQRSTVWXZ'
type Random = (length: number) => Uint8Array

/** `length` characters of `alphabet`, each equally likely: bytes past the last whole multiple of its size are thrown away. */
export function draw(alphabet: string, length: number, random: Random): string {
  const fair = 256 - (256 % alphabet.length)
  let text = ''
  while (text.length < length) {
    for (const byte of random(length - text.length)) if (byte < fair) text += alphabet[byte % alphabet.length]
  }
  return text
}

/** A secret of 256 random bits: what a session cookie holds, and a device code. 43 characters of base62. */
export const secret = (random: Random): string => draw(digits, 43, random)
export const isSecret = (text: string): boolean => /^[0-9A-Za-z]{43}$/.test(text)

/** Six digits, each equally likely. */
export const mailCode = (random: Random): string => draw('0123456789', 6, random)

/** A code for people to read out: `XXXX-XXXX`, without vowels, so that it spells nothing. */
export function userCode(random: Random): string {
  const letters = draw(userCodeLetters, 8, random)
  return `${letters.slice(0, 4)}-${letters.slice(4)}`
}

/** A user code as somebody typed it, in the one form that is hashed; null when it cannot be one. Case and punctuation do not count. */
export function readUserCode(typed: string): string | null {
  const letters = typed
    .slice(0, 64)
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
  return /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/.test(letters) ? `${letters.slice(0, 4)}-${letters.slice(4)}` : null
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

/** The last six characters of a token: CRC-32 (as in zip) of the thirty before them, in base62, so that a scanner can tell a real one. */
export function checksum(text: string): string {
  let crc = 0xffffffff
  for (let i = 0; i < text.length; i++) crc = crcTable[(crc ^ text.charCodeAt(i)) & 0xff]! ^ (crc >>> 8)
  let value = (crc ^ 0xffffffff) >>> 0
  let out = ''
  for (let i = 0; i < 6; i++) {
    out = digits[value % 62]! + out
    value = Math.floor(value / 62)
  }
  return out
}

/** A new bearer token: `trb_`, thirty base62 characters (178 random bits), their checksum. 40 characters. */
export function mintToken(random: Random): string {
  const body = draw(digits, 30, random)
  return `trb_${body}${checksum(body)}`
}

/** What a bearer is by its looks alone: one of ours, a broken one of ours, or something of somebody else's. */
export function bearerKind(bearer: string): 'token' | 'broken' | 'foreign' {
  if (!bearer.startsWith('trb_')) return 'foreign'
  const found = /^trb_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/.exec(bearer)
  return found && checksum(found[1]!) === found[2] ? 'token' : 'broken'
}

/** An e-mail address as it is kept and compared: lower case, since no mail server in use tells capitals apart. */
export const mailAddress = (typed: string): string => typed.trim().toLowerCase()

/**
 * Where to go after signing in: a path of ours, or else the fallback. Two slashes or a backslash at the start would be another host,
 * and browsers drop tabs and line breaks before they look.
 */
export function ownPath(next: string | undefined, fallback = '/traces'): string {
  if (next === undefined || next.length > 2048 || !/^\/(?!\/)[\x21-\x5b\x5d-\x7e]*$/.test(next)) return fallback
  // As a browser reads it: `/..//host` has no dots left, and must not leave the mount either.
  const { pathname, search, hash } = new URL(next, 'http://own')
  return pathname + search + hash === next ? next : fallback
}

/** A machine's name as it is shown beside a code that people compare: one line, nothing that hides or turns text round. */
export function machineLabel(sent: string): string {
  const label = plainLine(sent)
  return label === '' ? 'unnamed machine' : label
}
