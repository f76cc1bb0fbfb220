import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { toHex, uuidBytes, uuidText } from '../ids.ts'
import type { Random } from '../ports.ts'

const day = 24 * 60 * 60 * 1000
/** A secret of the store's own is replaced after this long; the one before stays good. */
export const secretLifetimeMs = 7 * day
/** Another host may have made a new secret: an unknown signature makes us look, at most this often. */
const lookAgainMs = 5000

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** The 22 characters of 16 bytes in base64url (RFC 4648). */
function encode(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const group = (bytes[at]! << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
    for (let shift = 18; shift >= 0; shift -= 6) text += letters[(group >> shift) & 63]
  }
  return text.slice(0, Math.ceil((bytes.length * 4) / 3))
}

/** The UUID of a code of 22 characters, or null. One id has one code: the four spare bits must be zero. */
export function decodeServeCode(code: string): string | null {
  if (!/^[\w-]{21}[AQgw]$/.test(code)) return null
  const bytes = new Uint8Array(16)
  let held = 0
  let bits = 0
  let at = 0
  for (const letter of code) {
    held = ((held << 6) | letters.indexOf(letter)) & 0xffff
    bits += 6
    if (bits < 8) continue
    bits -= 8
    if (at < 16) bytes[at++] = (held >> bits) & 0xff
  }
  return uuidText(bytes)
}

/** The short code of a serve: what stands in `/go/{code}`. */
export const encodeServeCode = (id: string): string => encode(uuidBytes(id))

export interface ServeSignatures {
  readonly nonce: string
  readonly token: string
}

/** Signs serves and knows its own signatures again. */
export interface Signer {
  /** The nonce of a serve's impression and the token of its vote. */
  sign(id: string, now: number): Promise<ServeSignatures>
  /** The serve that a nonce or token of ours names, or null. */
  verify(text: string, kind: keyof ServeSignatures, now: number): Promise<string | null>
}

export interface SignerOptions {
  /** The operator's, newest first: the first signs, all are accepted. Empty: the store keeps its own. */
  readonly configured: readonly string[]
  /** The store's: see `AdStore.secrets`. */
  readonly rotateSecrets: (fresh: string, now: number, since: number) => Promise<string[]>
  readonly random: Random
}

/**
 * HMAC-SHA-256 of the serve's id, one half for the nonce and one for the token: 128 bits each. The key is the secret's for a UTC
 * day, so it changes daily and those of the days about it are good: a token holds 24 hours, and clocks may differ.
 */
export function createSigner({ configured, rotateSecrets: stored, random }: SignerOptions): Signer {
  let secrets: readonly string[] = configured
  let loadedAt = Number.NEGATIVE_INFINITY
  let loading: Promise<void> | null = null
  const keys = new Map<string, Uint8Array>()

  async function load(now: number): Promise<void> {
    loading ??= stored(toHex(random(32)), now, now - secretLifetimeMs)
      .then((list) => void ([secrets, loadedAt] = [list, now]))
      .finally(() => (loading = null))
    return loading
  }

  function keyOf(secret: string, epoch: number): Uint8Array {
    const name = `${epoch} ${secret}`
    let key = keys.get(name)
    if (!key) {
      if (keys.size >= 16) keys.clear()
      keys.set(name, (key = hmac(sha256, utf8ToBytes(secret), utf8ToBytes(`tributary ads ${epoch}`))))
    }
    return key
  }

  function half(secret: string, epoch: number, id: string, kind: keyof ServeSignatures): string {
    const mac = hmac(sha256, keyOf(secret, epoch), uuidBytes(id))
    return encode(kind === 'nonce' ? mac.subarray(0, 16) : mac.subarray(16))
  }

  return {
    async sign(id, now) {
      if (configured.length === 0 && (secrets.length === 0 || Math.abs(now - loadedAt) > day)) await load(now)
      const epoch = Math.floor(now / day)
      const mac = hmac(sha256, keyOf(secrets[0]!, epoch), uuidBytes(id))
      const head = `${encodeServeCode(id)}.${epoch.toString(36)}.`
      return { nonce: head + encode(mac.subarray(0, 16)), token: head + encode(mac.subarray(16)) }
    },
    async verify(text, kind, now) {
      const [, code = '', sent = '', mac = ''] = /^([\w-]{22})\.([0-9a-z]{1,8})\.([\w-]{22})$/.exec(text) ?? []
      const id = decodeServeCode(code)
      const epoch = Number.parseInt(sent, 36)
      if (id === null || Math.abs(epoch - Math.floor(now / day)) > 2) return null
      const ours = (): boolean => secrets.some((secret) => same(half(secret, epoch, id, kind), mac))
      if (ours()) return id
      if (configured.length > 0 || Math.abs(now - loadedAt) < lookAgainMs) return null
      await load(now)
      return ours() ? id : null
    },
  }
}

/** Compares in a time that does not tell how much was right. */
function same(a: string, b: string): boolean {
  let difference = a.length ^ b.length
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i)
  return difference === 0
}
