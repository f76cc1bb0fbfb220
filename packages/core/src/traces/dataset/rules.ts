/** Returns a key that is the same for all spellings of a buyer's name: trimmed, in NFC, without case (`ß` is `SS`). */
export const buyerKey = (buyer: string): string => buyer.normalize('NFC').trim().toUpperCase().toLowerCase()

/** A public key that verifies the packages of this service, as `GET /.well-known/tributary-keys.json` lists it. */
export interface SigningKey {
  readonly kid: string
  /** The 32 bytes of the Ed25519 key, base64. */
  readonly publicKey: string
  /** The times at which the key was first used and was replaced, as ISO 8601. Null means unknown. */
  readonly from: string | null
  readonly until: string | null
}

/**
 * Returns the keys. Throws if a key is not an Ed25519 key, has an invalid time, has no `kid`, or has the same `kid` as
 * another key.
 */
export function checkSigningKeys(keys: readonly SigningKey[] = []): readonly SigningKey[] {
  const kids = new Set<string>()
  for (const { kid, publicKey, from, until } of keys) {
    if (!kid || kids.has(kid)) throw new Error(`signingKeys: each key needs a different kid, not ${kid}`)
    kids.add(kid)
    if (!/^[A-Za-z0-9+/]{43}=$/.test(publicKey))
      throw new Error(`signingKeys: the publicKey of ${kid} must be 32 bytes in base64`)
    for (const time of [from, until])
      if (time !== null && Number.isNaN(Date.parse(time)))
        throw new Error(`signingKeys: from and until of ${kid} must be ISO 8601 or null, not ${time}`)
  }
  return keys
}
