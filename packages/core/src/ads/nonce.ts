import { hmac } from '@noble/hashes/hmac.js'
import { firstOf } from '../lists.ts'
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { toHex, uuidBytes, uuidText } from '../ids.ts'
import type { Random } from '../ports.ts'
import { serveRetentionMs } from './rules.ts'
import type { AdStore } from './store.ts'

const day = 24 * 60 * 60 * 1000
/**
 * The time for which a secret of the store is used before it is replaced. The previous secret is still accepted, so a
 * signature is valid for at least as long as its serve is kept.
 */
export const secretLifetimeMs = serveRetentionMs
/**
 * The minimum time between two reloads of the secrets, in milliseconds. An unknown signature causes a reload, because
 * another host may have created a new secret.
 */
const reloadIntervalMs = 5000

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Encodes 16 bytes as the 22 characters of base64url (RFC 4648). */
function encode(bytes: Uint8Array): string {
  let text = ''
  // No test can notice a change of `<`: characters beyond the end are cut off.
  for (let index = 0; index < bytes.length; index += 3) {
    // No test can notice a change of `0`: the bits of missing bytes are cut off.
    const group = ((bytes[index] ?? 0) << 16) | ((bytes[index + 1] ?? 0) << 8) | (bytes[index + 2] ?? 0)
    for (let shift = 18; shift >= 0; shift -= 6) text += letters[(group >> shift) & 63]
  }
  return text.slice(0, Math.ceil((bytes.length * 4) / 3))
}

/** Returns the UUID of a code of 22 characters, or null. An id has one code: the four spare bits must be zero. */
export function decodeServeCode(code: string): string | null {
  if (!/^[\w-]{21}[AQgw]$/.test(code)) return null
  const bytes = new Uint8Array(16)
  // No test can notice a change of `0`: the first bits are shifted out.
  let buffer = 0
  let bits = 0
  let index = 0
  for (const letter of code) {
    buffer = ((buffer << 6) | letters.indexOf(letter)) & 0xffff
    bits += 6
    if (bits < 8) continue
    bits -= 8
    // No test can notice a change of `<` or `16`: an array of 16 bytes ignores writes beyond its end.
    if (index < 16) bytes[index++] = (buffer >> bits) & 0xff
  }
  return uuidText(bytes)
}

/** Returns the short code of a serve for `/go/{code}`. */
export const encodeServeCode = (id: string): string => encode(uuidBytes(id))

/** The nonce of a serve's impression and the token of its vote. */
export interface ServeSignatures {
  readonly nonce: string
  readonly token: string
}

/** Signs serves and verifies the signatures. */
export interface Signer {
  sign(id: string, now: number): Promise<ServeSignatures>
  /** Returns the id of the serve that a nonce or token was made for, or null when the nonce or token is not valid. */
  verify(signature: string, kind: keyof ServeSignatures, now: number): Promise<string | null>
}

export interface SignerOptions {
  /**
   * The operator's secrets, newest first: the first one signs, and all are accepted. If empty, the store creates
   * secrets.
   */
  readonly configured: readonly string[]
  readonly rotateSecrets: AdStore['rotateSecrets']
  readonly random: Random
}

/**
 * Creates a signer. The signer computes the HMAC-SHA-256 of the serve's id: one half is the nonce and the other half is
 * the token, 128 bits each. The key is derived from the secret and the UTC day. Keys of earlier days are accepted as
 * long as serves are kept, so that a late impression or vote is refused with the right reason. Keys of the next two
 * days are accepted because clocks may differ.
 */
export function createSigner({ configured, rotateSecrets, random }: SignerOptions): Signer {
  let secrets: readonly string[] = configured
  let loadedAt = Number.NEGATIVE_INFINITY
  let loading: Promise<void> | null = null
  const keys = new Map<string, Uint8Array>()

  async function loadSecrets(now: number): Promise<void> {
    loading ??= rotateSecrets({ fresh: toHex(random(32)), now, since: now - secretLifetimeMs })
      .then((list) => void ([secrets, loadedAt] = [list, now]))
      .finally(() => (loading = null))
    return loading
  }

  function deriveKey(secret: string, epoch: number): Uint8Array {
    const name = `${epoch} ${secret}`
    let key = keys.get(name)
    if (!key) {
      // No test can notice a change of `condition`, `>=` or `16`: they only determine how much is kept in memory.
      if (keys.size >= 16) keys.clear()
      keys.set(name, (key = hmac(sha256, utf8ToBytes(secret), utf8ToBytes(`tributary ads ${epoch}`))))
    }
    return key
  }

  /** Returns the two halves of a serve's HMAC as text. */
  function computeMacs(secret: string, epoch: number, id: string): ServeSignatures {
    const mac = hmac(sha256, deriveKey(secret, epoch), uuidBytes(id))
    return { nonce: encode(mac.subarray(0, 16)), token: encode(mac.subarray(16)) }
  }

  return {
    async sign(id, now) {
      const isOld = secrets.length === 0 || Math.abs(now - loadedAt) > day
      if (configured.length === 0 && isOld) await loadSecrets(now)
      const epoch = Math.floor(now / day)
      const { nonce, token } = computeMacs(firstOf(secrets), epoch, id)
      const head = `${encodeServeCode(id)}.${epoch.toString(36)}.`
      return { nonce: head + nonce, token: head + token }
    },
    async verify(signature, kind, now) {
      const [, code = '', encodedEpoch = '', mac = ''] =
        /^([\w-]{22})\.([0-9a-z]{1,8})\.([\w-]{22})$/.exec(signature) ?? []
      const id = decodeServeCode(code)
      const epoch = Number.parseInt(encodedEpoch, 36)
      const age = Math.floor(now / day) - epoch
      if (id === null || age < -2 || age > serveRetentionMs / day) return null
      const isValid = (): boolean =>
        secrets.some((secret) => equalsInConstantTime(computeMacs(secret, epoch, id)[kind], mac))
      if (isValid()) return id
      if (configured.length > 0 || Math.abs(now - loadedAt) < reloadIntervalMs) return null
      await loadSecrets(now)
      return isValid() ? id : null
    },
  }
}

/** Compares two texts in a time that depends on their lengths only. */
function equalsInConstantTime(a: string, b: string): boolean {
  let difference = a.length ^ b.length
  // No test can notice a change of `<`: after the end, `charCodeAt` returns `NaN`, and `NaN ^ NaN` is 0.
  for (let index = 0; index < a.length; index++) difference |= a.charCodeAt(index) ^ b.charCodeAt(index)
  return difference === 0
}
