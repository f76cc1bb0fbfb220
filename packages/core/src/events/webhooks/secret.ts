import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import type { Secrets } from '../../auth/hmac.ts'
import { fromBase64, openText, sealText, toBase64 } from '../../sealed-text.ts'
import type { Random } from '../../ports.ts'

const prefix = 'whsec_'
const secretBytes = 24

/** Makes a secret of Standard Webhooks: `whsec_` and 24 random bytes in base64. */
export const makeSecret = (random: Random): string => prefix + toBase64(random(secretBytes))

/** A message to sign: the event's id, the time of the attempt in seconds since 1970 and the body. */
export interface SignedMessage {
  readonly id: string
  readonly timestamp: number
  readonly body: string
}

/** Returns the value of `webhook-signature`: one signature for each secret, separated by spaces. */
export function signMessage(secrets: readonly string[], { id, timestamp, body }: SignedMessage): string {
  const signed = utf8ToBytes(`${id}.${timestamp}.${body}`)
  return secrets
    .map((secret) => `v1,${toBase64(hmac(sha256, fromBase64(secret.slice(prefix.length)), signed))}`)
    .join(' ')
}

const describePlace = (webhookId: string) => ({ purpose: 'webhook secret', id: webhookId })

/** Encrypts an endpoint's secret under the newest secret of the service. */
export const sealSecret = (
  deps: Secrets & { readonly random: Random },
  webhookId: string,
  secret: string,
): Promise<string> => sealText(deps, describePlace(webhookId), secret)

/**
 * Decrypts an endpoint's secret with the secret of the service that encrypted it. Throws if no secret of the service
 * can decrypt it.
 */
export async function openSecret(deps: Secrets, webhookId: string, sealed: string): Promise<string> {
  const secret = await openText(deps, describePlace(webhookId), sealed)
  if (secret !== null) return secret
  throw new Error(
    `no configured secret decrypts the secret of webhook ${webhookId}: add the older secret, as --secret NEW,OLD`,
  )
}
