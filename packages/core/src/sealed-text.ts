import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import type { Random } from './ports.ts'
import type { Secrets } from './auth/hmac.ts'

const nonceBytes = 12

export const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))
export const fromBase64 = (text: string): Uint8Array => Uint8Array.from(atob(text), (char) => char.charCodeAt(0))

/** The purpose of a sealed text, such as `webhook secret`, and the id of the record that contains it. */
interface Place {
  readonly purpose: string
  readonly id: string
}

const importKey = (secret: string, { purpose }: Place): Promise<CryptoKey> =>
  crypto.subtle.importKey(
    'raw',
    hmac(sha256, utf8ToBytes(secret), utf8ToBytes(`tributary ${purpose}`)) as BufferSource,
    'AES-GCM',
    false,
    ['encrypt', 'decrypt'],
  )
// The text is bound to its record, so that another record cannot use it.
const createParameters = (nonce: Uint8Array, { id }: Place): AesGcmParams => ({
  name: 'AES-GCM',
  iv: nonce as BufferSource,
  additionalData: utf8ToBytes(id) as BufferSource,
})

/** Encrypts a text under the newest secret of the service, so that a copy of the database does not reveal it. */
export async function sealText(
  { secrets, storedSecret, random }: Secrets & { readonly random: Random },
  place: Place,
  text: string,
): Promise<string> {
  const nonce = random(nonceBytes)
  const key = await importKey(secrets[0] ?? (await storedSecret()), place)
  const sealed = await crypto.subtle.encrypt(createParameters(nonce, place), key, utf8ToBytes(text) as BufferSource)
  return `${toBase64(nonce)}.${toBase64(new Uint8Array(sealed))}`
}

/** Decrypts a text with the secret of the service that encrypted it. Returns null if no current secret encrypted it. */
export async function openText(
  { secrets, storedSecret }: Secrets,
  place: Place,
  sealed: string,
): Promise<string | null> {
  const [nonce = '', text = ''] = sealed.split('.')
  for (const candidate of [...secrets, await storedSecret()]) {
    try {
      const key = await importKey(candidate, place)
      const opened = await crypto.subtle.decrypt(
        createParameters(fromBase64(nonce), place),
        key,
        fromBase64(text) as BufferSource,
      )
      return new TextDecoder().decode(opened)
    } catch {
      // Another secret may decrypt the text.
    }
  }
  return null
}
