import { createHash, createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto'
import type { SigningKey } from '@tributary/core'

/** An Ed25519 key that signs packages, and the data about it that the service publishes. */
export interface PackageSigner {
  readonly privateKey: KeyObject
  readonly published: SigningKey
}

/** The bytes before the 32 bytes of an Ed25519 key in PKCS #8 and in SPKI (RFC 8410). */
const privatePrefix = Buffer.from('302e020100300506032b657004220420', 'hex')
const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex')

const base64Key = /^[A-Za-z0-9+/_-]{43}=?$/

/** Returns the signer of a private key: PKCS #8 PEM, or its 32 bytes (the seed) in base64. Throws on any other text. */
export function readSigner(text: string, { from, until }: Pick<SigningKey, 'from' | 'until'>): PackageSigner {
  const key = text.trim()
  const privateKey = base64Key.test(key)
    ? createPrivateKey({
        key: Buffer.concat([privatePrefix, Buffer.from(key, 'base64')]),
        format: 'der',
        type: 'pkcs8',
      })
    : createPrivateKey(key)
  return { privateKey, published: { ...publish(createPublicKey(privateKey)), from, until } }
}

/** Returns the published form of a public key: SPKI PEM, or its 32 bytes in base64. Throws on any other text. */
export function readPublicKey(text: string): SigningKey {
  const key = text.trim()
  return { ...publish(base64Key.test(key) ? toKeyObject(key) : createPublicKey(key)), from: null, until: null }
}

/** The `kid` is the thumbprint of the key (RFC 7638), so that a key has the same `kid` everywhere. */
function publish(key: KeyObject): Pick<SigningKey, 'kid' | 'publicKey'> {
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`expected an Ed25519 key, not ${key.asymmetricKeyType}`)
  const { x } = key.export({ format: 'jwk' })
  const kid = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url')
  return { kid, publicKey: Buffer.from(x!, 'base64url').toString('base64') }
}

const toKeyObject = (publicKey: string): KeyObject =>
  createPublicKey({ key: Buffer.concat([publicPrefix, Buffer.from(publicKey, 'base64')]), format: 'der', type: 'spki' })

/** Returns the signature of `manifest.json`: 64 bytes that sign the bytes of the file. */
export const signManifest = (manifest: string, { privateKey }: PackageSigner): Buffer =>
  sign(null, Buffer.from(manifest), privateKey)

/** Returns the key that made a signature, or null if none of the keys made it. */
export function findSigner(manifest: Buffer, signature: Buffer, keys: readonly SigningKey[]): SigningKey | null {
  return keys.find(({ publicKey }) => verify(null, manifest, toKeyObject(publicKey), signature)) ?? null
}
