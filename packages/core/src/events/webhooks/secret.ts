import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import type { Secrets } from '../../auth/hmac.ts'
import type { Random } from '../../ports.ts'

const prefix = 'whsec_'
const [secretBytes, nonceBytes] = [24, 12]

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))
const fromBase64 = (text: string): Uint8Array => Uint8Array.from(atob(text), (char) => char.charCodeAt(0))

/** Makes a secret of Standard Webhooks: `whsec_` and 24 random bytes in base64. */
export const makeSecret = (random: Random): string => prefix + toBase64(random(secretBytes))

/** A message to sign: the event's id, the time of the attempt in seconds since 1970 and the body. */
export interface SignedMessage {
  readonly id: string
  readonly timestamp: number
  readonly body: string
}

/** Returns the value of `webhook-signature`: one signature for each secret, divided by spaces. */
export function signMessage(secrets: readonly string[], { id, timestamp, body }: SignedMessage): string {
  const signed = utf8ToBytes(`${id}.${timestamp}.${body}`)
  return secrets
    .map((secret) => `v1,${toBase64(hmac(sha256, fromBase64(secret.slice(prefix.length)), signed))}`)
    .join(' ')
}

const importSecret = (secret: string): Promise<CryptoKey> =>
  crypto.subtle.importKey(
    'raw',
    hmac(sha256, utf8ToBytes(secret), utf8ToBytes('tributary webhook secret')) as BufferSource,
    'AES-GCM',
    false,
    ['encrypt', 'decrypt'],
  )
// Bound to its endpoint, so that no secret passes for that of another.
const parameters = (nonce: Uint8Array, webhookId: string): AesGcmParams => ({
  name: 'AES-GCM',
  iv: nonce as BufferSource,
  additionalData: utf8ToBytes(webhookId) as BufferSource,
})

/** Encrypts an endpoint's secret under the newest secret of the service. */
export async function sealSecret(
  { secrets, storedSecret, random }: Secrets & { readonly random: Random },
  webhookId: string,
  secret: string,
): Promise<string> {
  const nonce = random(nonceBytes)
  const key = await importSecret(secrets[0] ?? (await storedSecret()))
  const sealed = await crypto.subtle.encrypt(parameters(nonce, webhookId), key, utf8ToBytes(secret) as BufferSource)
  return `${toBase64(nonce)}.${toBase64(new Uint8Array(sealed))}`
}

/** Decrypts an endpoint's secret by whichever secret of the service encrypted it. Throws when none did. */
export async function openSecret(
  { secrets, storedSecret }: Secrets,
  webhookId: string,
  sealed: string,
): Promise<string> {
  const [nonce = '', text = ''] = sealed.split('.')
  for (const candidate of [...secrets, await storedSecret()]) {
    try {
      const opened = await crypto.subtle.decrypt(
        parameters(fromBase64(nonce), webhookId),
        await importSecret(candidate),
        fromBase64(text) as BufferSource,
      )
      return new TextDecoder().decode(opened)
    } catch {
      // The next one may be it.
    }
  }
  throw new Error(
    `no configured secret opens the secret of webhook ${webhookId}: give the older one too, as --secret NEW,OLD`,
  )
}
