import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { toHex } from '../ids.ts'
import type { Random } from '../ports.ts'
import type { AuthStore } from './store.ts'

/** Returns the hashes of a short code, lower-case hex: the first is to be stored; a stored one may be any of them. */
export type HmacCode = (text: string) => Promise<readonly [string, ...string[]]>

/** The part of a configuration that secrets are derived from. */
export interface SecretOptions {
  readonly secret?: string | readonly string[]
  readonly adminToken?: string
}

/**
 * Returns the secrets of a configuration, the one to use first: the configured ones, then one derived from the admin token, which
 * comes first where none is configured. An older secret may have been the admin token before, so it is derived from that too.
 * Throws on a secret that is too short.
 */
export function resolveSecrets({ secret = [], adminToken }: SecretOptions): readonly string[] {
  const configured = typeof secret === 'string' ? [secret] : secret
  if (configured.some(({ length }) => length < 16)) throw new Error('secret needs 16 characters or more')
  const tokens = [...(adminToken === undefined ? [] : [adminToken]), ...configured.slice(1)]
  return [...configured, ...tokens.map((token) => `of the admin token: ${token}`)]
}

export interface HmacCodeOptions {
  /** Secrets that are not in the database, newest first. Empty: the store's own secret is used. */
  readonly configured: readonly string[]
  /** `AuthStore.ensureSecret`. */
  readonly ensureSecret: AuthStore['ensureSecret']
  readonly clock: () => number
  readonly random: Random
}

/**
 * Returns a function that hashes codes that are short enough to guess, six digits or eight letters, with a secret: a copy of the
 * database alone does not reveal them. The store's own secret is in the database, so a service should have a configured one.
 */
export function createHmacCode({ configured, ensureSecret, clock, random }: HmacCodeOptions): HmacCode {
  let secrets = configured
  return async (text) => {
    if (secrets.length === 0) secrets = [await ensureSecret({ candidate: toHex(random(32)), now: clock() })]
    const [first = '', ...others] = secrets.map((secret) =>
      toHex(hmac(sha256, utf8ToBytes(secret), utf8ToBytes(`tributary short code\n${text}`))),
    )
    return [first, ...others]
  }
}
