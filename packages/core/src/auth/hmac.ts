import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { toHex } from '../ids.ts'
import type { Random } from '../ports.ts'

/** Hashes of a short code, the one to keep first; a kept one may be any of them. Lower-case hex. */
export type HmacCode = (text: string) => Promise<readonly [string, ...string[]]>

/** The part of a configuration that secrets are made of. */
export interface SecretOptions {
  readonly secret?: string | readonly string[]
  readonly adminToken?: string
}

/**
 * The secrets of a configuration, the one to use first: those given, then one made of the admin token, which is the first where none
 * is given. An older secret may have been the admin token before, so what was made of it is a secret too. Throws on one that is too
 * short.
 */
export function resolveSecrets({ secret = [], adminToken }: SecretOptions): readonly string[] {
  const given = typeof secret === 'string' ? [secret] : secret
  if (given.some((one) => one.length < 16)) throw new Error('secret needs 16 characters or more')
  const tokens = [...(adminToken === undefined ? [] : [adminToken]), ...given.slice(1)]
  return [...given, ...tokens.map((token) => `of the admin token: ${token}`)]
}

export interface HmacCodeOptions {
  /** Secrets that are not in the database, newest first. Empty: one that the store keeps. */
  readonly configured: readonly string[]
  /** The store's: see `SessionStore.secret`. */
  readonly stored: (fresh: string, now: number) => Promise<string>
  readonly clock: () => number
  readonly random: Random
}

/**
 * Hashes codes that are short enough to guess, six digits or eight letters, under a secret: whoever has the database alone
 * cannot try them all. With the store's own secret that holds for a copy of the codes' tables only, so a service should
 * be given one.
 */
export function createHmacCode({ configured, stored, clock, random }: HmacCodeOptions): HmacCode {
  let secrets = configured
  return async (text) => {
    if (secrets.length === 0) secrets = [await stored(toHex(random(32)), clock())]
    const [first = '', ...others] = secrets.map((secret) =>
      toHex(hmac(sha256, utf8ToBytes(secret), utf8ToBytes(`tributary short code\n${text}`))),
    )
    return [first, ...others]
  }
}
