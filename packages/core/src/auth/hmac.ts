import { lazy, type Lazy } from '../lazy.ts'
import { toHex } from '../ids.ts'
import type { Clock, Digest, Random } from '../ports.ts'
import { defaultDigest } from '../system.ts'
import type { AuthStore } from './store.ts'

/**
 * Returns the hashes of a short code in lower-case hex: the first hash is stored, and a stored hash may equal any of
 * these hashes.
 */
export type HmacCode = (text: string) => Promise<readonly [string, ...string[]]>

/** The part of a configuration from which secrets are derived. */
export interface SecretOptions {
  readonly secret?: string | readonly string[]
  readonly adminToken?: string
}

/**
 * Returns the secrets of a configuration, starting with the secret to use: the configured secrets, then a secret that
 * is derived from the admin token. A former secret may have been the admin token, so a secret is also derived from each
 * former secret. Throws if a secret is too short.
 */
export function resolveSecrets({ secret = [], adminToken }: SecretOptions): readonly string[] {
  const configured = typeof secret === 'string' ? [secret] : secret
  if (configured.some(({ length }) => length < 16)) throw new Error('secret needs 16 characters or more')
  const tokens = [...(adminToken === undefined ? [] : [adminToken]), ...configured.slice(1)]
  return [...configured, ...tokens.map((token) => `of the admin token: ${token}`)]
}

export interface StoredSecretDeps {
  readonly store: Pick<AuthStore, 'ensureSecret'>
  readonly clock: Clock
  readonly random: Random
}

/** Returns the store's own secret, which the first service on this database made. */
export function lazyStoredSecret({ store, clock, random }: StoredSecretDeps): Lazy<string> {
  return lazy(() => store.ensureSecret({ candidate: toHex(random(32)), now: clock() }))
}

/**
 * The secrets for hashing and encryption. A copy of the database contains the stored secret, but not the configured
 * secrets.
 */
export interface Secrets {
  /** The secrets, newest first. If there is none, the stored secret is used. */
  readonly secrets: readonly string[]
  readonly storedSecret: Lazy<string>
}

/** The block size of SHA-256 in bytes. */
const blockBytes = 64

/**
 * Returns a function that computes HMAC-SHA-256 with a key (RFC 2104) as lower-case hex, with the platform's digest.
 */
function createHmac(key: string, digest: Digest): (text: string) => string {
  const encoder = new TextEncoder()
  const encoded = encoder.encode(key)
  const block = new Uint8Array(blockBytes)
  block.set(encoded.length > blockBytes ? digest(encoded) : encoded)
  const [inner, outer] = [block.map((part) => part ^ 0x36), block.map((part) => part ^ 0x5c)] as const
  const digestAfter = (start: Uint8Array, bytes: Uint8Array): Uint8Array => {
    const joined = new Uint8Array(blockBytes + bytes.length)
    joined.set(start)
    joined.set(bytes, blockBytes)
    return digest(joined)
  }
  return (text) => toHex(digestAfter(outer, digestAfter(inner, encoder.encode(text))))
}

/**
 * Returns a function that hashes codes with a secret, because codes of six digits or eight letters are short enough to
 * guess. If a secret is configured, a copy of the database alone does not reveal the codes.
 */
export function createHmacCode({
  secrets,
  storedSecret,
  digest = defaultDigest,
}: Secrets & { readonly digest?: Digest }): HmacCode {
  const configured = secrets.map((secret) => createHmac(secret, digest))
  const stored = lazy(async () => createHmac(await storedSecret(), digest))
  return async (text) => {
    const hashes = configured.length > 0 ? configured : [await stored()]
    const [first = '', ...others] = hashes.map((hash) => hash(`tributary short code\n${text}`))
    return [first, ...others]
  }
}
