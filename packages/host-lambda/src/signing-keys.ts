import type { SigningKey } from '@tributary/core'

const toTime = (date: string | undefined): string | null =>
  date === undefined ? null : new Date(`${date}T00:00:00Z`).toISOString()

/**
 * Reads the option `signingKeys` from a text: public Ed25519 keys, 32 bytes in base64, newest first, separated by
 * commas. `KEY@FROM/UNTIL` adds the dates at which the key was first used and was replaced. Throws for any other text.
 *
 * ```ts
 * createService({ ...options, signingKeys: readSigningKeys(process.env.SIGNING_KEYS) })
 * ```
 */
export const readSigningKeys = (text = ''): readonly SigningKey[] =>
  text
    .split(',')
    .filter((part) => part.trim() !== '')
    .map((part, index) => {
      const found = /^([A-Za-z0-9+/]{43}=)(?:@(\d{4}-\d\d-\d\d)?\/(\d{4}-\d\d-\d\d)?)?$/.exec(part.trim())
      if (!found) throw new Error(`signing keys: key ${index + 1} is not a public Ed25519 key in base64`)
      const [, publicKey, from, until] = found
      const x = publicKey!.slice(0, -1).replaceAll('+', '-').replaceAll('/', '_')
      // The thumbprint of the key (RFC 7638). `tributary dataset export` writes the same `kid`.
      const digest = process.getBuiltinModule('node:crypto').createHash('sha256')
      const kid = digest.update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url')
      return { kid, publicKey: publicKey!, from: toTime(from), until: toTime(until) }
    })
