import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { lazy } from '../lazy.ts'
import type { Secrets } from '../auth/hmac.ts'
import type { Blobs, Logger, Random } from '../ports.ts'

/**
 * An encrypted upload consists of the mark, the nonce, the upload's own key wrapped by the secret's key, and frames of
 * AES-256-GCM. A frame holds `frameBytes` of the upload, and the last frame holds the rest. The nonce of a frame
 * consists of the frame's number and a flag for the last frame, so that decryption detects a missing, moved or cut
 * frame. The wrapped key is bound to the blob's key, so that one upload cannot replace another.
 */
const mark = Uint8Array.of(0x89, 0x54, 0x52, 0x42, 0x55, 0x50, 0x00, 0x01)
const nonceBytes = 12
const keyBytes = 32
const tagBytes = 16
const headBytes = mark.length + nonceBytes + keyBytes + tagBytes
const frameBytes = 1024 * 1024
// No test can notice a change of `4`: the number only decides how many frames are in memory at a time.
const parallelFrames = 4

/** Uploads are encrypted under the first secret. The other secrets and the stored secret decrypt older uploads. */
export interface EncryptionDeps extends Secrets {
  readonly blobs: Blobs
  readonly random: Random
  readonly logger: Logger
}

/** Thrown for an encrypted upload that no known secret decrypts, or that is damaged. */
export class UploadUnreadable extends Error {
  override readonly name = 'UploadUnreadable'
  /** True if the content is damaged. False if it may only be encrypted under a secret that is not configured. */
  readonly isDamaged: boolean

  constructor(message: string, { isDamaged = false, cause }: { isDamaged?: boolean; cause?: unknown } = {}) {
    super(message, { cause })
    this.isDamaged = isDamaged
  }
}

/**
 * Encrypts bytes with AES-256-GCM. Web Crypto works outside the event loop. Accepts any kind of byte array, and returns
 * a new array.
 */
async function seal(
  key: CryptoKey,
  nonce: Uint8Array,
  bytes: Uint8Array,
  bound = new Uint8Array(0),
): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.encrypt(createParameters(nonce, bound), key, bytes as BufferSource))
}

async function open(
  key: CryptoKey,
  nonce: Uint8Array,
  bytes: Uint8Array,
  bound = new Uint8Array(0),
): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.decrypt(createParameters(nonce, bound), key, bytes as BufferSource))
}

const createParameters = (nonce: Uint8Array, bound: Uint8Array): AesGcmParams => ({
  name: 'AES-GCM',
  iv: nonce as BufferSource,
  additionalData: bound as BufferSource,
  tagLength: 8 * tagBytes,
})

const importKey = (bytes: Uint8Array): Promise<CryptoKey> =>
  // No test can notice a change of `false`: no key leaves this file.
  crypto.subtle.importKey('raw', bytes as BufferSource, 'AES-GCM', false, ['encrypt', 'decrypt'])

const importSecret = (secret: string): Promise<CryptoKey> =>
  importKey(hmac(sha256, utf8ToBytes(secret), utf8ToBytes('tributary upload encryption')))

/** Returns the nonce of a frame. A key encrypts only one upload, so frame numbers are enough. */
function makeNonce(frame: number, isLast: boolean): Uint8Array {
  const nonce = new Uint8Array(nonceBytes)
  new DataView(nonce.buffer).setUint32(nonceBytes - 5, frame)
  nonce[nonceBytes - 1] = isLast ? 1 : 0
  return nonce
}

const isEncrypted = (bytes: Uint8Array): boolean =>
  bytes.length >= headBytes && mark.every((byte, at) => bytes[at] === byte)

/**
 * Returns the blobs with their content encrypted at rest. Unencrypted content, from an older version or from a client
 * that uploads directly to S3, is returned unchanged. `get` throws `UploadUnreadable`.
 */
export function encryptedBlobs({
  blobs,
  secrets,
  storedSecret,
  random,
  logger,
}: EncryptionDeps): Pick<Blobs, 'put' | 'get'> {
  if (secrets.length === 0)
    logger.warn(
      { fix: 'set `secret`; without it, a copy of the database is enough to decrypt waiting uploads' },
      'ingest.upload.secret_in_database',
    )
  const configured = secrets.map(importSecret)
  const stored = lazy(async () => importSecret(await storedSecret()))

  return {
    async put(key, bytes) {
      const [own, nonce] = [random(keyBytes), random(nonceBytes)]
      const wrapped = await seal(await (configured[0] ?? stored()), nonce, own, utf8ToBytes(key))
      const frames = Math.max(1, Math.ceil(bytes.length / frameBytes))
      const whole = new Uint8Array(headBytes + bytes.length + frames * tagBytes)
      whole.set(mark)
      whole.set(nonce, mark.length)
      whole.set(wrapped, mark.length + nonceBytes)
      const ownKey = await importKey(own)
      const sealFrame = async (frame: number): Promise<void> => {
        const clear = bytes.subarray(frame * frameBytes, (frame + 1) * frameBytes)
        const sealed = await seal(ownKey, makeNonce(frame, frame === frames - 1), clear)
        whole.set(sealed, headBytes + frame * (frameBytes + tagBytes))
      }
      // A few frames at a time are encrypted in the platform's threads, so that only these frames are in memory.
      // No test can notice a change of `<`: a group beyond the last frame is empty.
      for (let first = 0; first < frames; first += parallelFrames) {
        const count = Math.min(parallelFrames, frames - first)
        await Promise.all(Array.from({ length: count }, (_, index) => sealFrame(first + index)))
      }
      return blobs.put(key, whole)
    },

    async get(key) {
      const whole = await blobs.get(key)
      if (!whole || !isEncrypted(whole)) return whole
      const ownKey = await importKey(await unwrap(whole, key))
      const frames = Math.ceil((whole.length - headBytes) / (frameBytes + tagBytes))
      const clear = new Uint8Array(Math.max(0, whole.length - headBytes - frames * tagBytes))
      for (let frame = 0; frame < frames; frame++) {
        const start = headBytes + frame * (frameBytes + tagBytes)
        const sealed = whole.subarray(start, start + frameBytes + tagBytes)
        const opened = await open(ownKey, makeNonce(frame, frame === frames - 1), sealed).catch(throwUnreadable(key))
        clear.set(opened, frame * frameBytes)
      }
      if (frames === 0) throw new UploadUnreadable(`the encrypted upload ${key} is cut off`, { isDamaged: true })
      return clear
    },
  }

  /** Decrypts the upload's own key with the secret that wrapped it. */
  async function unwrap(whole: Uint8Array, key: string): Promise<Uint8Array> {
    const nonce = whole.subarray(mark.length, mark.length + nonceBytes)
    const wrapped = whole.subarray(mark.length + nonceBytes, headBytes)
    for (const secret of [...configured.map((one) => () => one), stored]) {
      const own = await open(await secret(), nonce, wrapped, utf8ToBytes(key)).catch(() => null)
      if (own) return own
    }
    throw new UploadUnreadable(
      `no configured secret decrypts the blob ${key}: every server, worker and command needs the same \`secret\` (--secret), ` +
        'and after a change also the older secret, as NEW,OLD',
    )
  }
}

function throwUnreadable(key: string): (error: unknown) => never {
  return (error) => {
    throw new UploadUnreadable(`the encrypted upload ${key} is damaged`, { isDamaged: true, cause: error })
  }
}
